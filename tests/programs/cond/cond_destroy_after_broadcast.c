/*
 * POSIX allows it: all waiters have been woken, though none has run since.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go;

static void *waiter(void *arg)
{
	pthread_mutex_lock(&m);
	if (!go)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t = start(waiter, NULL), u = start(waiter, NULL);

	pthread_mutex_lock(&m);
	go = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	assert(pthread_cond_destroy(&c) == 0);
	finish(t);
	finish(u);
	return 0;
}
