/*
 * A program that sets the number of threads to one has no race from then on.
 * clean
 */
#include <omp.h>

int main(void)
{
	int steps = 0;

	omp_set_num_threads(1);
#pragma omp parallel
	{
		steps++;
#pragma omp for
		for (int i = 0; i < 10; i++)
			steps++;
#pragma omp sections
		{
			steps++;
#pragma omp section
			steps++;
		}
	}
	return steps != 13;
}
