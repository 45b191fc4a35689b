/*
 * Two threads add to a counter, reading it and writing it back in two critical sections: in orderly
 * runs it is 2, else it may be 1. What the program makes of that is up to its arguments:
 *
 *   verdicts ORDERLY [OTHERWISE]
 *
 * each of them a way to end: a number is the exit status; crash, assert, term (raises SIGTERM),
 * unlock (a mutex that is not locked), unlock-other (one of another thread, at the same line),
 * race (and status 1), stuck (a deadlock). It writes nothing, which would tell of the counter, too.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, odd = PTHREAD_MUTEX_INITIALIZER;
static int counter, plain;

static void *add(void *arg)
{
	int seen;

	pthread_mutex_lock(&lock);
	seen = counter;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	counter = seen + 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *touch(void *arg)
{
	plain++;
	return NULL;
}

static void *unlock(void *arg)
{
	pthread_mutex_unlock(&odd);
	return NULL;
}

static void two(void *(*fn)(void *))
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, fn, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

static int end(const char *how)
{
	pthread_t t;

	if (!strcmp(how, "crash")) {
		*(volatile int *)NULL = 1;
	} else if (!strcmp(how, "assert")) {
		assert(!"it went wrong");
	} else if (!strcmp(how, "term")) {
		raise(SIGTERM);
	} else if (!strcmp(how, "race")) {
		two(touch);
		return 1;
	} else if (!strcmp(how, "stuck")) {
		pthread_mutex_lock(&odd);
		pthread_mutex_lock(&odd);
	} else if (!strncmp(how, "unlock", 6)) {
		if (how[6])
			pthread_mutex_lock(&odd);
		pthread_create(&t, NULL, unlock, NULL);
		pthread_join(t, NULL);
	} else {
		return atoi(how);
	}
	return 0;
}

int main(int argc, char **argv)
{
	two(add);
	return end(counter == 2 || argc < 3 ? argv[1] : argv[2]);
}
