/*
 * A loop that may be cancelled, with a chunk size: within a chunk neighbours are in order.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[16];

#pragma omp parallel
#pragma omp for schedule(static, 4)
	for (int i = 0; i < 16; i++) {
		a[i] = i % 4 ? a[i - 1] + 1 : 0;
#pragma omp cancel for if (a[i] > 100)
	}
	return a[15] != 3 || a[12] != 0;
}
