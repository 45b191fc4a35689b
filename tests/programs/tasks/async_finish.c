/*
 * A finish waits for the tasks made in it, in these, and so on: what they wrote is there after it,
 * without any other synchronisation.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/hj.h>

#define DEPTH 4
#define WIDTH 3

static int made, ran[1000];

static void tree(void *arg)
{
	long depth = (long)arg, number = 0;

	HJ_ISOLATED
		number = made++;
	if (depth < DEPTH) {
		for (int i = 0; i < WIDTH; i++)
			hj_async(tree, (void *)(depth + 1));
	}
	ran[number]++;
}

static void inner(void *arg)
{
	*(int *)arg = 1;
}

static void root(void *arg)
{
	int nodes = 0, level = 1, first = 0, second = 0;

	HJ_FINISH
		tree(NULL);
	for (int i = 0; i <= DEPTH; i++, level *= WIDTH)
		nodes += level;
	assert(made == nodes);
	for (int i = 0; i < nodes; i++)
		assert(ran[i] == 1);

	/* Nested: the inner one waits for its own only, the outer one for both. */
	hj_finish_begin();
	hj_async(inner, &first);
	HJ_FINISH
		hj_async(inner, &second);
	assert(second == 1);
	hj_finish_end();
	assert(first == 1);
	*(int *)arg = 7;
}

int main(void)
{
	int done = 0;

	hj_launch(root, &done);
	assert(done == 7 && hj_task_number() == 0);
	return 0;
}
