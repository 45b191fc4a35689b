/*
 * Flush does not keep threads apart.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x[2] = { 0 };

#pragma omp parallel num_threads(2)
	{
		x[omp_get_thread_num()]++;
#pragma omp flush
	}
	return x[0] - 1;
}
