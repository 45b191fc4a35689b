/*
 * copyprivate gives each a copy; a shared variable is read while it is written again.
 * race: 15 16
 */
#include <omp.h>

int main(void)
{
	int sum = 0, v = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	{
		for (int round = 0; round < 2; round++) {
#pragma omp single
			v = round;
			sum += v;
		}
	}
	return sum < 0;
}
