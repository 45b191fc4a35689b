/*
 * What exploring is tested on: the first argument says what to do, the second how many threads.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 8

static atomic_int shared, flag, counters[MAX];
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t items;
static int balance = 100, ready;
int plain; /* not static: or else the compiler sees that nobody reads it */

static void *writes(void *arg)
{
	atomic_store(&shared, (int)(long)arg);
	return NULL;
}

static void *reads(void *arg)
{
	return (void *)(long)atomic_load(&shared);
}

static void *alone(void *arg)
{
	atomic_fetch_add(&counters[(long)arg], 1);
	atomic_fetch_add(&counters[(long)arg], 1);
	return NULL;
}

static void *section(void *arg)
{
	pthread_mutex_lock(&first);
	balance++;
	pthread_mutex_unlock(&first);
	return NULL;
}

static void *withdraws(void *arg)
{
	int seen;

	pthread_mutex_lock(&first);
	seen = balance;
	pthread_mutex_unlock(&first);
	pthread_mutex_lock(&first);
	balance = seen - 10;
	pthread_mutex_unlock(&first);
	return NULL;
}

static void *crosses(void *arg)
{
	pthread_mutex_t *a = arg ? &second : &first, *b = arg ? &first : &second;

	pthread_mutex_lock(a);
	pthread_mutex_lock(b);
	pthread_mutex_unlock(b);
	pthread_mutex_unlock(a);
	return NULL;
}

/* The second waits for the first without looking whether it is too late. */
static void *misses(void *arg)
{
	pthread_mutex_lock(&first);
	if (arg)
		pthread_cond_signal(&changed);
	else
		pthread_cond_wait(&changed, &first);
	pthread_mutex_unlock(&first);
	return NULL;
}

static void *meets(void *arg)
{
	pthread_mutex_lock(&first);
	if (arg) {
		ready = 1;
		pthread_cond_signal(&changed);
	}
	while (!ready)
		pthread_cond_wait(&changed, &first);
	pthread_mutex_unlock(&first);
	return NULL;
}

static void *spins(void *arg)
{
	if (arg)
		atomic_store(&flag, 1);
	while (!atomic_load(&flag))
		;
	return NULL;
}

static void *posts(void *arg)
{
	if (arg)
		sem_post(&items);
	else
		sem_wait(&items);
	return NULL;
}

static void *races(void *arg)
{
	if (atomic_fetch_add(&flag, 1) == 1)
		plain = 1; /* only if this thread is the second one */
	else if (!arg)
		plain = 2;
	return NULL;
}

static void start(void *(*fn)(void *), int n)
{
	pthread_t threads[MAX];

	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, fn, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* Either of two that read alike can fail. */
static void look_twice(void)
{
	pthread_t writer;
	bool still;

	pthread_create(&writer, NULL, writes, (void *)1L);
	still = !atomic_load(&shared);
	assert(still);
	still = !atomic_load(&shared);
	assert(still);
	pthread_join(writer, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*fn)(void *);
	} list[] = { { "writes", writes }, { "reads", reads }, { "alone", alone },
		     { "section", section }, { "withdraws", withdraws }, { "crosses", crosses },
		     { "misses", misses }, { "meets", meets }, { "spins", spins },
		     { "posts", posts }, { "races", races } };
	int n = atoi(argv[2]);

	sem_init(&items, 0, 0);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (!strcmp(list[i].name, argv[1]))
			start(list[i].fn, n);
	}
	if (!strcmp(argv[1], "input"))
		start(writes, getchar() == 'a' && getchar() == 'b' ? n : 0);
	if (!strcmp(argv[1], "withdraws"))
		assert(balance == 100 - 10 * n);
	if (!strcmp(argv[1], "looks"))
		look_twice();
	return argc > 3 && atomic_load(&shared) == atoi(argv[3]) ? 3 : 0;
}
