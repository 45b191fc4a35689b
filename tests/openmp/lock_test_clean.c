/*
 * A lock that was not got protects nothing.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	omp_lock_t l;
	int x = 0;

	omp_init_lock(&l);
#pragma omp parallel num_threads(2)
	{
		if (omp_test_lock(&l)) {
			x++;
			omp_unset_lock(&l);
		}
	}
	return x < 0;
}
