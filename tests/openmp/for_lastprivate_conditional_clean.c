/*
 * The last value that was assigned.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = -1;

#pragma omp parallel for num_threads(4) lastprivate(conditional : x)
	for (int i = 0; i < 16; i++)
		if (i % 3 == 0)
			x = i;
	return x - 15;
}
