/*
 * Two rounds over the same data need two barriers.
 * clean
 */
#include <omp.h>

static int v[3], w[3];

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		int t = omp_get_thread_num();

		for (int round = 0; round < 3; round++) {
			v[t] = round;
#pragma omp barrier
			w[t] = v[(t + 1) % 3];
#pragma omp barrier
		}
	}
	return w[0] > 3;
}
