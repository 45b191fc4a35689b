/*
 * The last value of a loop.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = 0;

#pragma omp parallel for num_threads(4) lastprivate(x)
	for (int i = 0; i < 16; i++)
		x = i;
	return x - 15;
}
