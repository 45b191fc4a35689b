/*
 * One thread takes the lock, the other does not: no order between them.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'balance' @deposit @peek
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void *deposit(void *arg)
{
	pthread_mutex_lock(&lock);
	balance += 10;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *peek(void *arg)
{
	return (void *)(intptr_t)balance;
}

int main(void)
{
	pthread_t writer = start(deposit, NULL), reader = start(peek, NULL);

	finish(writer);
	finish(reader);
	return 0;
}
