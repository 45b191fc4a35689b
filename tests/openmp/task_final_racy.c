/*
 * Tasks of a final task are included: they run at once, in order.
 * race: 17 18
 */
#include <omp.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int x = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task shared(x) final(argc > 7)
	{
#pragma omp task shared(x)
		x = 1;
		x = 2;
	}
	return x > 2;
}
