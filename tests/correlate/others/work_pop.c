/*
 * A work list: the head is looked up in one section and unlinked through its next in another.
 *
 * EXPECT: extended-race head
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct job {
	struct job *next;
	int n;
};
static struct job *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *pop(void)
{
	struct job *j;
	pthread_mutex_lock(&lock);
	j = head;
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	if (!j)
		return NULL;
	pthread_mutex_lock(&lock);
#endif
	if (j)
		head = j->next;
	pthread_mutex_unlock(&lock);
	return j;
}
static void *worker(void *arg)
{
	struct job *j;
	long sum = 0;
	while ((j = pop()))
		sum += j->n;
	*(long *)arg = sum;
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	long s, t;
	for (int i = 0; i < 8; i++) {
		struct job *j = malloc(sizeof *j);
		j->n = i;
		j->next = head;
		head = j;
	}
	pthread_create(&a, NULL, worker, &s);
	pthread_create(&b, NULL, worker, &t);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld\n", s + t);
	return 0;
}
