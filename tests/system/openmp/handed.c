/*
 * Locks that one thread sets and another unsets, which the specification does not allow and libgomp does not mind.
 *
 * barrier, start: what the lock orders is in order. late: something comes after the lock was given away.
 */
#include <omp.h>
#include <string.h>

static omp_lock_t lock;
int x;

static void across_barrier(int late)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			omp_set_lock(&lock);
#pragma omp barrier
		if (omp_get_thread_num() == 1) {
			if (!late)
				x = 1;
			omp_unset_lock(&lock);
			if (late)
				x = 2;
		} else {
			omp_set_lock(&lock);
			x = 3;
			omp_unset_lock(&lock);
		}
	}
}

static void from_start(void)
{
	omp_set_lock(&lock);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			x = 1;
			omp_unset_lock(&lock);
		} else {
			omp_set_lock(&lock);
			x = 2;
		}
	}
	omp_unset_lock(&lock);
}

int main(int argc, char **argv)
{
	omp_init_lock(&lock);
	if (argc > 1 && !strcmp(argv[1], "start"))
		from_start();
	else
		across_barrier(argc > 1 && !strcmp(argv[1], "late"));
	omp_destroy_lock(&lock);
	return 0;
}
