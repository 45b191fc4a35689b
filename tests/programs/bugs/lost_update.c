/*
 * A balance is read and written back in two critical sections, so a deposit is lost.
 *
 * RUN: run
 * EXPECT: assertion balance == 30 @main:CHECK within 20 seeds
 * NEVER: deadlock
 * EXIT: SIGABRT
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;

static int get(void)
{
	int value;

	pthread_mutex_lock(&m);
	value = balance;
	pthread_mutex_unlock(&m);
	return value;
}

static void set(int value)
{
	pthread_mutex_lock(&m);
	balance = value;
	pthread_mutex_unlock(&m);
}

static void *deposit(void *arg)
{
	set(get() + 10);
	return NULL;
}

int main(void)
{
	pthread_t t = start(deposit, NULL), u = start(deposit, NULL);

	finish(t);
	finish(u);
	assert(balance == 30); /* CHECK */
	return 0;
}
