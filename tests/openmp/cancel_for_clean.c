/*
 * A search that is cancelled.
 * clean
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
			if (i == 5) {
#pragma omp atomic write
				found = i;
#pragma omp cancel for
			}
#pragma omp cancellation point for
		}
	}
	return found > 12;
}
