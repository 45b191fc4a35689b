/*
 * The largest element is found in one section, its place overwritten in the next; another thread clears
 * all. GOOD: in one.
 *
 * EXPECT: extended-race v
 */
#include <pthread.h>

#define N 4

static int v[N] = { 3, 8, 5, 1 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *halve_largest(void *arg)
{
	int at = 0, largest;

	pthread_mutex_lock(&lock);
	for (int i = 1; i < N; i++) {
		if (v[i] > v[at])
			at = i;
	}
	largest = v[at];
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	v[at] = largest / 2;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *clear(void *arg)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < N; i++)
		v[i] = 0;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, halve_largest, NULL);
	pthread_create(&b, NULL, clear, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return v[1] == 8;
}
