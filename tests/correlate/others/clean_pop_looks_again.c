/*
 * Two threads take numbers out of a list. One looks at the first in one critical section, and takes it out in the next if
 * it is still there; the other does both in one.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct object {
	struct object *next;
	int value;
};

static struct object *head;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *careful(void *sum)
{
	struct object *o;
	int found;

	do {
		pthread_mutex_lock(&m);
		o = head;
		pthread_mutex_unlock(&m);
		pthread_mutex_lock(&m);
		found = head == o;
		if (found)
			head = o->next;
		pthread_mutex_unlock(&m);
	} while (!found);
	*(int *)sum = o->value;
	return NULL;
}

static void *quick(void *sum)
{
	struct object *o;

	pthread_mutex_lock(&m);
	o = head;
	head = o->next;
	pthread_mutex_unlock(&m);
	*(int *)sum = o->value;
	return NULL;
}

int main(void)
{
	pthread_t first, second;
	int x, y;

	for (int i = 0; i < 4; i++) {
		struct object *o = malloc(sizeof(*o));

		o->value = i;
		o->next = head;
		head = o;
	}
	pthread_create(&first, NULL, careful, &x);
	pthread_create(&second, NULL, quick, &y);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("%d\n", x + y);
	return 0;
}
