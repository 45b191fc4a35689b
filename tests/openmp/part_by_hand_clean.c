/*
 * Threads compute their part of an array by their number; parts that overlap by one item race.
 * clean
 */
#include <omp.h>

int main(void)
{
	int a[101];

#pragma omp parallel num_threads(4)
	{
		int n = omp_get_num_threads(), id = omp_get_thread_num();

		for (int i = 100 * id / n; i < 100 * (id + 1) / n; i++)
			a[i] = i;
	}
	return a[99] != 99;
}
