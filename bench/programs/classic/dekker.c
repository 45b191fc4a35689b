/*
 * Dekker's lock for two, with sequentially consistent atomics; each enters N times. Bad: who had to
 * wait for its turn raises its flag again and goes in without another look (it takes two rounds
 * to show). Good: as published.
 */
#include "classic.h"

static atomic_int flags[2], turn, inside;

static void enter(int me)
{
	int other = !me;

	atomic_store(&flags[me], 1);
	while (atomic_load(&flags[other])) {
		if (atomic_load(&turn) == me)
			continue;
		atomic_store(&flags[me], 0);
		while (atomic_load(&turn) != me)
			;
		atomic_store(&flags[me], 1);
		if (is_bad)
			break;
	}
}

static void *work(void *arg)
{
	int me = (int)(long)arg;

	for (int i = 0; i < size; i++) {
		enter(me);
		assert(atomic_fetch_add(&inside, 1) == 0);
		atomic_fetch_sub(&inside, 1);
		atomic_store(&turn, !me);
		atomic_store(&flags[me], 0);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 2, 1, 4);
	run_threads(2, work);
	return 0;
}
