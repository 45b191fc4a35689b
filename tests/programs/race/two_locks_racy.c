/*
 * Each thread holds a lock, but not the same one.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'balance' @add
 */
#include "../program.h"

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int balance;

static void *add(void *lock)
{
	pthread_mutex_lock(lock);
	balance += 10;
	pthread_mutex_unlock(lock);
	return NULL;
}

int main(void)
{
	pthread_t a = start(add, &locks[0]), b = start(add, &locks[1]);

	finish(a);
	finish(b);
	return 0;
}
