/*
 * A set as a linked list: look whether the key is there, and insert it in a second section if it is not;
 * two threads insert the same keys. GOOD: in one section.
 *
 * EXPECT: extended-race list
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	int key;
	struct node *next;
};

static struct node *list;
static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct node *find(int key)
{
	struct node *n;

	for (n = list; n; n = n->next) {
		if (n->key == key)
			break;
	}
	return n;
}

static void prepend(struct node *n)
{
	n->next = list;
	list = n;
}

static void add(int key)
{
	struct node *n;

	pthread_mutex_lock(&list_mutex);
	n = find(key);
#ifndef GOOD
	pthread_mutex_unlock(&list_mutex);
#endif
	if (!n) {
		n = malloc(sizeof(*n));
		n->key = key;
#ifndef GOOD
		pthread_mutex_lock(&list_mutex);
#endif
		prepend(n);
#ifndef GOOD
		pthread_mutex_unlock(&list_mutex);
#endif
	}
#ifdef GOOD
	pthread_mutex_unlock(&list_mutex);
#endif
}

static void *worker(void *arg)
{
	for (int key = 0; key < 5; key++)
		add(key);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int n = 0;

	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	for (struct node *p = list; p; p = p->next)
		n++;
	printf("%d keys\n", n);
	return 0;
}
