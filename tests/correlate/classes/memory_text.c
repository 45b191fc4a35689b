/*
 * A text that is replaced while it is measured. GOOD: with a lock.
 *
 * EXPECT: race x
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char x[32] = "abc";
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile size_t len;

static void *run(void *arg)
{
#ifdef GOOD
	pthread_mutex_lock(&m);
#endif
	len = strlen(x);
#ifdef GOOD
	pthread_mutex_unlock(&m);
#endif
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	pthread_mutex_lock(&m);
	strcpy(x, "defghi");
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
