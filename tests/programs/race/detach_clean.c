/*
 * A detached thread tells by a semaphore that it is done.
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

static sem_t done;
static int x;

static void *child(void *arg)
{
	x++;
	sem_post(&done);
	return NULL;
}

int main(void)
{
	sem_init(&done, 0, 0);
	x = 1;
	pthread_detach(start(child, NULL));
	sem_wait(&done);
	assert(x == 2);
	return 0;
}
