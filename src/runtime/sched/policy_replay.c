/*
 * replay: the decisions of a schedule, one after the other. After the last one,
 * or once the program has left the schedule, the default takes over, and nobody runs for ever.
 */
#include "policy.h"

#include "runtime/observe/findings.h"
#include "runtime/thread/thread.h"

#define SCHEDULE_AT 0x0b0000000000ul

static const uint32_t *choices;
static uint64_t nchoices, next;
static bool diverged;
static struct fiber *gives_way;

static void init(void)
{
	choices =
		hd_rt_policy_input(hd_rt.opt.schedule_fd, SCHEDULE_AT, sizeof(*choices), &nchoices);
}

/* Real time that is given to the world to end a wait that only it can end. */
#define PATIENCE_NS 1000000000

/* Threads that can run are few compared with those that there are. */
static struct fiber *find(uint32_t id)
{
	if (!id)
		return &hd_rt_nobody;
	if (hd_rt.cur->id == id)
		return hd_rt.cur;
	for (uint32_t i = 0; i < hd_rt.nrunnable; i++) {
		if (hd_rt.runnable[i]->id == id)
			return hd_rt.runnable[i];
	}
	return hd_rt_fiber_by_id(id);
}

/* In a wide run: whom the schedule names, unless that cannot be. */
static struct fiber *want(void)
{
	struct fiber *f;

	if (diverged || next >= nchoices)
		return NULL;
	f = find(choices[next]);
	if (!f)
		return NULL;
	if (f->state == HD_F_BLOCKED && f->run_index < 0 && f->wait.deadline == HD_NEVER &&
	    (f->wait.why == HD_TS_IO || f->wait.why == HD_TS_CHILD))
		hd_rt_io_poll(PATIENCE_NS);
	if (f != &hd_rt_nobody && f->run_index < 0 &&
	    !(f->state == HD_F_BLOCKED && f->wait.deadline != HD_NEVER))
		return NULL;
	next++;
	return f;
}

static unsigned pick(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur)
{
	if (!diverged && next < nchoices) {
		uint32_t want = choices[next++];

		for (unsigned i = 0; i < n; i++) {
			if (cand[i]->id == want)
				return i;
		}
		diverged = true;
		hd_rt_diverged(next, want);
	}
	return hd_rt_pick_fairly(why, cand, n, cur, &gives_way);
}

static unsigned number(unsigned n)
{
	uint32_t want;

	if (diverged || next >= nchoices)
		return 0;
	want = choices[next++];
	if (want && want <= n)
		return want - 1;
	diverged = true;
	hd_rt_diverged(next, want);
	return 0;
}

static void yielded(struct fiber *f)
{
	if (diverged || next >= nchoices)
		gives_way = f;
}

void hd_rt_replay_end(void)
{
	if (hd_rt_policy == &hd_rt_policy_replay && !diverged && next < nchoices)
		hd_rt_ended_early(next, nchoices);
}

const struct hd_policy hd_rt_policy_replay = {
	.name = "replay",
	.init = init,
	.pick = pick,
	.number = number,
	.want = want,
	.yielded = yielded,
};
