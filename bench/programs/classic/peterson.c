/*
 * Peterson's lock for two, with sequentially consistent atomics; each enters N times. Bad: there is no
 * turn, and one looks at the other's flag before it raises its own. Good: as published.
 */
#include "classic.h"

static atomic_int flags[2], turn, inside;

static void *work(void *arg)
{
	int me = (int)(long)arg, other = !me;

	for (int i = 0; i < size; i++) {
		if (is_bad) {
			while (atomic_load(&flags[other]))
				;
			atomic_store(&flags[me], 1);
		} else {
			atomic_store(&flags[me], 1);
			atomic_store(&turn, other);
			while (atomic_load(&flags[other]) && atomic_load(&turn) == other)
				;
		}
		assert(atomic_fetch_add(&inside, 1) == 0);
		atomic_fetch_sub(&inside, 1);
		atomic_store(&flags[me], 0);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 1, 1, 4);
	run_threads(2, work);
	return 0;
}
