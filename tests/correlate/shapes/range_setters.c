/*
 * The limits of a range are set by two calls, each with the lock; a checker wants them in order.
 * GOOD: one call.
 *
 * EXPECT: extended-race range.low range.high
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static struct { int low, high; } range = { 0, 10 };
static pthread_mutex_t range_lock = PTHREAD_MUTEX_INITIALIZER;
static int outside;

static void set_low(int v)
{
	pthread_mutex_lock(&range_lock);
	range.low = v;
	pthread_mutex_unlock(&range_lock);
}

static void set_high(int v)
{
	pthread_mutex_lock(&range_lock);
	range.high = v;
	pthread_mutex_unlock(&range_lock);
}

static void set_both(int low, int high)
{
	pthread_mutex_lock(&range_lock);
	range.low = low;
	range.high = high;
	pthread_mutex_unlock(&range_lock);
}

static void *move(void *arg)
{
#ifdef GOOD
	set_both(20, 30);
#else
	set_low(20);
	set_high(30);
	if (arg)
		set_both(1, 2);
#endif
	return arg;
}

static void *check(void *arg)
{
	pthread_mutex_lock(&range_lock);
	if (range.low > range.high)
		outside = 1;
	pthread_mutex_unlock(&range_lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	if (pthread_create(&a, NULL, move, NULL) || pthread_create(&b, NULL, check, NULL))
		abort();
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return outside;
}
