/*
 * A program that sets the number of threads to one has no race from then on.
 * race: 16 16
 */
#include <omp.h>

int main(void)
{
	int steps = 0;

	omp_set_num_threads(2);
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < 10; i++)
			steps++;
	}
	return steps < 0;
}
