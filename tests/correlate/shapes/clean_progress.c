/*
 * Progress is shown while work goes on: two numbers, each by itself.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static int done, failed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	for (int i = 0; i < 6; i++) {
		pthread_mutex_lock(&lock);
		done++;
		if (i == 4)
			failed++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static int peek(const int *p)
{
	int v;

	pthread_mutex_lock(&lock);
	v = *p;
	pthread_mutex_unlock(&lock);
	return v;
}

static void *bar(void *arg)
{
	for (int i = 0; i < 3; i++) {
		int percent = peek(&done) * 100 / 6;

		printf("%d%%\n", percent);
		if (peek(&failed))
			puts("with failures");
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, bar, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
