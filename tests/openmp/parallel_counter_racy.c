/*
 * Every thread adds to one counter.
 * race: 13 13
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int count = 0;

#pragma omp parallel num_threads(4)
	count++;
	return count < 0;
}
