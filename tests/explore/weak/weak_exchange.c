/*
 * Two threads push to a list and take from it by compare-exchanges that may fail for no reason, but not for ever.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
	_Atomic(struct node *) next;
};

static _Atomic(struct node *) top;
static struct node nodes[2];

static void *push(void *arg)
{
	struct node *old = atomic_load(&top), *new = arg;

	do
		new->next = old;
	while (!atomic_compare_exchange_weak(&top, &old, new));
	return NULL;
}

static struct node *pop(void)
{
	struct node *old = atomic_load(&top);

	while (old && !atomic_compare_exchange_weak(&top, &old, old->next))
		;
	return old;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, push, &nodes[0]);
	push(&nodes[1]);
	assert(pop());
	pthread_join(thread, NULL);
	assert(pop());
	assert(!pop());
	return 0;
}
