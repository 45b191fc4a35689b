/*
 * firstprivate copies an array, not what a pointer points to.
 * race: 15 15
 */
#include <omp.h>

int main(void)
{
	int a[4] = { 0 };
	int *p = a;
	int sum = 0;

#pragma omp parallel num_threads(3) firstprivate(p) reduction(+ : sum)
	{
		p[1] += 1;
		sum += p[1];
	}
	return sum < 0;
}
