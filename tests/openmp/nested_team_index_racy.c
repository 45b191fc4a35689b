/*
 * Numbers of threads repeat in nested teams.
 * race: 18 18
 */
#include <omp.h>

static int slot[4];

int main(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int outer = omp_get_thread_num();

#pragma omp parallel num_threads(2)
		{
			slot[omp_get_thread_num()] = outer;
		}
	}
	return slot[0] > 1;
}
