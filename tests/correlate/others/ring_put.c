/*
 * A ring: the value is put where the tail points, and the tail is moved on in another section; two
 * producers. GOOD: in one section.
 *
 * EXPECT: extended-race heap
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 16 };

struct ring {
	pthread_mutex_t lock;
	int data[SIZE];
	int tail;
};

static void put(struct ring *r, int v)
{
	pthread_mutex_lock(&r->lock);
	r->data[r->tail] = v;
#ifndef GOOD
	pthread_mutex_unlock(&r->lock);
	pthread_mutex_lock(&r->lock);
#endif
	r->tail = (r->tail + 1) % SIZE;
	pthread_mutex_unlock(&r->lock);
}

static void *producer(void *arg)
{
	for (int i = 1; i < 6; i++)
		put(arg, i);
	return NULL;
}

int main(void)
{
	struct ring *r = calloc(1, sizeof(*r));
	pthread_t a, b;
	int sum = 0;

	pthread_mutex_init(&r->lock, NULL);
	pthread_create(&a, NULL, producer, r);
	pthread_create(&b, NULL, producer, r);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	for (int i = 0; i < SIZE; i++)
		sum += r->data[i];
	printf("%d\n", sum);
	free(r);
	return 0;
}
