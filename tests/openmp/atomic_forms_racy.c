/*
 * Read, write, update, capture, compare.
 * race: 16 18
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num()) {
#pragma omp atomic write
			x = 4;
		} else {
			int seen = x;

			(void)seen;
		}
	}
	return x > 4;
}
