/*
 * The writer takes the write lock, the reader takes none.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'price' @raise_price @look
 */
#include "../program.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int price;

static void *raise_price(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	price++;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *look(void *arg)
{
	return (void *)(intptr_t)price;
}

int main(void)
{
	pthread_t writer = start(raise_price, NULL), reader = start(look, NULL);

	finish(writer);
	finish(reader);
	return 0;
}
