/*
 * A lock-free list: nodes are published by a releasing compare-and-swap.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

struct node {
	struct node *next;
	int value;
};

static struct node nodes[2], *top;

static void *push(void *arg)
{
	struct node *node = arg, *head = __atomic_load_n(&top, __ATOMIC_RELAXED);

	node->value = 1;
	do {
		node->next = head;
	} while (
	    !__atomic_compare_exchange_n(&top, &head, node, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	return NULL;
}

int main(void)
{
	pthread_t a = start(push, &nodes[0]), b = start(push, &nodes[1]);

	for (struct node *n = __atomic_load_n(&top, __ATOMIC_ACQUIRE); n; n = n->next)
		assert(n->value == 1);
	return finish(a) != finish(b);
}
