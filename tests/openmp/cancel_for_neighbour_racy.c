/*
 * Iterations of a loop that may be cancelled use what their neighbours write.
 * race: 15 15
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[16] = { 1 };

#pragma omp parallel
#pragma omp for
	for (int i = 1; i < 16; i++) {
		a[i] = a[i - 1] + 1;
#pragma omp cancel for if (a[i] > 100)
	}
	return a[15] > 16;
}
