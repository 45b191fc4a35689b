/*
 * main is gone; the others wait for each other.
 *
 * RUN: run --seed 1..5
 * EXPECT: deadlock @waits:WAIT
 */
#include "../program.h"
#include <semaphore.h>

static sem_t s;

static void *waits(void *arg)
{
	sem_wait(&s); /* WAIT */
	return NULL;
}

int main(void)
{
	sem_init(&s, 0, 0);
	start(waits, NULL);
	start(waits, NULL);
	pthread_exit(NULL);
}
