/*
 * It takes three steps of three threads in one order to come to the state that is asserted against.
 *
 * FAILS: assertion
 * CAUSE: tok|m
 * REMEDY: none
 */
#include <pthread.h>
#include <assert.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int tok;

static void step(int from, int to)
{
	pthread_mutex_lock(&m);
	if (tok == from)
		tok = to;
	pthread_mutex_unlock(&m);
}

static void *A(void *x)
{
	step(2, 3);
	step(0, 1);
	return x;
}

static void *B(void *x)
{
	step(3, 4);
	step(1, 2);
	return x;
}

static void *C(void *x)
{
	step(4, 5);
#ifdef FIXED
	step(5, 6);
#else
	pthread_mutex_lock(&m);
	int v = tok;
	pthread_mutex_unlock(&m);
	assert(v != 3);
#endif
	return x;
}

int main(void)
{
	pthread_t t[5];
	void *(*f[])(void *) = { A, B, A, C, B };
	for (int i = 0; i < 5; i++)
		pthread_create(t + i, 0, f[i], 0);
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], 0);
	return 0;
}
