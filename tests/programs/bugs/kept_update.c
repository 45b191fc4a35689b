/*
 * What lost_update.c should do: one critical section.
 *
 * RUN: run --seed 1..50
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..50
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;

static void *deposit(void *arg)
{
	pthread_mutex_lock(&m);
	balance += 10;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t = start(deposit, NULL), u = start(deposit, NULL);

	finish(t);
	finish(u);
	assert(balance == 30);
	return 0;
}
