/*
 * Two threads sleep for as long (argument 1, in milliseconds), and then add to an account in two critical
 * sections each. For the lost update nobody has to be held up: main only waits for them meanwhile.
 */
#include "../programs/program.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance, nap;

static void *add(void *arg)
{
	int value;

	usleep((unsigned)nap * 1000);
	pthread_mutex_lock(&mutex);
	value = balance;
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&mutex);
	balance = value + 1;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t, u;

	nap = atoi(argv[1]);
	t = start(add, NULL);
	u = start(add, NULL);
	finish(t);
	finish(u);
	assert(balance == 2);
	return 0;
}
