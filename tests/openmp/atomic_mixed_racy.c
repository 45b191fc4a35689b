/*
 * An atomic update and a plain read.
 * race: 15 16
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0, y[3];

#pragma omp parallel num_threads(3)
	{
#pragma omp atomic
		x += 2;
		y[omp_get_thread_num()] = x;
	}
	return y[0] > 6;
}
