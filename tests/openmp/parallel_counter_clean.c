/*
 * Every thread adds to one counter.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int count = 0;

#pragma omp parallel num_threads(4)
	{
#pragma omp atomic
		count++;
	}
	return count < 0;
}
