/*
 * An ordered region keeps iterations in order.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int n = 0, a[8];

#pragma omp parallel for ordered num_threads(4)
	for (int i = 0; i < 8; i++) {
#pragma omp ordered
		a[n++] = i;
	}
	return a[0];
}
