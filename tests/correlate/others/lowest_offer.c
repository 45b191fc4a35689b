/*
 * The lowest price so far is asked for, and in the next section replaced if the offer is better. Of the
 * second thread no offer is, in this run. GOOD: in one section.
 *
 * EXPECT: extended-race lowest
 * WHY: Another thread runs the same code
 * PART
 * ALSO: shop
 */
#include <pthread.h>
#include <stdio.h>

static int lowest = 1000, shop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void offer(int price, int from)
{
	int now;

	pthread_mutex_lock(&lock);
	now = lowest;
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (price < now) {
		lowest = price;
		shop = from;
	}
	pthread_mutex_unlock(&lock);
}

static void *cheap(void *arg)
{
	for (int i = 0; i < 3; i++)
		offer(50 - i, i);
	return arg;
}

static void *dear(void *arg)
{
	for (int i = 0; i < 3; i++)
		offer(80 + i, 10 + i);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, cheap, NULL);
	pthread_create(&b, NULL, dear, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", lowest, shop);
	return 0;
}
