/*
 * memcpy of each thread's part.
 * race: 16 16
 */
#include <omp.h>
#include <string.h>

static char from[256], to[256];

int main(void)
{
#pragma omp parallel num_threads(4)
	{
		int t = omp_get_thread_num();

		memcpy(to + 63 * t, from, 64);
	}
	return to[0];
}
