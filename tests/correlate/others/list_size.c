/*
 * A list and its size: an element is unlinked in one section and the size lowered in the next; a reader
 * compares both.
 *
 * EXPECT: extended-race list size
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct node {
	struct node *next;
	int v;
};
static struct node *list;
static int size;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *drop(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		struct node *e = list;
		if (e)
			list = e->next;
#ifndef GOOD
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
#endif
		if (e)
			size--;
		pthread_mutex_unlock(&lock);
		free(e);
	}
	return arg;
}
static void *check(void *arg)
{
	int k = 0;
	pthread_mutex_lock(&lock);
	for (struct node *e = list; e; e = e->next)
		k++;
	*(int *)arg = k == size;
	pthread_mutex_unlock(&lock);
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	int ok;
	for (int i = 0; i < 5; i++) {
		struct node *e = malloc(sizeof *e);
		e->next = list;
		e->v = i;
		list = e;
		size++;
	}
	pthread_create(&a, NULL, drop, NULL);
	pthread_create(&b, NULL, check, &ok);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", ok);
	return 0;
}
