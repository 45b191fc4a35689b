/*
 * A check without the lock, and the data behind it.
 * race: 17 23
 */
#include <omp.h>

static int made, data;

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	{
		int seen;

		seen = made;
		if (!seen) {
#pragma omp critical
			{
				if (!made) {
					data = 7;
					made = 1;
				}
			}
		}
		sum += data;
	}
	return sum < 0;
}
