/*
 * A barrier between writing and reading.
 * race: 16 17
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[4] = { 0 }, b[4];

#pragma omp parallel num_threads(4)
	{
		int me = omp_get_thread_num();

		a[me] = me;
		b[me] = a[(me + 1) % 4];
	}
	return b[0] > 4;
}
