/*
 * The smallest number: a look without any protection tells whether the critical section is worth it.
 * race: 17 20
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

		seen = smallest;
		if (numbers[i] < seen) {
#pragma omp critical
			smallest = numbers[i] < smallest ? numbers[i] : smallest;
		}
	}
	assert(smallest == 3);
	return 0;
}
