/*
 * The last thread to arrive has what it saw before it arrived.
 * race: 17 18
 */
#include <omp.h>

int main(void)
{
	int part = 0, arrived = 0, sum = 0;

#pragma omp parallel num_threads(3)
	{
		int last, seen;

#pragma omp for nowait schedule(dynamic)
		for (int i = 0; i < 1; i++)
			part = 3;
		seen = part;
#pragma omp critical
		last = ++arrived == 3;
		if (last)
			sum = seen;
	}
	return sum > 3;
}
