/*
 * A temporary that should be private.
 * race: 16 17
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int t, out[4] = { 0 };

#pragma omp parallel num_threads(4) shared(t)
	{
		int me = omp_get_thread_num();

		t = me * 2;
		out[me] = t;
	}
	return out[0] > 100;
}
