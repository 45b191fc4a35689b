/*
 * A nestable lock is given back when all have given it back.
 * race: 19 19
 */
#include <omp.h>

int main(void)
{
	omp_nest_lock_t lock;
	int x = 0;

	omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
	{
		omp_set_nest_lock(&lock);
		omp_set_nest_lock(&lock);
		omp_unset_nest_lock(&lock);
		omp_unset_nest_lock(&lock);
		x++;
	}
	omp_destroy_nest_lock(&lock);
	return x < 0;
}
