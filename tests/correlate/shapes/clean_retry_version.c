/*
 * A computation without the lock is thrown away if the version has changed since.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned version;
static int input = 3, output;

static void *derive(void *arg)
{
	for (;;) {
		unsigned seen;
		int in, out;

		pthread_mutex_lock(&lock);
		seen = version;
		in = input;
		pthread_mutex_unlock(&lock);
		out = in * in;
		pthread_mutex_lock(&lock);
		if (version == seen) {
			output = out;
			version++;
			pthread_mutex_unlock(&lock);
			return arg;
		}
		pthread_mutex_unlock(&lock);
	}
}

static void *change(void *arg)
{
	pthread_mutex_lock(&lock);
	input = 5;
	output = 25;
	version++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, derive, NULL);
	pthread_create(&b, NULL, change, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", output);
	return 0;
}
