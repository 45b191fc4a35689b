/*
 * Destructors of thread-specific data: called for values that are not null, with
 * the value already cleared, again while values come back, at most
 * PTHREAD_DESTRUCTOR_ITERATIONS times, and not for a deleted key.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <limits.h>

static pthread_key_t plain, chained, stubborn, deleted, silent;
static int plain_calls, chained_calls, stubborn_calls, deleted_calls;

static void on_plain(void *value)
{
	assert(value == &plain_calls);
	assert(pthread_getspecific(plain) == NULL);
	plain_calls++;
}

static void on_chained(void *value)
{
	chained_calls++;
	if (value != &chained)
		pthread_setspecific(chained, &chained); /* one more round */
}

static void on_stubborn(void *value)
{
	stubborn_calls++;
	pthread_setspecific(stubborn, value);
}

static void on_deleted(void *value)
{
	deleted_calls++;
}

static void *worker(void *arg)
{
	assert(pthread_getspecific(plain) == NULL);
	assert(pthread_setspecific(plain, &plain_calls) == 0);
	assert(pthread_setspecific(chained, &plain) == 0);
	assert(pthread_setspecific(stubborn, &stubborn) == 0);
	assert(pthread_setspecific(deleted, &deleted) == 0);
	assert(pthread_setspecific(silent, &silent) == 0);
	assert(pthread_key_delete(deleted) == 0);
	assert(pthread_getspecific(silent) == &silent);
	return NULL;
}

static void *does_nothing(void *arg)
{
	assert(pthread_setspecific(plain, NULL) == 0);
	return NULL;
}

int main(void)
{
	assert(pthread_key_create(&plain, on_plain) == 0);
	assert(pthread_key_create(&chained, on_chained) == 0);
	assert(pthread_key_create(&stubborn, on_stubborn) == 0);
	assert(pthread_key_create(&deleted, on_deleted) == 0);
	assert(pthread_key_create(&silent, NULL) == 0);
	finish(start(worker, NULL));
	assert(plain_calls == 1);
	assert(chained_calls == 2);
	assert(stubborn_calls == PTHREAD_DESTRUCTOR_ITERATIONS);
	assert(deleted_calls == 0);
	finish(start(does_nothing, NULL));
	assert(plain_calls == 1);
	assert(pthread_key_delete(deleted) == EINVAL);
	assert(pthread_setspecific(deleted, &plain) == EINVAL);
	return 0;
}
