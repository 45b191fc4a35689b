/*
 * A stack by compare-exchange (Treiber). Weakened, the push is relaxed: who pops the node need not see what is in it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAKENED
#define PUSH memory_order_relaxed
#else
#define PUSH memory_order_release
#endif

struct node {
	struct node *_Atomic next;
	atomic_int value;
};

static struct node *_Atomic head;
static struct node nodes[2];

static void push(struct node *n, int value)
{
	struct node *top = atomic_load_explicit(&head, memory_order_relaxed);

	atomic_store_explicit(&n->value, value, memory_order_relaxed);
	do {
		atomic_store_explicit(&n->next, top, memory_order_relaxed);
	} while (!atomic_compare_exchange_strong_explicit(&head, &top, n, PUSH,
							  memory_order_relaxed));
}

static struct node *pop(void)
{
	struct node *top = atomic_load_explicit(&head, memory_order_acquire);

	while (top && !atomic_compare_exchange_strong_explicit(
			      &head, &top, atomic_load_explicit(&top->next, memory_order_relaxed),
			      memory_order_acquire, memory_order_acquire))
		;
	return top;
}

static void *pusher(void *arg)
{
	push(arg, 1 + (int)((struct node *)arg - nodes));
	return NULL;
}

static void *popper(void *arg)
{
	struct node *n = pop();

	if (n)
		assert(atomic_load_explicit(&n->value, memory_order_relaxed) == 1 + n - nodes);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, pusher, &nodes[0]);
	pthread_create(&t[1], NULL, pusher, &nodes[1]);
	pthread_create(&t[2], NULL, popper, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
