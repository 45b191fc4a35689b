/*
 * Flush does not keep threads apart.
 * race: 14 14
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel num_threads(2)
	{
		x++;
#pragma omp flush
	}
	return x < 0;
}
