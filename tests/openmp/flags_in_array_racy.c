/*
 * Items of an array are handed over by a flag each, which is set behind the item or before it.
 * race: 19 29
 */
#include <omp.h>

static int items[8], ready[8];

int main(void)
{
	int sum = 0;

#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		for (int i = 0; i < 8; i++) {
#pragma omp atomic write release
			ready[i] = 1;
			items[i] = i;
		}
#pragma omp section
		for (int i = 0; i < 8; i++) {
			int there;

			do {
#pragma omp atomic read acquire
				there = ready[i];
			} while (!there);
			sum += items[i];
		}
	}
	return sum < 0;
}
