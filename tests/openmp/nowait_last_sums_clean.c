/*
 * The last thread to arrive sees what all have done, whoever had which part.
 * clean
 */
#include <omp.h>

int main(void)
{
	int part = 0, arrived = 0, sum = 0;

#pragma omp parallel num_threads(3)
	{
		int last;

#pragma omp for nowait schedule(dynamic)
		for (int i = 0; i < 1; i++)
			part = 3;
#pragma omp critical
		last = ++arrived == 3;
		if (last)
			sum = part;
	}
	return sum != 3;
}
