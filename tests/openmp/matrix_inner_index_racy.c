/*
 * The index of the inner loop must be private.
 * race: 15 15
 */
#include <omp.h>

static int a[16][16];

int main(void)
{
	int j;

#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 16; i++) {
		for (j = 0; j < 16; j++)
			a[i][j]++;
	}
	return a[0][0] > 1;
}
