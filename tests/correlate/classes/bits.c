/*
 * Bits of one word. GOOD: members of their own.
 *
 * EXPECT: race s.a|b
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
#ifdef GOOD
	int a, b;
#else
	unsigned a : 4, b : 4;
#endif
} volatile s;

static void *run(void *arg)
{
	s.b++;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	s.a++;
	pthread_join(t, NULL);
	return 0;
}
