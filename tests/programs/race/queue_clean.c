/*
 * A producer and a consumer with a queue of one place.
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
static int *place, values[3];

static int *exchange(int *item)
{
	int *old;

	pthread_mutex_lock(&lock);
	while (!place == !item)
		pthread_cond_wait(&changed, &lock);
	old = place;
	place = item;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return old;
}

static void *produce(void *arg)
{
	for (int i = 0; i < 3; i++) {
		values[i] = i;
		exchange(&values[i]);
	}
	return NULL;
}

int main(void)
{
	pthread_t t = start(produce, NULL);

	for (int i = 0; i < 3; i++)
		assert(*exchange(NULL) == i);
	return finish(t) != NULL;
}
