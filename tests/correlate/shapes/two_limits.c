/*
 * A limit is read in one section, what is used in the next, and what is left is stored; the other thread
 * changes both. GOOD: in one.
 *
 * EXPECT: extended-race quota.limit quota.used quota.left
 * PART
 */
#include <pthread.h>

static struct {
	pthread_mutex_t lock;
	long limit, used, left;
} quota = { PTHREAD_MUTEX_INITIALIZER, 100, 40, 60 };

static long limit(void)
{
	long v;

	pthread_mutex_lock(&quota.lock);
	v = quota.limit;
	pthread_mutex_unlock(&quota.lock);
	return v;
}

static void *refresh(void *arg)
{
#ifdef GOOD
	pthread_mutex_lock(&quota.lock);
	quota.left = quota.limit - quota.used;
	pthread_mutex_unlock(&quota.lock);
#else
	long l = limit();

	pthread_mutex_lock(&quota.lock);
	quota.left = l - quota.used;
	pthread_mutex_unlock(&quota.lock);
#endif
	return arg;
}

static void *reset(void *arg)
{
	pthread_mutex_lock(&quota.lock);
	quota.limit = 10;
	quota.used = 0;
	quota.left = 10;
	pthread_mutex_unlock(&quota.lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, reset, NULL);
	pthread_create(&b, NULL, refresh, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return limit() != 10;
}
