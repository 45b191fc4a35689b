/*
 * Two loops with the same static schedule need no barrier; with others they do.
 * clean
 */
#include <omp.h>

static int a[32], b[32];

int main(void)
{
#pragma omp parallel num_threads(4)
	{
#pragma omp for schedule(static) nowait
		for (int i = 0; i < 32; i++)
			a[i] = i;
#pragma omp for schedule(static)
		for (int i = 0; i < 32; i++)
			b[i] = a[i];
	}
	return b[0];
}
