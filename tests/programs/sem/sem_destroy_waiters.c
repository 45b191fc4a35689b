/*
 * A semaphore is destroyed while a thread waits for it.
 *
 * RUN: run --seed 1..20
 * EXPECT: misuse destruction of a semaphore @main:DESTROY
 * EXIT: 0
 */
#include "../program.h"
#include <semaphore.h>

static sem_t s;

static void *waiter(void *arg)
{
	sem_wait(&s);
	return NULL;
}

int main(void)
{
	pthread_t t;

	sem_init(&s, 0, 0);
	t = start(waiter, NULL);
	sleep(1); /* it waits by then */
	sem_destroy(&s); /* DESTROY */
	sem_post(&s);
	finish(t);
	return 0;
}
