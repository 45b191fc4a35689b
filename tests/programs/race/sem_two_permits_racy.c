/*
 * A semaphore with two permits is no lock. Seen when both threads are inside.
 *
 * RUN: run
 * EXPECT: race 'total' @add within 20 seeds
 */
#include "../program.h"
#include <semaphore.h>

static sem_t permits;
static int total;

static void *add(void *arg)
{
	sem_wait(&permits);
	total++;
	sched_yield();
	total++;
	sem_post(&permits);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&permits, 0, 2);
	a = start(add, NULL);
	b = start(add, NULL);
	finish(a);
	finish(b);
	return 0;
}
