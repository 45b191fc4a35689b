/*
 * A lock by exchange that looks at a volatile in between, as in much old code: the exchange may find an older value as
 * often as there is one, but not for ever.
 *
 *   -DNEVER  nobody gives it back
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int lock;
static int count;

static void *add(void *arg)
{
	while (__sync_lock_test_and_set(&lock, 1)) {
		while (lock)
			;
	}
	count++;
#ifndef NEVER
	__sync_lock_release(&lock);
#endif
	return arg;
}

int main(void)
{
	pthread_t s, t;

	pthread_create(&s, NULL, add, NULL);
	pthread_create(&t, NULL, add, NULL);
	pthread_join(s, NULL);
	pthread_join(t, NULL);
	assert(count == 2);
	return 0;
}
