/*
 * A clock's minute carries into its hour; the display formats both, read by two getters.
 *
 * EXPECT: extended-race now.minute now.hour
 */
#include <pthread.h>
#include <stdio.h>
static struct {
	int hour, minute;
} now = { 9, 58 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifndef GOOD
static int hour(void)
{
	pthread_mutex_lock(&lock);
	int h = now.hour;
	pthread_mutex_unlock(&lock);
	return h;
}
static int minute(void)
{
	pthread_mutex_lock(&lock);
	int m = now.minute;
	pthread_mutex_unlock(&lock);
	return m;
}
#endif
static void *tick(void *arg)
{
	(void)arg;
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&lock);
		if (++now.minute == 60) {
			now.minute = 0;
			now.hour++;
		}
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}
static void *display(void *arg)
{
	char text[16];
#ifdef GOOD
	pthread_mutex_lock(&lock);
	int h = now.hour, m = now.minute;
	pthread_mutex_unlock(&lock);
	snprintf(text, sizeof text, "%02d:%02d", h, m);
#else
	snprintf(text, sizeof text, "%02d:%02d", hour(), minute());
#endif
	puts(text);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, tick, NULL);
	pthread_create(&b, NULL, display, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
