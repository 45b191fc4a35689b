/*
 * A partial sum for each thread, added in a critical section, or without.
 * race: 18 18
 */
#include <omp.h>

int main(void)
{
	double total = 0;

#pragma omp parallel num_threads(4)
	{
		double part = 0;

#pragma omp for
		for (int i = 0; i < 32; i++)
			part += i;
		total += part;
	}
	return total < 0;
}
