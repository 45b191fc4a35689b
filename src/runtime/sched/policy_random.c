/*
 * random: every possibility alike, at every decision.
 *
 * With a memory model, what is rare then are chains: a thread does several things in a row, the
 * next reads what it wrote, and only the last reads something older. So in every other run threads
 * stay for a while, and in every other one of these most loads read the newest value. Both are a
 * matter of chance at each decision: nobody is kept from running, nor from reading what is there.
 */
#include "policy.h"

#include "runtime/weak/weak.h"

static bool stays, reads_newest;

static void init(void)
{
	if (!hd_rt_is_weak())
		return;
	stays = hd_rng_below(&hd_rt_rng, 2);
	reads_newest = stays && hd_rng_below(&hd_rt_rng, 2);
}

static unsigned pick(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur)
{
	if (stays && why == HD_PICK_RUN && cur >= 0 && hd_rng_below(&hd_rt_rng, 4))
		return (unsigned)cur;
	return why == HD_PICK_GRANT ? 0 : (unsigned)hd_rng_below(&hd_rt_rng, n);
}

static unsigned number(unsigned n)
{
	if (reads_newest && hd_rng_below(&hd_rt_rng, 2))
		return 0;
	return (unsigned)hd_rng_below(&hd_rt_rng, n);
}

const struct hd_policy hd_rt_policy_random = {
	.name = "random", .init = init, .pick = pick, .number = number
};
