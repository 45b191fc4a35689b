/*
 * The producer posts before it writes.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @produce @main
 */
#include "../program.h"
#include <semaphore.h>

static sem_t full;
int data; /* not static: the compiler must not know all its values */

static void *produce(void *arg)
{
	sem_post(&full);
	data = 42;
	return NULL;
}

int main(void)
{
	pthread_t t;
	int seen;

	sem_init(&full, 0, 0);
	t = start(produce, NULL);
	sem_wait(&full);
	seen = data;
	finish(t);
	return seen < 0;
}
