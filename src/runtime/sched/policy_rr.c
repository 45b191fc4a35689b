/*
 * rr: round robin, a fixed number of scheduling points each. No randomness, but for
 * one thing: threads that step aside for each other in lockstep (try a lock, give
 * up, try again) would do so for ever, so when nothing has moved for a while the
 * order is shaken.
 */
#include "policy.h"

#define LOCKSTEP 1000u /* scheduling points without a write, an end or any I/O */

static uint32_t used; /* scheduling points of the current fiber's turn */
static bool give_up;

static unsigned pick(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur)
{
	unsigned next = 0, first = 0;
	bool found = false;

	if (why != HD_PICK_RUN)
		return 0;
	if (hd_rt.steps - hd_rt.calm_step > LOCKSTEP)
		return (unsigned)hd_rng_below(&hd_rt_rng, n);
	if (cur >= 0 && !give_up && ++used < hd_rt.opt.rr_quantum)
		return (unsigned)cur;
	used = 0;
	give_up = false;
	/* The next higher number, else the lowest. */
	for (unsigned i = 0; i < n; i++) {
		if (cand[i]->id < cand[first]->id)
			first = i;
		if (cand[i]->id > hd_rt.cur->id && (!found || cand[i]->id < cand[next]->id)) {
			next = i;
			found = true;
		}
	}
	return found ? next : first;
}

static void yielded(struct fiber *f)
{
	give_up = f == hd_rt.cur;
}

const struct hd_policy hd_rt_policy_rr = {
	.name = "rr", .pick = pick, .yielded = yielded, .shares_work = true
};
