/*
 * The last item of a list gets a successor in one section, and the pointer to the last one is moved in the next. GOOD: in one.
 *
 * EXPECT: extended-race tail
 * PART
 * ALWAYS: gcc-O0 gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct n { int v; struct n *next; };
static struct n dummy, *tail = &dummy;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void append(int v)
{
	struct n *e = calloc(1, sizeof *e);
	e->v = v;
	pthread_mutex_lock(&m);
	tail->next = e;
#ifndef GOOD
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	tail = e;
	pthread_mutex_unlock(&m);
}
static void *adder(void *arg)
{
	for (int i = 0; i < 5; i++) append((int)(long)arg + i);
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, adder, (void *)10);
	pthread_create(&b, 0, adder, (void *)20);
	pthread_join(a, 0);
	pthread_join(b, 0);
	int n = 0;
	for (struct n *e = dummy.next; e; e = e->next) n++;
	printf("%d\n", n);
	return 0;
}
