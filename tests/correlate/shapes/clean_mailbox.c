/*
 * The latest value and its number are written together and read together.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value, number;

static void *sender(void *arg)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&lock);
		value = i * 10;
		number++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *receiver(void *arg)
{
	int last = 0, sum = 0;

	for (int i = 0; i < 4; i++) {
		int v, n;

		pthread_mutex_lock(&lock);
		v = value;
		n = number;
		pthread_mutex_unlock(&lock);
		if (n != last)
			sum += v;
		last = n;
	}
	printf("%d\n", sum);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, sender, NULL);
	pthread_create(&b, NULL, receiver, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
