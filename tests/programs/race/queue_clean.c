/*
 * A queue of one item: the item itself is written, read and freed outside the lock.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int *queue;

static void *produce(void *item)
{
	*(int *)item = 42;
	pthread_mutex_lock(&lock);
	queue = item;
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&changed);
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, malloc(sizeof(*queue)));

	pthread_mutex_lock(&lock);
	while (!queue)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	assert(*queue == 42);
	free(queue);
	return finish(t) != NULL;
}
