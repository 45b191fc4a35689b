/*
 * A doubly linked list and the number of its nodes, changed one after the other in two sections; a checker
 * walks the list and compares. GOOD: in one section.
 *
 * EXPECT: extended-race list.first list.count
 * PART
 * MISSED: gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct link {
	struct link *prev, *next;
	int payload;
};

static struct {
	struct link *first, *last;
	unsigned count;
	pthread_mutex_t mutex;
} list = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static unsigned mismatches;

static void append(int payload)
{
	struct link *l = calloc(1, sizeof(*l));

	l->payload = payload;
	pthread_mutex_lock(&list.mutex);
	l->prev = list.last;
	if (list.last)
		list.last->next = l;
	else
		list.first = l;
	list.last = l;
#ifndef GOOD
	pthread_mutex_unlock(&list.mutex);

	pthread_mutex_lock(&list.mutex);
#endif
	list.count++;
	pthread_mutex_unlock(&list.mutex);
}

static void *writer(void *arg)
{
	for (int i = 0; i < 5; i++)
		append(i);
	return arg;
}

static void *checker(void *arg)
{
	unsigned n = 0;

	pthread_mutex_lock(&list.mutex);
	for (const struct link *l = list.first; l; l = l->next)
		n++;
	if (n != list.count)
		mismatches++;
	pthread_mutex_unlock(&list.mutex);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, checker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%u, %u mismatches\n", list.count, mismatches);
	return 0;
}
