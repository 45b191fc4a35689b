/*
 * A message has a count and a setting, each read for itself. The thread that replaces the setting counts in another
 * critical section; so nothing that it does has both.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static int level = 1, changes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int get(const int *value)
{
	int n;

	pthread_mutex_lock(&lock);
	n = *value;
	pthread_mutex_unlock(&lock);
	return n;
}

static void *control(void *arg)
{
	for (int i = 2; i < 6; i++) {
		pthread_mutex_lock(&lock);
		level = i * 10;
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		changes++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *show(void *arg)
{
	char text[64];

	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "level %d, changed %d times", get(&level),
			 get(&changes));
		puts(text);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, control, NULL);
	pthread_create(&b, NULL, show, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
