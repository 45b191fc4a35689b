/*
 * What threads return, by return and by pthread_exit, is what join gets; ids differ.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static int deeper(int n)
{
	if (n == 0)
		pthread_exit((void *)42);
	return n > 10 ? 0 : deeper(n - 1) + 1;
}

static void *leave(void *arg)
{
	deeper(10);
	return NULL;
}

static void *identity(void *arg)
{
	assert(!pthread_equal(pthread_self(), *(pthread_t *)arg));
	return arg;
}

int main(void)
{
	pthread_t self = pthread_self(), t = start(identity, &self), u = start(leave, NULL);

	assert(!pthread_equal(t, u));
	assert(pthread_equal(self, pthread_self()));
	assert(finish(u) == (void *)42);
	assert(finish(t) == &self);
	return 0;
}
