/*
 * A producer that only signals, ahead of consumers that only wait by at most the bound; a task that
 * comes later and one that leaves early; signal and wait apart; several phasers in one task.
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

#define ITEMS 6
#define BOUND 2

static int item[ITEMS], consumed[2], dropped_at;
static _Atomic int produced, slowest;
static int left[8], right[8];

static void produce(void *arg)
{
	for (int i = 0; i < ITEMS; i++) {
		item[i] = i + 1;
		hj_next();
		produced++;
	}
}

static void consume(void *arg)
{
	int *sum = arg;

	for (int i = 0; i < ITEMS; i++) {
		hj_next();
		*sum += item[i];
		slowest = i;
	}
}

static void bounded(void)
{
	HJ_FINISH {
		hj_phaser_t *ph = hj_phaser_new_bounded(HJ_SIG_WAIT, BOUND);

		hj_async_phased(produce, ph, HJ_PHASED({ ph, HJ_SIG }));
		hj_async_phased(consume, &consumed[0], HJ_PHASED({ ph, HJ_WAIT }));
		hj_async_phased(consume, &consumed[1], HJ_PHASED({ ph, HJ_WAIT }));
		hj_phaser_drop(ph);
	}
	assert(consumed[0] == 21 && consumed[1] == 21);
}

static void stays(void *arg)
{
	hj_phaser_t *ph = arg;

	for (int i = 0; i < 4; i++) {
		hj_phaser_signal(ph);
		hj_phaser_wait(ph);
		assert(hj_phaser_phase(ph) >= (unsigned long)i + 1);
	}
	assert(dropped_at == 2);
}

static void leaves(void *arg)
{
	hj_phaser_next(arg);
	hj_phaser_next(arg);
	dropped_at = 2;
	hj_phaser_drop(arg);
}

static void comes(void *arg)
{
	hj_phaser_register(arg, HJ_SIG_WAIT);
	hj_next();
}

static void come_and_go(void)
{
	HJ_FINISH {
		hj_phaser_t *ph = hj_phaser_new(HJ_SIG_WAIT);

		hj_async_phased(stays, ph, HJ_PHASED({ ph, HJ_SIG_WAIT }));
		hj_async_phased(leaves, ph, HJ_PHASED({ ph, HJ_SIG_WAIT }));
		hj_async(comes, ph);
	}
}

/* Each waits for its neighbours only: a chain of phasers. */
static void link_of(void *arg)
{
	long i = (long)arg;

	for (int p = 0; p < 3; p++) {
		left[i] = p + 1;
		hj_next();
		if (i > 0)
			assert(left[i - 1] >= p + 1);
		right[i] = p + 1;
		hj_next();
	}
}

static void chain(void)
{
	HJ_FINISH {
		hj_phaser_t *ph[4];

		for (int i = 0; i < 4; i++)
			ph[i] = hj_phaser_new(HJ_SIG_WAIT);
		for (long i = 0; i < 4; i++) {
			if (i)
				hj_async_phased(link_of, (void *)i,
						HJ_PHASED({ ph[i], HJ_SIG_WAIT },
							  { ph[i - 1], HJ_SIG_WAIT }));
			else
				hj_async_phased(link_of, (void *)i, HJ_PHASED({ ph[0], HJ_SIG_WAIT }));
		}
	}
}

static void root(void *arg)
{
	bounded();
	come_and_go();
	chain();
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
