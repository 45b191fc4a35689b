/*
 * Two sections write two variables, or the same.
 * clean
 */
#include <omp.h>

int main(void)
{
	int a = 0, b = 0;

#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		a = 1;
#pragma omp section
		b = 2;
	}
	return a + b < 0;
}
