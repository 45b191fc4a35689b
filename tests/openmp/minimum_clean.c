/*
 * The smallest number: an atomic look tells whether the critical section is worth it.
 * clean
 */
#include <assert.h>

static int smallest = 1000, numbers[50];

int main(void)
{
	for (int i = 0; i < 50; i++)
		numbers[i] = (i * 37 + 11) % 50 + 3;
#pragma omp parallel for
	for (int i = 0; i < 50; i++) {
		int seen;

#pragma omp atomic read
		seen = smallest;
		if (numbers[i] < seen) {
#pragma omp critical
			if (numbers[i] < smallest) {
#pragma omp atomic write
				smallest = numbers[i];
			}
		}
	}
	assert(smallest == 3);
	return 0;
}
