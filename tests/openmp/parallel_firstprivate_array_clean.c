/*
 * firstprivate copies an array, not what a pointer points to.
 * clean
 */
#include <omp.h>

int main(void)
{
	int a[4] = { 0 };
	int sum = 0;

#pragma omp parallel num_threads(3) firstprivate(a) reduction(+ : sum)
	{
		a[1] += 1;
		sum += a[1];
	}
	return sum < 0;
}
