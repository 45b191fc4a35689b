/*
 * The consumer takes the whole list under the lock and works on it without: what it took is its own.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

struct event {
	struct event *next;
	int code;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct event *pending;
static int closed;

static void *source(void *arg)
{
	for (int i = 0; i < 30; i++) {
		struct event *e = malloc(sizeof(*e));

		e->code = i;
		pthread_mutex_lock(&lock);
		e->next = pending;
		pending = e;
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	closed = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *sink(void *arg)
{
	long sum = 0;
	int end = 0;

	while (!end) {
		struct event *batch;

		pthread_mutex_lock(&lock);
		batch = pending;
		pending = NULL;
		end = closed;
		pthread_mutex_unlock(&lock);
		while (batch) {
			struct event *e = batch;

			batch = e->next;
			sum += e->code;
			free(e);
		}
		sched_yield();
	}
	*(long *)arg = sum;
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	long sum = 0;

	pthread_create(&a, NULL, source, NULL);
	pthread_create(&b, NULL, sink, &sum);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld\n", sum);
	return 0;
}
