/*
 * Threads that wait in loops, for programs of which it is known how many executions differ: waiting NAME N.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST 8

static atomic_int closed = 7, next, serving, word, flag, other_flag, gates[MOST + 1];
static long n; /* threads */
static int guarded;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct tickets {
	atomic_int next, serving;
} tickets, *shared; /* not static, so that it is read again each time */
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t posted, one;

static void *ticket(void *arg)
{
	int me = atomic_fetch_add(&next, 1);

	while (atomic_load(&serving) != me)
		;
	guarded++;
	atomic_store(&serving, me + 1);
	return arg;
}

static void *test_and_set(void *arg)
{
	while (atomic_exchange(&word, 1))
		sched_yield();
	guarded++;
	atomic_store(&word, 0);
	return arg;
}

static void *compare_and_swap(void *arg)
{
	int zero = 0;

	while (!atomic_compare_exchange_strong(&word, &zero, 1))
		zero = 0;
	guarded++;
	atomic_store(&word, 0);
	return arg;
}

/* Test and test-and-set: a round in vain may have looked at a free lock. */
static void *test_first(void *arg)
{
	do {
		while (atomic_load(&word))
			;
	} while (atomic_exchange(&word, 1));
	guarded++;
	atomic_store(&word, 0);
	return arg;
}

static void *test_first_and_swap(void *arg)
{
	int zero;

	do {
		while (atomic_load(&word))
			sched_yield();
		zero = 0;
	} while (!atomic_compare_exchange_strong(&word, &zero, 1));
	guarded++;
	atomic_store(&word, 0);
	return arg;
}

/* Not only a wait: whether a round was in vain is told. */
static void *test_first_and_tell(void *arg)
{
	int again = 0;

	while (atomic_load(&word) || atomic_exchange(&word, 1))
		again = 1;
	guarded++;
	atomic_store(&word, 0);
	if (again)
		atomic_store(&flag, 1);
	return arg;
}

static void *set_both(void *arg)
{
	atomic_store(&flag, 1);
	atomic_store(&other_flag, 1);
	return arg;
}

static void *await_both(void *arg)
{
	while (!atomic_load(&flag) || !atomic_load(&other_flag))
		;
	return arg;
}

/* Two flags that are never set both. */
static void *set_one(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}

/* Rounds of a barrier whose sense is reversed each time. */
static void *sense_barrier(void *arg)
{
	for (int round = 0; round < 2; round++) {
		int sense = atomic_load(&flag);

		if (atomic_fetch_add(&next, 1) == n - 1) {
			atomic_store(&next, 0);
			atomic_store(&flag, !sense);
		} else {
			while (atomic_load(&flag) == sense)
				;
		}
	}
	return arg;
}

/* Semaphores: as a lock, and as a count of what was made. */
static void *down_and_up(void *arg)
{
	sem_wait(&one);
	guarded++;
	sem_post(&one);
	return arg;
}

static void *post_all(void *arg)
{
	for (long i = 0; i < n; i++)
		sem_post(&posted);
	return arg;
}

static void *take_one(void *arg)
{
	sem_wait(&posted);
	return arg;
}

/* Tries for a mutex instead of waiting for it. */
static void *try_lock(void *arg)
{
	while (pthread_mutex_trylock(&mutex))
		sched_yield();
	guarded++;
	pthread_mutex_unlock(&mutex);
	return arg;
}

/* In each round it reads a plain variable, too, which nobody changes any more. */
static void *by_pointer(void *arg)
{
	int me = atomic_fetch_add(&shared->next, 1);

	while (atomic_load(&shared->serving) != me)
		;
	guarded++;
	atomic_store(&shared->serving, me + 1);
	return arg;
}

static void *set(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}

static void *await(void *arg)
{
	while (!atomic_load(&flag))
		;
	return arg;
}

/* Not a wait, though it looks like one from one round to the next. */
static void *count(void *arg)
{
	for (int i = 0; i < 3; i++)
		(void)atomic_load(&flag);
	return arg;
}

/* Whether it had to wait makes a difference: it is told apart. */
static void *remember(void *arg)
{
	int waited = 0;

	while (!atomic_load(&flag))
		waited = 1;
	if (waited)
		atomic_store(&word, 1);
	return arg;
}

/* The first try is made with another number than those after it, which is in a register that calls do not keep. */
static void *try_with_other(void *arg)
{
	int mark = 1;

	while (atomic_fetch_or(&closed, mark) & 4)
		mark = 2;
	return arg;
}

static void *open_it(void *arg)
{
	atomic_store(&closed, 0);
	return arg;
}

/* Which loops it waits in depends on the ticket: some are met late in an exploration. */
static void *gate(void *arg)
{
	int me = atomic_fetch_add(&next, 1);

	while (me & 1 && !atomic_load(&gates[me]))
		;
	while (atomic_load(&serving) != me)
		;
	atomic_store(&serving, me + 1);
	return arg;
}

static void *open_gates(void *arg)
{
	for (int i = 0; i < MOST; i++)
		atomic_store(&gates[i], 1);
	return arg;
}

/* A lock that is never given back. */
static void *keep(void *arg)
{
	while (atomic_exchange(&word, 1))
		;
	return arg;
}

static void *keep_by_swap(void *arg)
{
	int zero = 0;

	while (!atomic_compare_exchange_strong(&word, &zero, 1))
		zero = 0;
	return arg;
}

/* Gives up when it is late enough. */
static void *wait_a_while(void *arg)
{
	time_t end = time(NULL) + 2;

	while (!atomic_load(&flag))
		if (time(NULL) > end)
			abort();
	return arg;
}

/* One try in vain is no round. */
static void *lock_and_wait(void *arg)
{
	pthread_rwlock_wrlock(&rwlock);
	sem_wait(&posted);
	pthread_rwlock_unlock(&rwlock);
	return arg;
}

static void *try_and_post(void *arg)
{
	if (pthread_rwlock_tryrdlock(&rwlock) == 0)
		pthread_rwlock_unlock(&rwlock);
	sem_post(&posted);
	return arg;
}

static const struct program {
	const char *name;
	void *(*first)(void *); /* one thread; NULL: none */
	void *(*others)(void *);
} programs[] = {
	{ "ticket", NULL, ticket },
	{ "test-and-set", NULL, test_and_set },
	{ "compare-and-swap", NULL, compare_and_swap },
	{ "test-first", NULL, test_first },
	{ "test-first-and-swap", NULL, test_first_and_swap },
	{ "test-first-and-tell", NULL, test_first_and_tell },
	{ "both", set_both, await_both },
	{ "never-both", set_one, await_both },
	{ "sense-barrier", NULL, sense_barrier },
	{ "semaphore-lock", NULL, down_and_up },
	{ "semaphore", post_all, take_one },
	{ "try-lock", NULL, try_lock },
	{ "by-pointer", NULL, by_pointer },
	{ "flag", set, await },
	{ "count", set, count },
	{ "remember", set, remember },
	{ "try-with-other", open_it, try_with_other },
	{ "keep", NULL, keep },
	{ "keep-by-swap", NULL, keep_by_swap },
	{ "gates", open_gates, gate },
	{ "a-while", set, wait_a_while },
	{ "try-once", lock_and_wait, try_and_post },
};

static void run(const struct program *p)
{
	pthread_t threads[MOST + 1];

	sem_init(&one, 0, 1);
	if (p->first)
		pthread_create(&threads[0], NULL, p->first, NULL);
	for (long i = 1; i <= n; i++)
		pthread_create(&threads[i], NULL, p->others, NULL);
	for (long i = p->first ? 0 : 1; i <= n; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	n = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

	if (n < 1 || n > MOST)
		return 2;
	shared = &tickets;
	for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(programs[i].name, argv[1]) == 0) {
			run(&programs[i]);
			return 0;
		}
	}
	return 2;
}
