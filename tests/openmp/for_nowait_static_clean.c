/*
 * Equal static loops give the same iteration to the same thread, so nowait is right.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int a[16] = { 0 }, b[16] = { 0 };

#pragma omp parallel num_threads(4)
	{
#pragma omp for nowait schedule(static)
		for (int i = 0; i < 16; i++)
			a[i] = i;
#pragma omp for nowait schedule(static)
		for (int i = 0; i < 16; i++)
			b[i] = a[i];
	}
	return b[3] > 16;
}
