/*
 * Two settings that have nothing to do with each other are set one after the other, with a pause; the other thread
 * uses each for something else.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int volume = 3, brightness = 7;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int loud, bright;

static void *remote(void *arg)
{
	for (int i = 1; i < 4; i++) {
		pthread_mutex_lock(&lock);
		volume = i;
		pthread_mutex_unlock(&lock);
		usleep(1);
		pthread_mutex_lock(&lock);
		brightness = 10 - i;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *set(void *arg)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&lock);
		if (volume > 2)
			loud++;
		if (brightness > 5)
			bright++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, remote, NULL);
	pthread_create(&b, NULL, set, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", loud, bright);
	return 0;
}
