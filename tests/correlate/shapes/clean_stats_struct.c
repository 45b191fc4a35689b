/*
 * Statistics are updated together in one section, and printed one by one: each line stands for
 * itself.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static struct {
	pthread_mutex_t lock;
	long reads, writes, errors;
} stats = { PTHREAD_MUTEX_INITIALIZER, 0, 0, 0 };

static void *serve(void *arg)
{
	for (long i = 0; i < 5; i++) {
		pthread_mutex_lock(&stats.lock);
		stats.reads += i;
		stats.writes += 2;
		if (i == 3)
			stats.errors++;
		pthread_mutex_unlock(&stats.lock);
	}
	return arg;
}

static void line(const char *name, const long *value)
{
	long v;

	pthread_mutex_lock(&stats.lock);
	v = *value;
	pthread_mutex_unlock(&stats.lock);
	printf("%s %ld\n", name, v);
}

static void *show(void *arg)
{
	line("reads", &stats.reads);
	line("writes", &stats.writes);
	line("errors", &stats.errors);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, serve, NULL);
	pthread_create(&b, NULL, show, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
