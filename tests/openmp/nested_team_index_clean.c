/*
 * Numbers of threads repeat in nested teams.
 * clean
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
			slot[2 * outer + omp_get_thread_num()] = outer;
		}
	}
	return slot[0] > 1;
}
