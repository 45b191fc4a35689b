/*
 * Two threads write under the read lock: readers exclude no readers.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'price' @raise_price
 */
#include "../program.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int price;

static void *raise_price(void *arg)
{
	pthread_rwlock_rdlock(&lock);
	price++;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a = start(raise_price, NULL), b = start(raise_price, NULL);

	finish(a);
	finish(b);
	return 0;
}
