/*
 * An OpenMP lock.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	omp_lock_t l;
	int x = 0;

	omp_init_lock(&l);
#pragma omp parallel num_threads(3)
	{
		omp_set_lock(&l);
		x++;
		omp_unset_lock(&l);
	}
	omp_destroy_lock(&l);
	return x - 3;
}
