/*
 * An array that is grown while another writes into it. GOOD: with a lock.
 *
 * EXPECT: race array
 * PART
 * ALSO: heap
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *array, room = 2;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *arg)
{
#ifdef GOOD
	pthread_mutex_lock(&m);
#endif
	array[0] = 7;
#ifdef GOOD
	pthread_mutex_unlock(&m);
#endif
	return arg;
}

int main(void)
{
	pthread_t t;

	array = malloc(2 * sizeof(*array));
	pthread_create(&t, NULL, run, NULL);
	pthread_mutex_lock(&m);
	room *= 2;
	array = realloc(array, room * sizeof(*array));
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
