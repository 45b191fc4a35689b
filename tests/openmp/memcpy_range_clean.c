/*
 * memcpy of each thread's part.
 * clean
 */
#include <omp.h>
#include <string.h>

static char from[256], to[256];

int main(void)
{
#pragma omp parallel num_threads(4)
	{
		int t = omp_get_thread_num();

		memcpy(to + 64 * t, from, 64);
	}
	return to[0];
}
