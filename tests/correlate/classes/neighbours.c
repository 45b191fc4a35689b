/*
 * Members side by side, each of one thread.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	char a, b;
	short c;
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
	s.c++;
	pthread_join(t, NULL);
	return 0;
}
