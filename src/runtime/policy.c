#include "policy.h"

#include "arena.h"

const struct hd_policy *hd_rt_policy = &hd_rt_policy_random;
struct hd_rng hd_rt_rng;

static const struct hd_policy *const policies[] = {
	&hd_rt_policy_random, &hd_rt_policy_pct, &hd_rt_policy_rr, &hd_rt_policy_replay, NULL,
};

const struct hd_policy *hd_rt_policy_find(const char *name)
{
	for (int i = 0; policies[i]; i++) {
		if (hd_rt_strcmp(policies[i]->name, name) == 0)
			return policies[i];
	}
	return NULL;
}

unsigned hd_rt_pick_default(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur)
{
	unsigned best = 0;

	if (why == HD_PICK_WAKE)
		return 0;
	if (cur >= 0)
		return (unsigned)cur;
	for (unsigned i = 1; i < n; i++) {
		if (cand[i]->id < cand[best]->id)
			best = i;
	}
	return best;
}

struct fiber *hd_rt_choose(enum hd_pick why, struct fiber *const *cand, unsigned n)
{
	int cur = -1;
	struct fiber *f;

	if (n == 1)
		return cand[0];
	if (cand == hd_rt.runnable && hd_rt.cur->state == HD_F_RUNNABLE) {
		cur = hd_rt.cur->run_index;
	} else if (why == HD_PICK_RUN && hd_rt.cur->state == HD_F_RUNNABLE) {
		for (unsigned i = 0; i < n; i++) {
			if (cand[i] == hd_rt.cur)
				cur = (int)i;
		}
	}
	f = cand[hd_rt_policy->pick(why, cand, n, cur)];
	hd_rt.choices++;
	hd_rt_event2(HD_OP_CHOICE, 0, f->id, n,
		     (uint16_t)((why == HD_PICK_WAKE ? HD_CHOICE_WAKE : 0) |
				(cur >= 0 ? HD_CHOICE_COULD_GO_ON : 0)));
	return f;
}
