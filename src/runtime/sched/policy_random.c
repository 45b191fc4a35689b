/*
 * random: every possibility alike, at every decision.
 */
#include "policy.h"

static unsigned pick(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur)
{
	return why == HD_PICK_GRANT ? 0 : (unsigned)hd_rng_below(&hd_rt_rng, n);
}

static unsigned number(unsigned n)
{
	return (unsigned)hd_rng_below(&hd_rt_rng, n);
}

const struct hd_policy hd_rt_policy_random = { .name = "random", .pick = pick, .number = number };
