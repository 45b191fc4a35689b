/*
 * A new thread gets the stack of a detached one that has ended; nothing orders the two.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int ended;

static void __attribute__((noinline)) fill(char *from, char value)
{
	memset(from, value, 3000);
}

static void *work(void *arg)
{
	char local[3000];

	fill(local, (char)(intptr_t)arg);
	assert(local[2999] == (char)(intptr_t)arg);
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 4; i++) {
		pthread_detach(start(work, (void *)(intptr_t)i));
		while (__atomic_load_n(&ended, __ATOMIC_RELAXED) != i + 1)
			sched_yield();
	}
	return 0;
}
