/*
 * The race is in a function that the loop calls.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

static int bins[4];

static void put(int v)
{
#pragma omp atomic
	bins[v % 4]++;
}

int main(void)
{
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 16; i++)
		put(i);
	return bins[0] - 4;
}
