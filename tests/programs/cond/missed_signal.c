/*
 * The waiter does not look before it waits: a signal that came earlier is lost.
 *
 * RUN: run
 * EXPECT: deadlock @main:WAIT within 20 seeds
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *notify(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t = start(notify, NULL);

	pthread_mutex_lock(&m);
	pthread_cond_wait(&c, &m); /* WAIT */
	pthread_mutex_unlock(&m);
	finish(t);
	return 0;
}
