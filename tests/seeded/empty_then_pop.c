/*
 * Whether the stack is empty is asked in one critical section and relied on in another.
 *
 * FAILS: assertion
 * CAUSE: top
 * REMEDY: 'm'
 */
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int st[8], top = 1;

static int empty(void)
{
	pthread_mutex_lock(&m);
	int e = top == 0;
	pthread_mutex_unlock(&m);
	return e;
}

static int pop(void)
{
	pthread_mutex_lock(&m);
#ifdef FIXED
	if (!top) {
		pthread_mutex_unlock(&m);
		return -1;
	}
#endif
	assert(top > 0);
	int v = st[--top];
	pthread_mutex_unlock(&m);
	return v;
}

static void *P(void *x)
{
	if (!empty())
		pop();
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, P, 0);
	pthread_create(&t, 0, P, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return 0;
}
