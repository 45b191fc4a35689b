/*
 * What a section sets is used behind the sections, without a barrier: the thread that had it is in order, others are not.
 * race: 18 23
 */
#include <omp.h>

int main(void)
{
	int ready = 0, seen[3] = { 0 };

#pragma omp parallel num_threads(3)
	{
		int mine;

#pragma omp sections nowait
		{
#pragma omp section
			ready = 1;
#pragma omp section
			seen[2] = 1;
		}
#pragma omp atomic read
		mine = ready;
		if (mine > 1)
#pragma omp atomic
			seen[0]++;
	}
	return seen[2] != 1;
}
