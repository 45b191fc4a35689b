/*
 * Programs for which it is known how many executions differ: counted NAME N.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST 18

static long n;
static atomic_int x, y;
static atomic_int array[MOST + 1];

static void *load(void *arg)
{
	(void)atomic_load(&x);
	return arg;
}

static void *store(void *arg)
{
	atomic_store(&x, 1);
	return arg;
}

static void *add(void *arg)
{
	atomic_fetch_add(&x, 1);
	return arg;
}

/* The same, but it looks how many came before. */
static void *number(void *arg)
{
	(void)arg;
	return (void *)(long)atomic_fetch_add(&x, 1);
}

/* Looks for the last element that is zero. */
static void *look(void *arg)
{
	long i = n;

	while (atomic_load(&array[i]) != 0)
		i--;
	return arg;
}

static void *set_after(void *arg)
{
	long i = (long)arg;

	atomic_store(&array[i], atomic_load(&array[i - 1]) + 1);
	return arg;
}

static void *fibonacci_x(void *arg)
{
	for (long i = 0; i < n; i++)
		atomic_store(&x, atomic_load(&x) + atomic_load(&y));
	return arg;
}

static void *fibonacci_y(void *arg)
{
	for (long i = 0; i < n; i++)
		atomic_store(&y, atomic_load(&x) + atomic_load(&y));
	return arg;
}

static pthread_barrier_t barrier;
int last[MOST + 1];

/* Nobody can tell in which order they came. */
static void *meet(void *arg)
{
	pthread_barrier_wait(&barrier);
	array[(long)arg] = 1;
	pthread_barrier_wait(&barrier);
	return arg;
}

static void *meet_and_look(void *arg)
{
	last[(long)arg] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
	return arg;
}

/* The result is another function's, which somebody looks at. */
static __attribute__((noinline)) int wait_at_barrier(void)
{
	return pthread_barrier_wait(&barrier);
}

static void *meet_by_other(void *arg)
{
	last[(long)arg] = wait_at_barrier() != 0;
	return arg;
}

/* Each sets its own element and looks at the next one's. */
static void *set_and_look(void *arg)
{
	long i = (long)arg;

	atomic_store(&array[i], 1);
	(void)atomic_load(&array[i % n + 1]);
	return arg;
}

static void *set_own(void *arg)
{
	atomic_store(&array[(long)arg], 1);
	return arg;
}

/* Two share an element. */
static void *set_shared(void *arg)
{
	atomic_store(&array[((long)arg + 1) / 2], 1);
	return arg;
}

static void *scan(void *arg)
{
	for (long i = 1; i <= n; i++)
		(void)atomic_load(&array[i]);
	return arg;
}

static void *scan_twice(void *arg)
{
	scan(arg);
	return scan(arg);
}

static void *number_often(void *arg)
{
	long sum = 0;

	(void)arg;
	for (long i = 0; i < n; i++)
		sum += atomic_fetch_add(&x, 1);
	return (void *)sum;
}

static void *store_often(void *arg)
{
	for (long i = 0; i < n; i++)
		atomic_store(&x, 1);
	return arg;
}

static void *load_often(void *arg)
{
	for (long i = 0; i < n; i++)
		(void)atomic_load(&x);
	return arg;
}

static void *store_or_load(void *arg)
{
	return (long)arg == 1 ? store(arg) : load(arg);
}

static void *swap(void *arg)
{
	int zero = 0;

	atomic_compare_exchange_strong(&x, &zero, 1);
	return arg;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *two_sections(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		last[0]++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static const struct program {
	const char *name;
	void *(*first)(void *); /* one thread; NULL: none */
	void *(*others)(void *);
	long count; /* of others; 0: n */
	bool looks; /* main looks at both variables meanwhile */
} programs[] = {
	{ "readers", store, load, 0 },
	{ "increments", NULL, add, 0 },
	{ "numbers", NULL, number, 0 },
	{ "lastzero", look, set_after, 0 },
	{ "barrier", NULL, meet, 0 },
	{ "last", NULL, meet_and_look, 0 },
	{ "last-by-other", NULL, meet_by_other, 0 },
	{ "writers", NULL, store, 0 },
	{ "ring", NULL, set_and_look, 0 },
	{ "pairs", NULL, set_shared, 0 },
	{ "scan", scan, set_own, 0 },
	{ "scan-twice", scan_twice, set_own, 0 },
	{ "turns", number_often, number_often, 1 },
	{ "follow", store_often, load_often, 1 },
	{ "two-writers", store, store_or_load, 0 },
	{ "swap", NULL, swap, 0 },
	{ "sections", NULL, two_sections, 0 },
	{ "fibonacci", fibonacci_x, fibonacci_y, 1, .looks = true },
};

static void run(const struct program *p)
{
	pthread_t threads[MOST + 1];
	long count = p->count ? p->count : n;

	pthread_barrier_init(&barrier, NULL, (unsigned)n);
	if (p->first)
		pthread_create(&threads[0], NULL, p->first, NULL);
	for (long i = 1; i <= count; i++)
		pthread_create(&threads[i], NULL, p->others, (void *)i);
	if (p->looks && atomic_load(&x) + atomic_load(&y) > 1000)
		abort();
	for (long i = p->first ? 0 : 1; i <= count; i++)
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
