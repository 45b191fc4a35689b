/*
 * The first of a list is filled in, and taken out of the list in the next critical section: two threads fill the same
 * one. What is written to the head was read through what the head was before. GOOD: one critical section.
 *
 * EXPECT: extended-race head
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct object {
	struct object *next;
	int a, b;
};

static struct object *head;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static struct object *dequeue_and_fill(int a, int b)
{
	struct object *o;

	pthread_mutex_lock(&m);
	o = head;
	o->a = a;
	o->b = b;
#ifndef GOOD
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	head = o->next;
	pthread_mutex_unlock(&m);
	return o;
}

static void *taker(void *sum)
{
	*(int *)sum = dequeue_and_fill(1, 2)->b;
	return NULL;
}

int main(void)
{
	pthread_t first, second;
	int x, y;

	for (int i = 0; i < 4; i++) {
		struct object *o = calloc(1, sizeof(*o));

		o->next = head;
		head = o;
	}
	pthread_create(&first, NULL, taker, &x);
	pthread_create(&second, NULL, taker, &y);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("%d\n", x + y);
	return 0;
}
