/*
 * A ring of slots with a bounded phaser: those who wait are done with what lies further back than the
 * bound and one, and no nearer.
 *
 * RUN: run --seed 1..3
 * EXPECT: race slot @produce
 */
#include "../program.h"

#include <heddle/hj.h>

#define BOUND 2
#ifdef FIXED
#define SLOTS (BOUND + 2)
#else
#define SLOTS (BOUND + 1)
#endif

static int slot[SLOTS], sum;

static void produce(void *arg)
{
	for (int i = 0; i < 12; i++) {
		slot[i % SLOTS] = i;
		hj_next();
	}
}

static void consume(void *arg)
{
	for (int i = 0; i < 12; i++) {
		hj_next();
		sum += slot[i % SLOTS];
	}
}

static void root(void *arg)
{
	HJ_FINISH {
		hj_phaser_t *ph = hj_phaser_new_bounded(HJ_SIG_WAIT, BOUND);

		hj_async_phased(produce, NULL, HJ_PHASED({ ph, HJ_SIG }));
		hj_async_phased(consume, NULL, HJ_PHASED({ ph, HJ_WAIT }));
	}
	assert(sum > 0);
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
