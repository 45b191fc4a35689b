/*
 * A message is replaced: first its text, in the next section its number; a reader compares number and text.
 * GOOD: in one.
 *
 * EXPECT: extended-race text number
 */
#include <pthread.h>
#include <stdio.h>

static long text = 'a', number = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *post(void *arg)
{
	const long *m = arg;

	pthread_mutex_lock(&lock);
	text = m[0];
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	number = m[1];
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *get(void *arg)
{
	long t, n;

	pthread_mutex_lock(&lock);
	t = text;
	n = number;
	pthread_mutex_unlock(&lock);
	if (t - 'a' != n - 1)
		puts("mixed up");
	return arg;
}

int main(void)
{
	pthread_t a, b;
	long m[2] = { 'b', 2 };

	pthread_create(&a, NULL, get, NULL);
	pthread_create(&b, NULL, post, m);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
