/*
 * With one active level an inner region has one thread, but there is one for each outer one.
 * clean
 */
#include <omp.h>

int main(void)
{
	int total = 0;

	omp_set_max_active_levels(1);
#pragma omp parallel num_threads(3) reduction(+ : total)
	{
		int mine = 0;

#pragma omp parallel num_threads(4) shared(mine)
		{
			mine++;
#pragma omp for
			for (int i = 0; i < 5; i++)
				mine++;
		}
		total += mine;
	}
	return total != 18;
}
