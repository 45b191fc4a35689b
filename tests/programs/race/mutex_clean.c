/*
 * Both threads take the lock.
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
static int balance;

static void *deposit(void *arg)
{
	pthread_mutex_lock(&lock);
	balance += 10;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t a = start(deposit, NULL), b = start(deposit, NULL);

	finish(a);
	finish(b);
	assert(balance == 20);
	return 0;
}
