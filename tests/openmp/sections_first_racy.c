/*
 * Two sections write two variables, or the same.
 * race: 14 16
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
		a = 2;
	}
	return a + b < 0;
}
