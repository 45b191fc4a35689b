/*
 * A condition variable is destroyed while a thread waits for it.
 *
 * RUN: run --seed 1..20
 * EXPECT: misuse destruction of a condition variable @main:DESTROY
 * EXIT: 0
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go;

static void *waiter(void *arg)
{
	pthread_mutex_lock(&m);
	while (!go)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t = start(waiter, NULL);

	sleep(1); /* the waiter waits by then */
	pthread_cond_destroy(&c); /* DESTROY */
	pthread_mutex_lock(&m);
	go = 1;
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	finish(t);
	return 0;
}
