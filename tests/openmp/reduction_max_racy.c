/*
 * The maximum by hand, or by reduction.
 * race: 15 16
 */
#include <omp.h>

int main(void)
{
	int v[32], best = -1;

	for (int i = 0; i < 32; i++)
		v[i] = i * 7 % 32;
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 32; i++) {
		if (v[i] > best)
			best = v[i];
	}
	return best != 31 && best < 0;
}
