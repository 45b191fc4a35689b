/*
 * The lock is tried, and the work done whether it was to be had or not.
 * race: 16 16
 */
#include <omp.h>

static omp_lock_t lock;
static int work;

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	{
		omp_test_lock(&lock);
		work++;
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	return work > 2;
}
