/*
 * What a section sets is used behind the barrier at the end of the sections.
 * clean
 */
#include <omp.h>

int main(void)
{
	int ready = 0, seen[3] = { 0 };

#pragma omp parallel num_threads(3)
	{
		int mine;

#pragma omp sections
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
