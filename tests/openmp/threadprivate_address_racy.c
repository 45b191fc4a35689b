/*
 * The address of a threadprivate variable makes it everybody's.
 * race: 17 17
 */
#include <omp.h>

static int counter, *shown;
#pragma omp threadprivate(counter)

int main(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp master
		shown = &counter;
#pragma omp barrier
		*shown += 1;
	}
	return counter < 0;
}
