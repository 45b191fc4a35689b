/*
 * A mutex is destroyed while another thread holds it.
 *
 * RUN: run --seed 1..20
 * EXPECT: misuse destruction of a mutex @main:DESTROY
 * EXIT: 0
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t b;

static void *holder(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_barrier_wait(&b);
	pthread_barrier_wait(&b);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_barrier_init(&b, NULL, 2);
	t = start(holder, NULL);
	pthread_barrier_wait(&b);
	pthread_mutex_destroy(&m); /* DESTROY */
	pthread_barrier_wait(&b);
	finish(t);
	return 0;
}
