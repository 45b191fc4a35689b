/*
 * A lock-free list whose nodes are published by a relaxed compare-and-swap.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'nodes[ @push @main
 */
#include "../program.h"

struct node {
	struct node *next;
	int value;
};

static struct node nodes[1], *top;

static void *push(void *arg)
{
	struct node *node = arg, *head = NULL;

	node->value = 1;
	__atomic_compare_exchange_n(&top, &head, node, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	pthread_t t = start(push, &nodes[0]);
	struct node *node;
	int seen;

	while (!(node = __atomic_load_n(&top, __ATOMIC_ACQUIRE)))
		;
	seen = node->value;
	finish(t);
	return seen > 1;
}
