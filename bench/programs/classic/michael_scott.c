/*
 * The queue of Michael and Scott with nodes of its own, which are used again at once. There are N
 * items; one thread takes one, another one takes one, puts one and takes N. Bad: links have no tags, so
 * the head may be the same node again while others are in between (ABA), and an item is taken
 * twice. Good: with tags.
 */
#include "classic.h"

#define NODES 8

static atomic_int next[NODES], values[NODES]; /* next: node, and its tag */
static atomic_int head, tail, taken[NODES + 1];

static int node_of(int link)
{
	return link % 256;
}

static int link_to(int old, int node)
{
	return is_bad ? node : ((old / 256 + 1) * 256) | node;
}

/* Each thread makes nodes of those that it took out, so there is nothing to compete for. */
static void put(int node, int value)
{
	int last, after;

	atomic_store(&values[node], value);
	atomic_store(&next[node], link_to(atomic_load(&next[node]), 0));
	for (;;) {
		last = atomic_load(&tail);
		after = atomic_load(&next[node_of(last)]);
		if (atomic_load(&tail) != last)
			continue;
		if (node_of(after)) {
			atomic_compare_exchange_strong(&tail, &last, link_to(last, node_of(after)));
			continue;
		}
		if (atomic_compare_exchange_strong(&next[node_of(last)], &after,
						   link_to(after, node)))
			break;
	}
	atomic_compare_exchange_strong(&tail, &last, link_to(last, node));
}

/* The value, 0: there is none. *@node can be used again. */
static int take(int *node)
{
	for (;;) {
		int first = atomic_load(&head), last = atomic_load(&tail);
		int after = atomic_load(&next[node_of(first)]), value;

		if (atomic_load(&head) != first)
			continue;
		if (node_of(first) == node_of(last)) {
			if (!node_of(after))
				return 0;
			atomic_compare_exchange_strong(&tail, &last, link_to(last, node_of(after)));
			continue;
		}
		value = atomic_load(&values[node_of(after)]);
		if (atomic_compare_exchange_strong(&head, &first, link_to(first, node_of(after)))) {
			*node = node_of(first);
			return value;
		}
	}
}

static void use(int value)
{
	if (value)
		assert(atomic_fetch_add(&taken[value], 1) == 0);
}

static void *work(void *arg)
{
	int node = 0;

	if (!arg) {
		use(take(&node));
		return NULL;
	}
	use(take(&node));
	put(node, size + 1);
	for (int i = 0; i < size; i++) {
		int other;

		use(take(&other));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int node;

	read_arguments(argc, argv, 2, 2, 4);
	atomic_store(&head, 1); /* an empty node, as published */
	atomic_store(&tail, 1);
	for (int i = 1; i <= size; i++)
		put(1 + i, i);
	run_threads(2, work);
	for (int value; (value = take(&node)) != 0;)
		use(value);
	return 0;
}
