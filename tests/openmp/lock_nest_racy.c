/*
 * Nested locks; of two, each thread takes another.
 * race: 21 21
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	omp_nest_lock_t l[2];
	int x = 0;

	omp_init_nest_lock(&l[0]);
	omp_init_nest_lock(&l[1]);
#pragma omp parallel num_threads(2)
	{
		omp_nest_lock_t *mine = &l[omp_get_thread_num()];

		omp_set_nest_lock(mine);
		omp_set_nest_lock(mine);
		x++;
		omp_unset_nest_lock(mine);
		omp_unset_nest_lock(mine);
	}
	return x < 0;
}
