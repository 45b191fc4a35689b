/*
 * A stencil in one array, or from one into the other.
 * race: 13 13
 */
#include <omp.h>

static double a[64], b[64];

int main(void)
{
#pragma omp parallel for num_threads(4) schedule(static, 4)
	for (int i = 1; i < 63; i++)
		a[i] = a[i - 1] + a[i + 1];
	return a[0] > 1 || b[0] > 1;
}
