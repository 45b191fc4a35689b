/*
 * An atomic update and a plain read.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y[3];

#pragma omp parallel num_threads(3)
	{
		int seen;

#pragma omp atomic capture
		seen = x += 2;
		y[omp_get_thread_num()] = seen;
	}
	return y[0] > 6;
}
