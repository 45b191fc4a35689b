/*
 * Never ends by itself and needs no more memory the longer it runs: locks, a condition variable,
 * a semaphore, atomic counters and locks inside blocks of the heap that come and go, threads that
 * live for a moment, joined and detached.
 *
 *	churn ROUNDS	0: until it is killed
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define WAITING 64

struct item {
	int value, size;
	int users; /* atomic */
	pthread_mutex_t lock;
	char data[];
};

static struct item *waiting[WAITING];
static int nwaiting;
static long taken, bytes, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, less = PTHREAD_COND_INITIALIZER;
static sem_t ended;

static struct item *make(unsigned seed)
{
	int size = (int)(seed >> 8) % 200 + 1;
	struct item *it = malloc(sizeof(*it) + (size_t)size);

	it->value = (int)(seed >> 16);
	it->size = size;
	it->users = 1;
	pthread_mutex_init(&it->lock, NULL);
	for (int i = 0; i < size; i++)
		it->data[i] = (char)(seed + (unsigned)i);
	return it;
}

static void put(struct item *it)
{
	pthread_mutex_lock(&lock);
	while (nwaiting == WAITING)
		pthread_cond_wait(&less, &lock);
	waiting[nwaiting++] = it;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}

static void drop(struct item *it)
{
	if (__atomic_sub_fetch(&it->users, 1, __ATOMIC_ACQ_REL) == 0) {
		pthread_mutex_destroy(&it->lock);
		free(it);
	}
}

static void *take(void *arg)
{
	for (;;) {
		struct item *it;
		long sum = 0;

		pthread_mutex_lock(&lock);
		while (!nwaiting)
			pthread_cond_wait(&more, &lock);
		it = waiting[--nwaiting];
		taken++;
		pthread_cond_signal(&less);
		pthread_mutex_unlock(&lock);
		if (it->value < 0)
			return arg;
		__atomic_add_fetch(&it->users, 1, __ATOMIC_ACQ_REL);
		pthread_mutex_lock(&it->lock);
		for (int i = 0; i < it->size; i++)
			sum += it->data[i];
		it->value += (int)sum;
		pthread_mutex_unlock(&it->lock);
		pthread_mutex_lock(&lock);
		bytes += it->size;
		pthread_mutex_unlock(&lock);
		drop(it);
		drop(it);
	}
}

/* Joined, or not and then waited for: both kinds of threads are to be forgotten. */
static void *brief(void *arg)
{
	struct item *it = make((unsigned)(long)arg);

	pthread_mutex_lock(&lock);
	done += it->size;
	pthread_mutex_unlock(&lock);
	drop(it);
	sem_post(&ended);
	return NULL;
}

static void spawn(unsigned seed)
{
	pthread_t t;

	pthread_create(&t, NULL, brief, (void *)(long)seed);
	if (seed & 0x10000)
		pthread_detach(t);
	else
		pthread_join(t, NULL);
	sem_wait(&ended);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 0;
	unsigned seed = 1;
	pthread_t t[2];

	sem_init(&ended, 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, take, NULL);
	for (long r = 0; !rounds || r < rounds; r++) {
		seed = seed * 1103515245 + 12345;
		put(make(seed & 0x7fffffff));
		if (r % 20 == 0)
			spawn(seed);
	}
	for (int i = 0; i < 2; i++) {
		struct item *it = make(1);

		it->value = -1;
		put(it);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%ld %ld %ld\n", taken, bytes, done);
	return 0;
}
