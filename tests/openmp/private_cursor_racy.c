/*
 * Each thread fills a stretch of the output, and all of them begin at the same place.
 * race: 19 19
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int out[64] = { 0 };

#pragma omp parallel num_threads(3)
	{
		int *at = out;

#pragma omp for schedule(dynamic)
		for (int i = 0; i < 16; i++) {
			if (i >= 0)
				*at++ = i;
		}
	}
	return out[0] > 16;
}
