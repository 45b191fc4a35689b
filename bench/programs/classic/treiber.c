/*
 * Treiber's stack with nodes of its own: one thread takes a node, another one takes two and gives
 * the first one back. Bad: the first thread's compare-and-swap cannot tell the node from itself (ABA),
 * and makes a node the top that is in use. Good: the top has a tag that counts its changes.
 * N: further nodes below.
 */
#include "classic.h"

#define NODES 8

static atomic_int next[NODES + 1], used[NODES + 1]; /* nodes are numbered from 1 */
static atomic_int top;				    /* node, and the tag above it */

static int with_tag(int old, int node)
{
	return is_bad ? node : ((old / 256 + 1) * 256) | node;
}

static void push(int node)
{
	int old = atomic_load(&top);

	atomic_store(&used[node], 0);
	do
		atomic_store(&next[node], old % 256);
	while (!atomic_compare_exchange_strong(&top, &old, with_tag(old, node)));
}

static int pop(void)
{
	int old = atomic_load(&top), node;

	do {
		node = old % 256;
		if (!node)
			return 0;
	} while (!atomic_compare_exchange_strong(&top, &old,
						 with_tag(old, atomic_load(&next[node]))));
	assert(atomic_exchange(&used[node], 1) == 0); /* two have it */
	return node;
}

static void *work(void *arg)
{
	int node;

	if (!arg) {
		pop();
		return NULL;
	}
	node = pop();
	pop();
	if (node)
		push(node);
	pop(); /* the node that was given back, or one below */
	pop();
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 1, 1, NODES - 2);
	for (int i = size + 2; i >= 1; i--)
		push(i);
	run_threads(2, work);
	return 0;
}
