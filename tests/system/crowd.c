/*
 * N threads that all wait for one thing: crowd WHAT N. Prints how often the runtime looked at a waiter to let
 * all of them go on, and what they have counted.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const uint64_t *const heddle_debug_queue_looks;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static pthread_t *threads;
static const char *what;
static int begun, counted;

static void *wait_for_it(void *arg)
{
	long me = (long)arg;

	if (!strcmp(what, "sem"))
		sem_wait(&sem);
	if (!strcmp(what, "rwlock")) {
		pthread_rwlock_wrlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
	}
	if (!strcmp(what, "join") && me)
		pthread_join(threads[me - 1], NULL);
	pthread_mutex_lock(&mutex);
	while (!begun && (!strcmp(what, "signal") || !strcmp(what, "broadcast")))
		pthread_cond_wait(&cond, &mutex);
	if (!strcmp(what, "timed")) {
		const struct timespec soon = { time(NULL) + 1, 0 };

		while (!begun && pthread_cond_timedwait(&cond, &mutex, &soon) == 0)
			;
	}
	counted++;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void let_go(int n)
{
	pthread_mutex_lock(&mutex);
	begun = strcmp(what, "timed") != 0;
	if (!strcmp(what, "broadcast"))
		pthread_cond_broadcast(&cond);
	for (int i = 0; i < n && !strcmp(what, "signal"); i++)
		pthread_cond_signal(&cond);
	for (int i = 0; i < n && !strcmp(what, "sem"); i++)
		sem_post(&sem);
	pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[2]) : 0;

	if (n < 1)
		return 2;
	what = argv[1];
	threads = calloc((size_t)n, sizeof(*threads));
	sem_init(&sem, 0, 0);
	if (!strcmp(what, "mutex") || !strcmp(what, "join"))
		pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	for (long i = 0; i < n; i++) {
		if (pthread_create(&threads[i], NULL, wait_for_it, (void *)i) != 0)
			return 2;
	}
	pthread_rwlock_unlock(&rwlock);
	if (!strcmp(what, "mutex") || !strcmp(what, "join"))
		pthread_mutex_unlock(&mutex);
	let_go(n);
	for (int i = strcmp(what, "join") ? 0 : n - 1; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%d %llu\n", counted, (unsigned long long)*heddle_debug_queue_looks);
	return 0;
}
