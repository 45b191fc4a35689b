/*
 * Two threads load a part of the configuration each, and a third one uses it without waiting for both.
 *
 * FAILS: assertion
 * CAUSE: parts|m
 * REMEDY: none
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int parts;

static void *load(void *x)
{
	pthread_mutex_lock(&m);
	parts += *(int *)x;
	pthread_mutex_unlock(&m);
	return x;
}

static void *use(void *x)
{
	pthread_mutex_lock(&m);
	int has = parts;
	pthread_mutex_unlock(&m);
#ifdef FIXED
	if (has != 3)
		return x;
#endif
	assert(has == 0 || has == 3);
	return x;
}

int main(void)
{
	pthread_t t[3];
	int one = 1, two = 2;
	pthread_create(t, 0, load, &one);
	pthread_create(t + 1, 0, load, &two);
	pthread_create(t + 2, 0, use, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
