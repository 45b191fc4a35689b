/*
 * A block made by one thread, used and freed by another, and made again.
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
static int *box;

static void *consume(void *arg)
{
	for (int i = 0; i < 5; i++) {
		sem_wait(&full);
		assert(*box == i);
		free(box);
		sem_post(&empty);
	}
	return NULL;
}

int main(void)
{
	pthread_t t = start(consume, (sem_init(&full, 0, 0), sem_init(&empty, 0, 0), NULL));

	for (int i = 0; i < 5; i++) {
		box = malloc(sizeof(*box));
		*box = i;
		sem_post(&full);
		sem_wait(&empty);
	}
	return finish(t) != NULL;
}
