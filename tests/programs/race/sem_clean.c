/*
 * Data handed over with post and wait, there and back again.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <semaphore.h>

static sem_t full, empty;
static int data;

static void *produce(void *arg)
{
	for (int i = 1; i <= 3; i++) {
		sem_wait(&empty);
		data = i;
		sem_post(&full);
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	sem_init(&full, 0, 0);
	sem_init(&empty, 0, 1);
	t = start(produce, NULL);
	for (int i = 1; i <= 3; i++) {
		sem_wait(&full);
		assert(data == i);
		sem_post(&empty);
	}
	return finish(t) != NULL;
}
