/*
 * A check without the lock, and the data behind it.
 * clean
 */
#include <omp.h>

static int made, data;

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
	{
		int seen;

#pragma omp atomic read acquire
		seen = made;
		if (!seen) {
#pragma omp critical
			{
				if (!made) {
					data = 7;
#pragma omp atomic write release
					made = 1;
				}
			}
		}
		sum += data;
	}
	return sum < 0;
}
