/*
 * A deferred cancellation ends a thread at each kind of cancellation point, whether
 * it comes before or while the thread waits there.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int pipe_fds[2];
static pthread_t sleeper;

static void *in_sleep(void *arg)
{
	for (;;)
		sleep(1000);
	return NULL;
}

static void unlock(void *arg)
{
	/* POSIX: the mutex is held again when the handler runs. */
	assert(pthread_mutex_unlock(&m) == 0);
}

static void *in_cond_wait(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlock, NULL);
	for (;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *in_cond_timedwait(void *arg)
{
	struct timespec year = in_seconds(CLOCK_REALTIME, 365 * 86400);

	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlock, NULL);
	pthread_cond_timedwait(&c, &m, &year);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *in_sem_wait(void *arg)
{
	sem_wait(&s);
	return NULL;
}

static void *in_read(void *arg)
{
	char byte;

	assert(read(pipe_fds[0], &byte, 1) == 0);
	return NULL;
}

static void *in_join(void *arg)
{
	pthread_join(sleeper, NULL);
	return NULL;
}

static void *in_testcancel(void *arg)
{
	for (;;)
		pthread_testcancel();
	return NULL;
}

static void *in_nanosleep(void *arg)
{
	struct timespec day = { .tv_sec = 86400 };

	nanosleep(&day, NULL);
	return NULL;
}

int main(void)
{
	void *(*points[])(void *) = { in_sleep,    in_cond_wait, in_cond_timedwait, in_sem_wait,
				      in_read,     in_join,      in_testcancel,     in_nanosleep };

	assert(pipe(pipe_fds) == 0);
	sem_init(&s, 0, 0);
	sleeper = start(in_sleep, NULL);
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		pthread_t t = start(points[i], NULL);

		if (points[i] != in_testcancel)
			sched_yield();
		assert(pthread_cancel(t) == 0);
		assert(finish(t) == PTHREAD_CANCELED);
	}
	assert(pthread_mutex_trylock(&m) == 0);
	/* The cancelled join must leave the thread joinable. */
	assert(pthread_cancel(sleeper) == 0);
	assert(finish(sleeper) == PTHREAD_CANCELED);
	return 0;
}
