/*
 * A value and its generation are published by a writer in two sections; a reader that sees a new generation
 * uses the value with it. GOOD: in one section.
 *
 * EXPECT: extended-race shared.generation shared.value
 * PART
 */
#include <pthread.h>
#include <stdio.h>

static struct {
	long value;
	unsigned generation;
	pthread_rwlock_t lock;
} shared = { 0, 0, PTHREAD_RWLOCK_INITIALIZER };
static long last;

static void publish(long v)
{
	pthread_rwlock_wrlock(&shared.lock);
	shared.generation++;
#ifndef GOOD
	pthread_rwlock_unlock(&shared.lock);
	pthread_rwlock_wrlock(&shared.lock);
#endif
	shared.value = v;
	pthread_rwlock_unlock(&shared.lock);
}

static void *writer(void *arg)
{
	for (long i = 1; i < 5; i++)
		publish(i * 11);
	return arg;
}

static void *reader(void *arg)
{
	unsigned known = 0;

	for (int i = 0; i < 6; i++) {
		pthread_rwlock_rdlock(&shared.lock);
		if (shared.generation != known) {
			known = shared.generation;
			last = shared.value;
		}
		pthread_rwlock_unlock(&shared.lock);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld\n", last);
	return 0;
}
