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

static atomic_int next, serving, word, flag, gates[MOST + 1];
static int guarded;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct tickets {
	atomic_int next, serving;
} tickets, *shared; /* not static, so that it is read again each time */
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t posted;

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
	{ "try-lock", NULL, try_lock },
	{ "by-pointer", NULL, by_pointer },
	{ "flag", set, await },
	{ "count", set, count },
	{ "remember", set, remember },
	{ "keep", NULL, keep },
	{ "gates", open_gates, gate },
	{ "a-while", set, wait_a_while },
	{ "try-once", lock_and_wait, try_and_post },
};

static void run(const struct program *p, long n)
{
	pthread_t threads[MOST + 1];

	if (p->first)
		pthread_create(&threads[0], NULL, p->first, NULL);
	for (long i = 1; i <= n; i++)
		pthread_create(&threads[i], NULL, p->others, NULL);
	for (long i = p->first ? 0 : 1; i <= n; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

	if (n < 1 || n > MOST)
		return 2;
	shared = &tickets;
	for (unsigned i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(programs[i].name, argv[1]) == 0) {
			run(&programs[i], n);
			return 0;
		}
	}
	return 2;
}
