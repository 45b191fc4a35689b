/*
 * The address of a threadprivate variable makes it everybody's.
 * clean
 */
#include <omp.h>

static int counter, *shown;
#pragma omp threadprivate(counter)

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		int *mine = &counter;

#pragma omp master
		shown = &counter;
#pragma omp barrier
		*mine += shown != 0;
	}
	return counter != 1;
}
