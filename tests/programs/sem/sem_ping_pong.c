/*
 * Two semaphores make two threads take turns.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * OUTPUT: abababab
 */
#include "../program.h"
#include <semaphore.h>

static sem_t turn[2];

static void *say(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < 4; i++) {
		sem_wait(&turn[me]);
		putchar("ab"[me]);
		sem_post(&turn[1 - me]);
	}
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	sem_init(&turn[0], 0, 1);
	sem_init(&turn[1], 0, 0);
	t = start(say, (void *)1);
	u = start(say, (void *)0);
	finish(t);
	finish(u);
	putchar('\n');
	return 0;
}
