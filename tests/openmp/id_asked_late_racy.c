/*
 * Iterations that ask for the number of their thread in the middle share what is not the number's.
 * race: 15 17
 */
#include <omp.h>

int main(void)
{
	int a[12] = { 0 }, used[4] = { 0 }, sum = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 12; i++) {
			a[i / 2] = 1;
			used[omp_get_thread_num()]++;
			a[i / 2]++;
		}
#pragma omp single
		for (int i = 0; i < 12; i++)
			sum += a[i];
	}
	return sum > 24;
}
