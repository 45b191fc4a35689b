/*
 * A lock is tried so that it is held if it can be; the work is under another one. A loop waits for a third.
 * clean
 */
#include <omp.h>

static omp_lock_t hint, lock, third;
static int work, more;

int main(void)
{
	omp_init_lock(&hint);
	omp_init_lock(&lock);
	omp_init_lock(&third);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			(void)omp_test_lock(&hint);
		}
		omp_set_lock(&lock);
		work++;
		omp_unset_lock(&lock);
		for (; !omp_test_lock(&third);)
			;
		more++;
		omp_unset_lock(&third);
		if (omp_get_thread_num() == 0)
			omp_unset_lock(&hint);
	}
	return work != 2 || more != 2;
}
