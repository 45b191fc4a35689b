/*
 * What single writes is read behind its barrier, or without.
 * race: 14 15
 */
#include <omp.h>

int main(void)
{
	int x = 0, sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	{
#pragma omp single nowait
		x = 5;
		sum += x;
	}
	return sum > 15;
}
