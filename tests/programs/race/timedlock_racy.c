/*
 * A lock that timed out is not held; the holder keeps it until the thread is joined.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'total' @work @main
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *work(void *arg)
{
	struct timespec deadline = in_seconds(CLOCK_REALTIME, 1);
	int rc = pthread_mutex_timedlock(&lock, &deadline);

	assert(rc == ETIMEDOUT);
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
