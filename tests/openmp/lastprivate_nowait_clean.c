/*
 * The value of lastprivate is there behind the barrier.
 * clean
 */
#include <omp.h>

int main(void)
{
	int x = 0, sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	{
#pragma omp for lastprivate(x)
		for (int i = 0; i < 9; i++)
			x = i;
		sum += x;
	}
	return sum < 0;
}
