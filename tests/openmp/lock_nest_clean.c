/*
 * Nested locks; of two, each thread takes another.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	omp_nest_lock_t l;
	int x = 0;

	omp_init_nest_lock(&l);
#pragma omp parallel num_threads(2)
	{
		omp_set_nest_lock(&l);
		omp_set_nest_lock(&l);
		x++;
		omp_unset_nest_lock(&l);
		x++;
		omp_unset_nest_lock(&l);
	}
	return x - 4;
}
