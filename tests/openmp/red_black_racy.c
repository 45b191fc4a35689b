/*
 * Every other element: neighbours are not written.
 * race: 14 14
 */
#include <omp.h>

static double a[64];

int main(void)
{
	for (int colour = 0; colour < 2; colour++) {
#pragma omp parallel for num_threads(4) schedule(static, 3)
		for (int i = 1 + colour; i < 63; i++)
			a[i] = (a[i - 1] + a[i + 1]) / 2;
	}
	return a[0] > 1;
}
