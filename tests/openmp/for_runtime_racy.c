/*
 * Schedule(runtime).
 * race: 14 14
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int hits = 0;

#pragma omp parallel for num_threads(2) schedule(runtime)
	for (int i = 0; i < 10; i++)
		hits++;
	return hits < 0;
}
