/*
 * Loops over unsigned long go through other calls.
 * race: 14 14
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	unsigned long long sum = 0;

#pragma omp parallel for num_threads(3) schedule(dynamic, 2)
	for (unsigned long long i = 0; i < 12; i++)
		sum += i;
	return sum > 1000;
}
