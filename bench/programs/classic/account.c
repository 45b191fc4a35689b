/*
 * Account: N threads deposit, one withdraws. Bad: the balance is read in one critical section and
 * written in another, so that deposits get lost. Good: in one.
 */
#include "classic.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void change(int by)
{
	int seen;

	pthread_mutex_lock(&lock);
	seen = balance;
	if (is_bad) {
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
	}
	balance = seen + by;
	pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
	change((long)arg < size ? 10 : -50);
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 1, 1, 20);
	run_threads(size + 1, work);
	assert(balance == 100 + 10 * size - 50);
	return 0;
}
