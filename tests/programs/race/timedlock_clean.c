/*
 * A timed lock that was taken in time orders as a lock does.
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
static int total;

static void *work(void *arg)
{
	struct timespec deadline = in_seconds(CLOCK_REALTIME, 1);

	if (pthread_mutex_timedlock(&lock, &deadline) != 0)
		return NULL;
	total++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a = start(work, &total), b = start(work, &total);
	int taken = (finish(a) != NULL) + (finish(b) != NULL);

	assert(total == taken);
	return 0;
}
