/*
 * A temporary of a combined loop.
 * clean
 */
#include <omp.h>

static double a[64], b[64];

int main(void)
{
	double t = 0;

#pragma omp parallel for simd num_threads(4) private(t)
	for (int i = 0; i < 64; i++) {
		t = a[i] * 2;
		b[i] = t;
	}
	return b[0] > 1;
}
