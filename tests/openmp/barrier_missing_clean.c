/*
 * A barrier between writing and reading.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[64] = { 0 }, b[64];

#pragma omp parallel num_threads(4)
	{
		int me = omp_get_thread_num(), n = omp_get_num_threads();

		a[me] = me;
#pragma omp barrier
		b[me] = a[(me + 1) % n];
	}
	return b[0] > 64;
}
