/*
 * Tasks registered to signal and wait go through the phases together, and with a single statement
 * between them that one of them runs while nobody else does.
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

#define TASKS 4
#define PHASES 5

static int cell[PHASES + 1][TASKS], singles, in_phase;

static void step(void *arg)
{
	assert(in_phase == singles);
	in_phase = ++singles;
}

static void work(void *arg)
{
	long me = (long)arg;

	for (int p = 0; p < PHASES; p++) {
		cell[p + 1][me] = cell[p][me] + cell[p][(me + 1) % TASKS] + 1;
		if (p % 2)
			hj_next_single(step, NULL);
		else
			hj_next();
		assert(in_phase == (p + 1) / 2);
	}
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_phaser_t *ph = hj_phaser_new(HJ_SIG_WAIT_SINGLE);

		for (long i = 0; i < TASKS; i++)
			hj_async_phased(work, (void *)i, HJ_PHASED({ ph, HJ_SIG_WAIT_SINGLE }));
	}
	for (int i = 0; i < TASKS; i++)
		assert(cell[PHASES][i] == (1 << PHASES) - 1);
	assert(singles == PHASES / 2);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
