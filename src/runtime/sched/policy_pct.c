/*
 * pct: probabilistic concurrency testing (Burckhardt and others, 2010).
 *
 * Threads get random priorities and the highest runs; at d-1 random steps of a
 * run of k steps the running thread's priority drops below all others. A bug
 * of depth d is found with probability at least 1 / (n * k^(d-1)).
 *
 * A thread that runs for very long while others could may wait for one of them, in a loop that is never the same because it
 * counts or copies: it drops, too.
 */
#include "policy.h"

#include "runtime/memory/arena.h"

#define LONG_TURN 10000u

static uint64_t *change_at; /* step numbers, one for each of pct_depth - 1 changes */
static uint32_t nchanges;
static uint32_t turn; /* so many steps in a row are the current thread's, while others could run */
static uint64_t lowest = UINT64_C(1) << 32; /* priorities at or below this were lowered */

static void init(void)
{
	nchanges = hd_rt.opt.pct_depth > 0 ? hd_rt.opt.pct_depth - 1 : 0;
	change_at = hd_rt_alloc(sizeof(*change_at) * (nchanges + 1));
	for (uint32_t i = 0; i < nchanges; i++)
		change_at[i] = 1 + hd_rng_below(&hd_rt_rng, hd_rt.opt.pct_length);
}

static void spawned(struct fiber *f)
{
	f->policy.priority = (UINT64_C(1) << 33) + (hd_rng_next(&hd_rt_rng) >> 8);
}

static void lower(struct fiber *f)
{
	f->policy.priority = --lowest;
}

static unsigned pick(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur)
{
	unsigned best = 0;

	if (why == HD_PICK_GRANT)
		return 0;
	if (cur >= 0) {
		for (uint32_t i = 0; i < nchanges; i++) {
			if (change_at[i] && change_at[i] <= hd_rt.steps) {
				change_at[i] = 0;
				lower(hd_rt.cur);
			}
		}
		if (n > 1 && ++turn == LONG_TURN)
			lower(hd_rt.cur);
	}
	for (unsigned i = 1; i < n; i++) {
		if (cand[i]->policy.priority > cand[best]->policy.priority)
			best = i;
	}
	if (cur < 0 || best != (unsigned)cur)
		turn = 0;
	return best;
}

static unsigned number(unsigned n)
{
	return (unsigned)hd_rng_below(&hd_rt_rng, n);
}

const struct hd_policy hd_rt_policy_pct = {
	.name = "pct",
	.init = init,
	.pick = pick,
	.number = number,
	.spawned = spawned,
	.yielded = lower,
	.shares_work = true,
};
