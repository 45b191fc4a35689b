/*
 * Permission regions that do not conflict: many readers at once, elements and ranges apart, a
 * region inside one of the same task, and one task after the other.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * OUTPUT: 28 readings, 8 elements
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/hj.h>
#include <stdio.h>

#define READERS 4

static int shared = 7;
static int table[8];
static int readings;

static void reader(void *arg)
{
	hj_acquire_r(&shared);
	hj_yield();
	HJ_ISOLATED
		readings += shared;
	hj_acquire_r(&shared); /* again, inside */
	hj_release_r(&shared);
	hj_yield();
	hj_release_r(&shared);
}

/* Two elements by a range, of which one is written again in a region of its own. */
static void writer(long i, void *arg)
{
	size_t at = 2 * (size_t)i;

	hj_acquire_r_range(table, at, at + 2);
	hj_acquire_w_range(table, at, at + 2);
	table[at] = table[at + 1] = 1;
	hj_yield();
	hj_release_w_range(table, at, at + 2);
	hj_release_r_range(table, at, at + 2);
	hj_acquire_w_at(table, at);
	hj_yield();
	table[at] = 1;
	hj_release_w_at(table, at);
}

static void root(void *arg)
{
	int sum = 0;

	HJ_FINISH {
		for (int i = 0; i < READERS; i++)
			hj_async(reader, NULL);
		hj_acquire_w(table); /* the array as an object is another thing than its elements */
		hj_forall1(&(struct hj_range){ .high = 4 }, writer, NULL);
		hj_release_w(table);
	}
	hj_acquire_w(&shared); /* nobody else is left */
	shared = 0;
	hj_release_w(&shared);
	for (size_t i = 0; i < 8; i++) {
		hj_acquire_r_at(table, i);
		sum += table[i];
		hj_release_r_at(table, i);
	}
	printf("%d readings, %d elements\n", readings, sum);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
