/*
 * Sums of blocks are there for all threads behind a barrier, and not before.
 * race: 18 21
 */
#include <omp.h>

int main(void)
{
	int a[64], sums[257] = { 0 };

#pragma omp parallel num_threads(4)
	{
		int id = omp_get_thread_num(), sum = 0;

#pragma omp for schedule(static)
		for (int i = 0; i < 64; i++)
			a[i] = sum += 1;
		sums[id + 1] = sum;
		sum = 0;
		for (int k = 0; k <= id; k++)
			sum += sums[k];
#pragma omp for schedule(static)
		for (int i = 0; i < 64; i++)
			a[i] += sum;
	}
	return a[0] != 1;
}
