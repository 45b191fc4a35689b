/*
 * A barrier is destroyed while a thread waits at it.
 *
 * RUN: run --seed 1..20
 * EXPECT: misuse destruction of a barrier @main:DESTROY
 * EXIT: 0
 */
#include "../program.h"

static pthread_barrier_t b;

static void *come(void *arg)
{
	pthread_barrier_wait(&b);
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_barrier_init(&b, NULL, 2);
	t = start(come, NULL);
	sleep(1); /* it waits by then */
	pthread_barrier_destroy(&b); /* DESTROY */
	pthread_barrier_wait(&b);
	finish(t);
	return 0;
}
