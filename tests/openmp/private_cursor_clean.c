/*
 * Each thread appends to a stretch of the output of its own, which it got from a counter.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	static int out[8 * 32], n;

#pragma omp parallel num_threads(8)
	{
		int *at, mine;

#pragma omp atomic capture
		mine = n++;
		at = out + 32 * mine;
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 16; i++)
			*at++ = i + 1;
	}
	return out[0] > 16;
}
