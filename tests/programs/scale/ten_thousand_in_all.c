/*
 * Ten thousand threads in all, ten at a time, half of them detached.
 *
 * RUN: run
 * EXPECT: clean
 * OUTPUT: 10000
 */
#include "../program.h"
#include <semaphore.h>

static sem_t places;
static int count;

static void *work(void *arg)
{
	__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
	if (arg)
		sem_post(&places);
	return NULL;
}

int main(void)
{
	pthread_t t[5];

	sem_init(&places, 0, 5);
	for (int round = 0; round < 1000; round++) {
		for (int i = 0; i < 5; i++) {
			sem_wait(&places);
			pthread_detach(start(work, &places));
			t[i] = start(work, NULL);
		}
		for (int i = 0; i < 5; i++)
			finish(t[i]);
	}
	for (int i = 0; i < 5; i++)
		sem_wait(&places);
	printf("%d\n", count);
	return 0;
}
