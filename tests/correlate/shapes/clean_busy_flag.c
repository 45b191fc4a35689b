/*
 * A long operation marks the device busy, works in several sections, and marks it free again;
 * others turn away.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static struct {
	pthread_mutex_t lock;
	int busy, speed, position;
} device = { PTHREAD_MUTEX_INITIALIZER, 0, 1, 0 };

static int move(int by)
{
	int from;

	pthread_mutex_lock(&device.lock);
	if (device.busy) {
		pthread_mutex_unlock(&device.lock);
		return -1;
	}
	device.busy = 1;
	from = device.position;
	pthread_mutex_unlock(&device.lock);
	pthread_mutex_lock(&device.lock);
	device.position = from + by;
	device.speed = from;
	device.busy = 0;
	pthread_mutex_unlock(&device.lock);
	return 0;
}

static void *driver(void *arg)
{
	for (int i = 0; i < 3; i++)
		move(i + 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, driver, NULL);
	pthread_create(&b, NULL, driver, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", device.position);
	return 0;
}
