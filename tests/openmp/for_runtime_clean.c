/*
 * Schedule(runtime).
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int hits[10] = { 0 };

#pragma omp parallel for num_threads(2) schedule(runtime)
	for (int i = 0; i < 10; i++)
		hits[i]++;
	return hits[0] - 1;
}
