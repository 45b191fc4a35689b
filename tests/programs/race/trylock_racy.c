/*
 * A failed trylock orders nothing; the lock is held until the thread is joined.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'total' @work @main
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *work(void *arg)
{
	int rc = pthread_mutex_trylock(&lock);

	assert(rc == EBUSY);
	total++;
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_mutex_lock(&lock);
	t = start(work, NULL);
	total++;
	finish(t);
	pthread_mutex_unlock(&lock);
	return 0;
}
