/*
 * The rate of a meter is computed of two counters that are read in two sections; the meter is
 * reset in one. GOOD: in one.
 *
 * EXPECT: extended-race units seconds
 */
#include <pthread.h>
#include <stdio.h>

static double units = 30, seconds = 10;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double value(const double *of)
{
	double v;

	pthread_mutex_lock(&lock);
	v = *of;
	pthread_mutex_unlock(&lock);
	return v;
}

static void *read_meter(void *arg)
{
	double rate;

#ifdef GOOD
	pthread_mutex_lock(&lock);
	rate = units / seconds;
	pthread_mutex_unlock(&lock);
#else
	rate = value(&units) / value(&seconds);
#endif
	printf("%g\n", rate);
	return arg;
}

static void *reset(void *arg)
{
	pthread_mutex_lock(&lock);
	units = 1;
	seconds = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, read_meter, NULL);
	pthread_create(&b, NULL, reset, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%g\n", value(&units));
	return 0;
}
