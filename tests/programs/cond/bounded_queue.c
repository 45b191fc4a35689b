/*
 * Two producers, two consumers and a queue of three places: every item arrives
 * once, in the order of its producer.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * OUTPUT: sum 19900
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --spurious --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"

#define ITEMS 100
#define PLACES 3

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int queue[PLACES], first, used, taken, sum;
static int last[2] = { -1, -1 };

static void *produce(void *arg)
{
	int base = (int)(intptr_t)arg;

	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&m);
		while (used == PLACES)
			pthread_cond_wait(&not_full, &m);
		queue[(first + used++) % PLACES] = base + i;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

/* With the mutex held. */
static void take_one(void)
{
	int item = queue[first];

	first = (first + 1) % PLACES;
	used--;
	taken++;
	sum += item;
	assert(item > last[item / ITEMS]);
	last[item / ITEMS] = item;
}

static void *consume(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&m);
		while (!used && taken < 2 * ITEMS)
			pthread_cond_wait(&not_empty, &m);
		if (!used)
			break;
		take_one();
		if (taken == 2 * ITEMS)
			pthread_cond_broadcast(&not_empty);
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t[4] = { start(produce, (void *)0), start(produce, (void *)ITEMS),
			   start(consume, NULL), start(consume, NULL) };

	for (int i = 0; i < 4; i++)
		finish(t[i]);
	printf("sum %d\n", sum);
	return 0;
}
