/*
 * The limit is looked at under one lock and relied on under another, after it was lowered. No variable is
 * accessed without its lock.
 *
 * FAILS: assertion
 * CAUSE: limit
 * REMEDY: 'lm'|a new lock
 */
#include <pthread.h>
#include <assert.h>

static pthread_mutex_t lm = PTHREAD_MUTEX_INITIALIZER, um = PTHREAD_MUTEX_INITIALIZER;
static int limit = 10, used;

static int get_limit(void)
{
	pthread_mutex_lock(&lm);
	int l = limit;
	pthread_mutex_unlock(&lm);
	return l;
}

static void *reserve(void *x)
{
#ifdef FIXED
	pthread_mutex_lock(&lm);
	int l = limit;
	pthread_mutex_lock(&um);
	if (used + 6 <= l)
		used += 6;
	pthread_mutex_unlock(&um);
	pthread_mutex_unlock(&lm);
#else
	int l = get_limit();
	pthread_mutex_lock(&um);
	if (used + 6 <= l)
		used += 6;
	pthread_mutex_unlock(&um);
#endif
	return x;
}

static void *shrink(void *x)
{
	pthread_mutex_lock(&lm);
	pthread_mutex_lock(&um);
	if (used <= 5)
		limit = 5;
	pthread_mutex_unlock(&um);
	pthread_mutex_unlock(&lm);
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, reserve, 0);
	pthread_create(&t, 0, shrink, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(used <= limit);
	return 0;
}
