/*
 * A timed wait holds the lock again after a signal and after its time is over.
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
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waited, written;

static void *waiter(void *arg)
{
	struct timespec deadline = in_seconds(CLOCK_REALTIME, 1);

	pthread_mutex_lock(&lock);
	while (!written && pthread_cond_timedwait(&changed, &lock, &deadline) == 0)
		waited++;
	waited += written;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t = start(waiter, NULL), u = start(waiter, NULL);

	pthread_mutex_lock(&lock);
	written = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	finish(t);
	finish(u);
	return 0;
}
