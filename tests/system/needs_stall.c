/*
 * Two threads add to an account in two critical sections each. The second one begins after a sleep
 * (argument 1, in milliseconds), so the update is only lost if the first one is held up in the
 * middle for as long.
 */
#include "../programs/program.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance, nap;

static int get(void)
{
	int value;

	pthread_mutex_lock(&mutex);
	value = balance;
	pthread_mutex_unlock(&mutex);
	return value;
}

static void put(int value)
{
	pthread_mutex_lock(&mutex);
	balance = value;
	pthread_mutex_unlock(&mutex);
}

static void *first(void *arg)
{
	put(get() + 1);
	return NULL;
}

static void *second(void *arg)
{
	if (nap)
		usleep((unsigned)nap * 1000);
	put(get() + 1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t, u;

	nap = argc > 1 ? atoi(argv[1]) : 0;
	t = start(first, NULL);
	u = start(second, NULL);
	finish(t);
	finish(u);
	assert(balance == 2);
	return 0;
}
