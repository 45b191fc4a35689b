/*
 * The lock is let go before the object is used up: the second thread frees it too early.
 *
 * RUN: run --seed 1..5
 * EXPECT: race @use
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users = 2;

static void *use(void *object)
{
	int left;

	pthread_mutex_lock(&lock);
	left = --users;
	pthread_mutex_unlock(&lock);
	((char *)object)[32] = (char)left;
	if (!left)
		free(object);
	return NULL;
}

int main(void)
{
	void *object = calloc(1, 64);
	pthread_t a = start(use, object), b = start(use, object);

	finish(a);
	finish(b);
	return 0;
}
