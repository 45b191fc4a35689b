/*
 * Hours and minutes of a clock are read in two sections and made one number; the clock moves both.
 * GOOD: in one.
 *
 * EXPECT: extended-race hour minute
 */
#include <pthread.h>
#include <stdio.h>

static int hour = 1, minute = 58;
static pthread_rwlock_t wheel = PTHREAD_RWLOCK_INITIALIZER;

static void *tick(void *arg)
{
	for (int i = 0; i < 4; i++) {
		pthread_rwlock_wrlock(&wheel);
		if (++minute == 60) {
			minute = 0;
			hour++;
		}
		pthread_rwlock_unlock(&wheel);
	}
	return arg;
}

static void *look(void *arg)
{
	int h, m;

	for (int i = 0; i < 4; i++) {
		pthread_rwlock_rdlock(&wheel);
		h = hour;
#ifndef GOOD
		pthread_rwlock_unlock(&wheel);
		pthread_rwlock_rdlock(&wheel);
#endif
		m = minute;
		pthread_rwlock_unlock(&wheel);
		printf("%d\n", h * 60 + m);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, tick, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
