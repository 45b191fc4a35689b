/*
 * Lamport's bakery for N, with sequentially consistent atomics. Bad: nobody waits for those who are
 * just choosing a number, so two with the same one may be inside. Good: as published.
 */
#include "classic.h"

static atomic_int choosing[MAX_THREADS], numbers[MAX_THREADS], inside;

static int choose(void)
{
	int most = 0;

	for (int i = 0; i < size; i++) {
		int n = atomic_load(&numbers[i]);

		most = n > most ? n : most;
	}
	return most + 1;
}

static int goes_first(int i, int me, int mine)
{
	int n = atomic_load(&numbers[i]);

	return n && (n < mine || (n == mine && i < me));
}

static void *work(void *arg)
{
	int me = (int)(long)arg, mine;

	if (!is_bad)
		atomic_store(&choosing[me], 1);
	mine = choose();
	atomic_store(&numbers[me], mine);
	if (!is_bad)
		atomic_store(&choosing[me], 0);
	for (int i = 0; i < size; i++) {
		if (i == me)
			continue;
		while (!is_bad && atomic_load(&choosing[i]))
			;
		while (goes_first(i, me, mine))
			;
	}
	assert(atomic_fetch_add(&inside, 1) == 0);
	atomic_fetch_sub(&inside, 1);
	atomic_store(&numbers[me], 0);
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 2, 2, 4);
	run_threads(size, work);
	return 0;
}
