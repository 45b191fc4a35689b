/*
 * Attributes that a program asks for are those that its threads have.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

static void *look(void *arg)
{
	size_t wanted = *(size_t *)arg, size;
	pthread_attr_t attr;
	void *base;
	char here;

	assert(pthread_getattr_np(pthread_self(), &attr) == 0);
	assert(pthread_attr_getstack(&attr, &base, &size) == 0);
	assert(size >= wanted);
	assert(&here >= (char *)base && &here < (char *)base + size);
	pthread_attr_destroy(&attr);
	return NULL;
}

int main(void)
{
	size_t size = 1 << 20;
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	assert(pthread_attr_setstacksize(&attr, size) == 0);
	assert(pthread_create(&t, &attr, look, &size) == 0);
	finish(t);
	size = 1;
	look(&size);
	return 0;
}
