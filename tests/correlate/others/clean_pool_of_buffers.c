/*
 * A pool of buffers: a thread takes one from the free list, fills it without the lock, and puts it on the list of
 * full ones; another takes full ones, adds them up and gives them back. Each buffer is one thread's at a time.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct buffer {
	struct buffer *next;
	int used, data[8];
};

static struct buffer *empty, *full;
static int closed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static struct buffer *take(struct buffer **list)
{
	struct buffer *b;

	pthread_mutex_lock(&lock);
	while (!*list && !closed)
		pthread_cond_wait(&changed, &lock);
	b = *list;
	if (b)
		*list = b->next;
	pthread_mutex_unlock(&lock);
	return b;
}

static void give(struct buffer **list, struct buffer *b)
{
	pthread_mutex_lock(&lock);
	b->next = *list;
	*list = b;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *filler(void *arg)
{
	for (int i = 0; i < 5; i++) {
		struct buffer *b = take(&empty);

		for (b->used = 0; b->used < 8; b->used++)
			b->data[b->used] = i + b->used;
		give(&full, b);
	}
	pthread_mutex_lock(&lock);
	closed = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *adder(void *arg)
{
	struct buffer *b;
	long sum = 0;

	while ((b = take(&full))) {
		for (int i = 0; i < b->used; i++)
			sum += b->data[i];
		give(&empty, b);
	}
	printf("%ld\n", sum);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	for (int i = 0; i < 2; i++)
		give(&empty, calloc(1, sizeof(struct buffer)));
	pthread_create(&a, NULL, filler, NULL);
	pthread_create(&b, NULL, adder, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
