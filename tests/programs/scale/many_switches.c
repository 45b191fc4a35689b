/*
 * Some hundred thousand switches between threads that pass tokens in a ring.
 *
 * RUN: run --seed 1..2
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 */
#include "../program.h"
#include <semaphore.h>

#define THREADS 10
#define ROUNDS 10000

static sem_t turn[THREADS];
static long passed;

static void *pass(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < ROUNDS; i++) {
		sem_wait(&turn[me]);
		assert(passed++ % THREADS == me);
		sem_post(&turn[(me + 1) % THREADS]);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		sem_init(&turn[i], 0, i == 0);
	for (intptr_t i = 0; i < THREADS; i++)
		t[i] = start(pass, (void *)i);
	for (int i = 0; i < THREADS; i++)
		finish(t[i]);
	assert(passed == THREADS * ROUNDS);
	return 0;
}
