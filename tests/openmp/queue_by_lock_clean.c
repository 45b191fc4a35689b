/*
 * A work list with a lock: taking from it, or looking at its length without.
 * clean
 */
#include <omp.h>

static int items[16], n = 16, done[16];

int main(void)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
	{
		for (;;) {
			int k = -1;

			omp_set_lock(&lock);
			if (n)
				k = --n;
			omp_unset_lock(&lock);
			if (k < 0)
				break;
			done[k] = items[k];
		}
	}
	omp_destroy_lock(&lock);
	return done[0];
}
