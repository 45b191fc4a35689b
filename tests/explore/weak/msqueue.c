/*
 * The queue of Michael and Scott. Weakened, linking a node is relaxed.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAKENED
#define LINK memory_order_relaxed
#else
#define LINK memory_order_release
#endif

struct node {
	struct node *_Atomic next;
	atomic_int value;
};

static struct node first, node;
static struct node *_Atomic head = &first, *_Atomic tail = &first;

static void *enqueue(void *arg)
{
	struct node *last, *none;

	atomic_store_explicit(&node.value, 7, memory_order_relaxed);
	for (;;) {
		last = atomic_load_explicit(&tail, memory_order_acquire);
		none = NULL;
		if (atomic_compare_exchange_strong_explicit(&last->next, &none, &node, LINK,
							    memory_order_relaxed))
			break;
		atomic_compare_exchange_strong_explicit(&tail, &last, none, memory_order_release,
							memory_order_relaxed);
	}
	atomic_compare_exchange_strong_explicit(&tail, &last, &node, memory_order_release,
						memory_order_relaxed);
	return NULL;
}

static void *dequeue(void *arg)
{
	struct node *h = atomic_load_explicit(&head, memory_order_acquire);
	struct node *next = atomic_load_explicit(&h->next, memory_order_acquire);

	if (next && atomic_compare_exchange_strong_explicit(&head, &h, next, memory_order_release,
							    memory_order_relaxed))
		assert(atomic_load_explicit(&next->value, memory_order_relaxed) == 7);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, enqueue, NULL);
	pthread_create(&t[1], NULL, dequeue, NULL);
	pthread_create(&t[2], NULL, dequeue, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
