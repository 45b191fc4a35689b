/*
 * A block is published in one critical section and filled in the next one.
 *
 * FAILS: assertion
 * CAUSE: text|heap block
 * REMEDY: 'm'
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *text;
static int seen, first;

static void *make(void *x)
{
	pthread_mutex_lock(&m);
	text = calloc(1, 8);
#ifndef FIXED
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	text[0] = 'B';
	pthread_mutex_unlock(&m);
	return x;
}

static void *look(void *x)
{
	pthread_mutex_lock(&m);
	if (text) {
		seen = 1;
		first = text[0];
	}
	pthread_mutex_unlock(&m);
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, make, 0);
	pthread_create(&t, 0, look, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	assert(!seen || first == 'B');
	free(text);
	return 0;
}
