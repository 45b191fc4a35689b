/*
 * A value given to all threads of the team.
 * race: 16 17
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	static int x;
	int sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	{
#pragma omp single nowait
		x = 5;
		sum += x;
	}
	return sum > 15;
}
