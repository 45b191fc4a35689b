/*
 * A free list in an array: its head is read in one section and replaced by the next node in another. GOOD: in one. A node that is
 * taken and put back is none that was read before: the variable behind the array is no part of it.
 *
 * EXPECT: extended-race head
 * PART
 */
#include <pthread.h>
#include <stdio.h>
struct node {
	struct node *next;
	int owner;
};
static struct node pool[16], *head;
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static struct node *take(void)
{
	pthread_mutex_lock(&mu);
	struct node *n = head;
#ifndef GOOD
	pthread_mutex_unlock(&mu);
	if (!n)
		return NULL;
	pthread_mutex_lock(&mu);
	head = n->next;
#else
	if (n)
		head = n->next;
#endif
	pthread_mutex_unlock(&mu);
	return n;
}
static void give(struct node *n)
{
	pthread_mutex_lock(&mu);
	n->next = head;
	head = n;
	pthread_mutex_unlock(&mu);
}
static void *churn(void *arg)
{
	for (int i = 0; i < 8; i++) {
		struct node *a = take(), *b = take();
		if (b)
			give(b);
		if (a)
			give(a);
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	int n = 0;
	for (int i = 0; i < 16; i++) {
		pool[i].next = head;
		head = &pool[i];
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, churn, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (struct node *p = head; p && n < 100; p = p->next)
		n++;
	printf("%d\n", n);
	return 0;
}
