/*
 * A phase orders what came before its signal, however far the signaller is ahead.
 *
 * RUN: run --seed 1..3
 * EXPECT: race cell @reader
 * EXIT: 0
 */
#include "../program.h"

#include <heddle/hj.h>

static int cell[4];

static void writer(void *arg)
{
	for (int i = 0; i < 4; i++) {
		cell[i] = i;
		hj_next();
	}
}

/* It waits for phase i and may read what was written before its signal, not after. */
static void reader(void *arg)
{
	int sum = 0;

	for (int i = 0; i < 3; i++) {
		hj_next();
#ifdef FIXED
		sum += cell[i];
#else
		sum += cell[i + 1];
#endif
	}
	assert(sum >= 0);
}

static void root(void *arg)
{
	hj_phaser_t *ph = hj_phaser_new(HJ_SIG_WAIT);

	hj_async_phased(writer, NULL, HJ_PHASED({ ph, HJ_SIG }));
	hj_async_phased(reader, NULL, HJ_PHASED({ ph, HJ_WAIT }));
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
