/*
 * The last value that was assigned.
 * race: 15 15
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int x = -1;

#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 16; i++)
		if (i % 3 == 0)
			x = i;
	return x > 16;
}
