/*
 * A lock that is set before a barrier and given back behind it orders, as well as excludes.
 * race: 20 23
 */
#include <omp.h>

int main(void)
{
	omp_lock_t lock;
	int x = 0;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			omp_set_lock(&lock);
#pragma omp barrier
		if (omp_get_thread_num() == 0) {
			omp_unset_lock(&lock);
			x = 1;
		} else {
			omp_set_lock(&lock);
			x = 2;
			omp_unset_lock(&lock);
		}
	}
	omp_destroy_lock(&lock);
	return x < 0;
}
