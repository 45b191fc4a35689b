/*
 * BinaryTrees: trees whose nodes are made by a task each, which makes the tasks for the two below it;
 * after the finish the nodes are counted. Two trees of 255 nodes and two of 7. 525 tasks, no
 * regions.
 *
 * Verdict: no race. A node is made by one task, linked into its parent by that task alone, and read
 * after the finish.
 */
#include <assert.h>
#include <heddle/hj.h>
#include <stdlib.h>

struct node {
	struct node *child[2];
};

struct place {
	struct node **where;
	int depth;
};

static void grow(void *arg)
{
	const struct place *p = arg;
	struct node *n = calloc(1, sizeof(*n));

	if (!n)
		abort();
	*p->where = n;
	for (int i = 0; i < 2 && p->depth > 1; i++) {
		struct place below = { .where = &n->child[i], .depth = p->depth - 1 };

		hj_async_copy(grow, &below, sizeof(below));
	}
}

static int count_and_free(struct node *n)
{
	int nodes;

	if (!n)
		return 0;
	nodes = 1 + count_and_free(n->child[0]) + count_and_free(n->child[1]);
	free(n);
	return nodes;
}

static void root(void *arg)
{
	static const int depths[] = { 8, 8, 3, 3 };
	struct node *trees[4] = { NULL };
	int nodes = 0;

	(void)arg;
	HJ_FINISH {
		for (int i = 0; i < 4; i++) {
			struct place top = { .where = &trees[i], .depth = depths[i] };

			hj_async_copy(grow, &top, sizeof(top));
		}
	}
	for (int i = 0; i < 4; i++)
		nodes += count_and_free(trees[i]);
	assert(nodes == 524);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
