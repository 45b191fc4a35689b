/*
 * A wait that timed out orders nothing with what is written outside the lock.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @waiter @main
 */
#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int data; /* not static: the compiler must not know all its values */

static void *waiter(void *arg)
{
	struct timespec deadline = in_seconds(CLOCK_REALTIME, 1);

	pthread_mutex_lock(&lock);
	while (pthread_cond_timedwait(&changed, &lock, &deadline) == 0)
		;
	pthread_mutex_unlock(&lock);
	return (void *)(intptr_t)data;
}

int main(void)
{
	pthread_t t = start(waiter, NULL);

	data = 42;
	finish(t);
	return 0;
}
