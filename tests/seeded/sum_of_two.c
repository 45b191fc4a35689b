/*
 * A transfer takes two critical sections, and so does the sum.
 *
 * FAILS: exit
 * CAUSE: acc|m
 * REMEDY: 'm\[[01]\]'|a new lock
 */
#include <pthread.h>

static pthread_mutex_t m[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int acc[2] = { 50, 50 };
static int bad;
#ifdef FIXED
static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER;
#endif

static void add(int i, int d)
{
	pthread_mutex_lock(&m[i]);
	acc[i] += d;
	pthread_mutex_unlock(&m[i]);
}

static int get(int i)
{
	pthread_mutex_lock(&m[i]);
	int v = acc[i];
	pthread_mutex_unlock(&m[i]);
	return v;
}

static void *move(void *x)
{
#ifdef FIXED
	pthread_mutex_lock(&g);
#endif
	add(0, -10);
	add(1, 10);
#ifdef FIXED
	pthread_mutex_unlock(&g);
#endif
	return x;
}

static void *audit(void *x)
{
#ifdef FIXED
	pthread_mutex_lock(&g);
#endif
	if (get(0) + get(1) != 100)
		bad = 1;
#ifdef FIXED
	pthread_mutex_unlock(&g);
#endif
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, move, 0);
	pthread_create(&t, 0, audit, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return bad;
}
