/*
 * Two iterations of what one thread usually gets as one chunk.
 * clean
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int last = 0;

#pragma omp parallel for num_threads(2) schedule(static)
	for (int i = 0; i < 40; i++) {
		if (i == 5)
			last = i;
	}
	return last > 40;
}
