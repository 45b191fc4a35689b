/*
 * The field is written and the structure copied under one lock.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

struct order {
	int items[12], amount;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct order order, copy;

static void *set_amount(void *arg)
{
	pthread_mutex_lock(&lock);
	order.amount = 3;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t = start(set_amount, NULL);

	pthread_mutex_lock(&lock);
	copy = order;
	pthread_mutex_unlock(&lock);
	finish(t);
	return copy.amount > 3;
}
