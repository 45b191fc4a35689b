/*
 * Threads that wait in loops with weak memory orders, for programs of which it is known how many executions differ:
 * weak_waiting NAME N.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MOST		 4
#define LOAD(x, how)	 atomic_load_explicit(&(x), memory_order_##how)
#define STORE(x, v, how) atomic_store_explicit(&(x), v, memory_order_##how)

static atomic_int flag, other_flag, next, serving, word;
static atomic_uint head, tail;
static int guarded, slots[2];
static long n;

static void *set(void *arg)
{
	STORE(flag, 1, release);
	return arg;
}

static void *await(void *arg)
{
	while (!LOAD(flag, acquire))
		;
	return arg;
}

static void *await_relaxed(void *arg)
{
	while (!LOAD(flag, relaxed))
		;
	return arg;
}

static void *set_both(void *arg)
{
	STORE(flag, 1, relaxed);
	STORE(other_flag, 1, relaxed);
	return arg;
}

static void *await_both(void *arg)
{
	while (!LOAD(flag, relaxed) || !LOAD(other_flag, relaxed))
		;
	return arg;
}

static void *ticket(void *arg)
{
	int me = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);

	while (LOAD(serving, acquire) != me)
		;
	guarded++;
	STORE(serving, me + 1, release);
	return arg;
}

static void *compare_and_swap(void *arg)
{
	int zero = 0;

	while (!atomic_compare_exchange_strong_explicit(&word, &zero, 1, memory_order_acquire,
							memory_order_relaxed))
		zero = 0;
	guarded++;
	STORE(word, 0, release);
	return arg;
}

/* The same, but it may fail for no reason. */
static void *compare_and_swap_weak(void *arg)
{
	int zero = 0;

	while (!atomic_compare_exchange_weak_explicit(&word, &zero, 1, memory_order_acquire,
						      memory_order_relaxed))
		zero = 0;
	guarded++;
	STORE(word, 0, release);
	return arg;
}

/* @n messages through two places. */
static void *produce(void *arg)
{
	for (unsigned t = 0; t < n; t++) {
		while (t - LOAD(head, acquire) == 2)
			;
		slots[t & 1] = (int)t;
		STORE(tail, t + 1, release);
	}
	return arg;
}

static void *consume(void *arg)
{
	for (unsigned h = 0; h < n; h++) {
		while (LOAD(tail, acquire) == h)
			;
		assert(slots[h & 1] == (int)h);
		STORE(head, h + 1, release);
	}
	return arg;
}

static const struct program {
	const char *name;
	void *(*first)(void *), *(*others)(void *);
	long others_count; /* 0: as many as asked for */
} programs[] = {
	{ "flag", set, await, 0 },
	{ "flag-relaxed", set, await_relaxed, 0 },
	{ "both", set_both, await_both, 0 },
	{ "ticket", NULL, ticket, 0 },
	{ "compare-and-swap", NULL, compare_and_swap, 0 },
	{ "compare-and-swap-weak", NULL, compare_and_swap_weak, 0 },
	{ "ring", produce, consume, 1 },
	{ "never-both", set, await_both, 0 },
};

static void run(const struct program *p)
{
	pthread_t threads[MOST + 1];
	long others = p->others_count ? p->others_count : n;

	if (p->first)
		pthread_create(&threads[0], NULL, p->first, NULL);
	for (long i = 1; i <= others; i++)
		pthread_create(&threads[i], NULL, p->others, NULL);
	for (long i = p->first ? 0 : 1; i <= others; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	n = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	if (n < 1 || n > MOST)
		return 2;
	for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(programs[i].name, argv[1]) == 0) {
			run(&programs[i]);
			return 0;
		}
	}
	return 2;
}
