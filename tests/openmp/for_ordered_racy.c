/*
 * An ordered region keeps iterations in order.
 * race: 14 16
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int n = 0, a[8];

#pragma omp parallel for ordered num_threads(4)
	for (int i = 0; i < 8; i++) {
		a[n] = i;
#pragma omp ordered
		n++;
	}
	return a[0] > 8;
}
