/*
 * The limits of a range are set in two sections; another asks "v >= lo && v <= hi" in one.
 *
 * EXPECT: extended-race lo hi
 * PART
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int lo = 0, hi = 10;
int hits;
static void set_range(int a, int b)
{
	pthread_mutex_lock(&m);
	lo = a;

#ifndef GOOD
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	hi = b;
	pthread_mutex_unlock(&m);
}
static int inside(int v)
{
	pthread_mutex_lock(&m);
	int r = v >= lo && v <= hi;
	pthread_mutex_unlock(&m);
	return r;
}
static void *setter(void *x)
{
	set_range(20, 30);
	set_range(40, 50);
	return x;
}
static void *user(void *x)
{
	for (int i = 0; i < 14; i++)
		hits += inside(i * 5);
	return x;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, setter, (void *)1);
	pthread_create(&t[1], 0, user, (void *)2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
