/*
 * A search that is cancelled.
 * race: 17 17
 */
#include <omp.h>
#include <stdlib.h>

int main(void)
{
	int found = -1;

#pragma omp parallel num_threads(3)
	{
#pragma omp for
		for (int i = 0; i < 12; i++) {
			if (i % 4 == 1)
				found = i;
#pragma omp cancel for if (found >= 0 && i > 100)
		}
	}
	return found > 12;
}
