/*
 * A lock that was not got protects nothing.
 * race: 17 17
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
		omp_test_lock(&l); /* only one of them gets it */
		x++;
	}
	return x < 0;
}
