/*
 * A maximum over lanes.
 * race: 17 17
 */
#include <omp.h>

static int a[64];

int main(void)
{
	int best = 0;

	for (int i = 0; i < 64; i++)
		a[i] = i;
#pragma omp simd
	for (int i = 0; i < 64; i++)
		best = a[i] > best ? a[i] : best;
	return best != 63;
}
