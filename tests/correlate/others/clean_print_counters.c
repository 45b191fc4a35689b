/*
 * A monitor prints counters one by one, each read under the lock when it is its turn. They are not used together.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long served, refused, bytes;

static void *server(void *arg)
{
	for (int i = 0; i < 30; i++) {
		pthread_mutex_lock(&lock);
		if (i % 7 == 3) {
			refused++;
		} else {
			served++;
			bytes += (unsigned long)i * 100;
		}
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void show(const char *what, const unsigned long *counter)
{
	unsigned long n;

	pthread_mutex_lock(&lock);
	n = *counter;
	pthread_mutex_unlock(&lock);
	printf("%s: %lu\n", what, n);
}

static void *monitor(void *arg)
{
	for (int i = 0; i < 3; i++) {
		show("served", &served);
		show("refused", &refused);
		show("bytes", &bytes);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, server, NULL);
	pthread_create(&b, NULL, monitor, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
