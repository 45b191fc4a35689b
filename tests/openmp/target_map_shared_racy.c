/*
 * A kernel on the host in two regions at once.
 * race: 15 17
 */
#include <omp.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target map(tofrom : x) nowait
		x += 1;
#pragma omp target map(tofrom : x) nowait
		x += 2;
#pragma omp taskwait
	}
	return x < 0;
}
