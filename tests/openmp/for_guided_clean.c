/*
 * Guided schedule, sum without reduction.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int sum = 0;

#pragma omp parallel for num_threads(3) schedule(guided, 2) reduction(+ : sum)
	for (int i = 0; i < 30; i++)
		sum += i;
	return sum < 0;
}
