/*
 * One chunk each, with the barrier between the loops.
 * clean
 */
#include <omp.h>

int main(void)
{
	int made = 0, used = 0;

#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 1; i++)
			made = i + 1;
#pragma omp for schedule(guided)
		for (int i = 0; i < 1; i++)
			used = made;
	}
	return used != 1;
}
