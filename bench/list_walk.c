/*
 * List walk: every read depends on the one before, but few enough nodes to stay in
 * a cache. Two threads walk the same lists again and again.
 *
 *   list_walk [NODES] [TIMES]      prints the sum both threads found
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LISTS 8

struct node {
	struct node *next;
	uint64_t value;
};

static struct node *heads[LISTS];
static size_t times;

static void *walk(void *arg)
{
	uint64_t sum = 0;

	for (size_t t = 0; t < times; t++)
		for (int l = 0; l < LISTS; l++)
			for (const struct node *n = heads[l]; n; n = n->next)
				sum += n->value;
	*(uint64_t *)arg = sum;
	return NULL;
}

/* A full cycle through the slots with a stride prime to their number, cut into lists. */
static struct node *build(size_t count)
{
	struct node *nodes = calloc(count, sizeof(*nodes));
	size_t at = 0, stride = count / 3 * 2 + 1;

	if (!nodes)
		exit(1);
	while (count % stride == 0 || stride % 3 == 0 || stride % 5 == 0)
		stride += 2;
	for (size_t i = 0; i < count; i++) {
		struct node *n = &nodes[at];

		n->value = i % 100;
		n->next = heads[i % LISTS];
		heads[i % LISTS] = n;
		at = (at + stride) % count;
	}
	return nodes;
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1024;
	uint64_t sum[2] = {0, 0};
	struct node *nodes;
	pthread_t thread[2];

	times = argc > 2 ? strtoull(argv[2], NULL, 10) : 12000;
	nodes = build(count);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, walk, &sum[i]))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	printf("list_walk %zu x %zu: %llu %llu\n", count, times, (unsigned long long)sum[0],
	       (unsigned long long)sum[1]);
	free(nodes);
	return 0;
}
