/*
 * Items are put into a list and taken out of it, each in one section, the list walked by a pointer to the pointer.
 *
 * EXPECT: none
 * ALWAYS: clang-O2
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct node { int key; struct node *next; };
static struct node *head;
static int count;
static pthread_mutex_t mtx = PTHREAD_MUTEX_INITIALIZER;
static void add(int key)
{
	struct node *n = malloc(sizeof *n);
	n->key = key;
	pthread_mutex_lock(&mtx);
	n->next = head;
	head = n;
	count++;
	pthread_mutex_unlock(&mtx);
}
static int remove_key(int key)
{
	struct node **pp;
	pthread_mutex_lock(&mtx);
	for (pp = &head; *pp && (*pp)->key != key; pp = &(*pp)->next)
		;
	struct node *n = *pp;
	if (n) {
		*pp = n->next;
		count--;
	}
	pthread_mutex_unlock(&mtx);
	return n != NULL;
}
static void *worker(void *arg)
{
	int from = *(int *)arg;
	for (int i = 0; i < 4; i++) add(from + i);
	for (int i = 0; i < 4; i++) remove_key(from + i);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	int from[2] = { 0, 100 };
	for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, &from[i]);
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	printf("%d left\n", count);
	return 0;
}
