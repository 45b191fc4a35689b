/*
 * A slot is looked up in one critical section and used in another one: by then it may be somebody else's.
 *
 * FAILS: assertion
 * CAUSE: owner
 * REMEDY: 'm'
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int owner[2] = { 7, 8 }, credit[2];

static int find(int id)
{
	for (int i = 0; i < 2; i++) {
		if (owner[i] == id)
			return i;
	}
	return -1;
}

static void *pay(void *x)
{
	pthread_mutex_lock(&m);
	int at = find(7);
#ifndef FIXED
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	if (at >= 0) {
		credit[at] += 10;
		assert(owner[at] == 7);
	}
	pthread_mutex_unlock(&m);
	return x;
}

static void *replace(void *x)
{
	pthread_mutex_lock(&m);
	int at = find(7);
	owner[at] = 9;
	credit[at] = 0;
	pthread_mutex_unlock(&m);
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, pay, 0);
	pthread_create(&t, 0, replace, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return 0;
}
