/*
 * The last one to arrive at a counter in a critical section reads what all have written.
 * race: 17 20
 */
#include <omp.h>

int main(void)
{
	int part[4] = { 0 }, arrived = 0, sum = 0;

#pragma omp parallel num_threads(4)
	{
		int last;

#pragma omp critical
		last = ++arrived == 4;
		part[omp_get_thread_num()] = 1;
		if (last) {
			for (int i = 0; i < 4; i++)
				sum += part[i];
		}
	}
	return sum > 4;
}
