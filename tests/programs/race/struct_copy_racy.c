/*
 * One field is written while the whole structure is copied.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'order @set_amount @main
 */
#include "../program.h"

struct order {
	int items[12], amount;
};

static struct order order, copy;

static void *set_amount(void *arg)
{
	order.amount = 3;
	return NULL;
}

int main(void)
{
	pthread_t t = start(set_amount, NULL);

	copy = order;
	finish(t);
	return copy.amount > 3;
}
