/*
 * A wait for a semaphore that nobody posts.
 *
 * RUN: run --seed 1..5
 * EXPECT: deadlock semaphore @waiter:WAIT
 */
#include "../program.h"
#include <semaphore.h>

static sem_t s;

static void *waiter(void *arg)
{
	sem_wait(&s); /* WAIT */
	return NULL;
}

int main(void)
{
	sem_init(&s, 0, 0);
	finish(start(waiter, NULL));
	return 0;
}
