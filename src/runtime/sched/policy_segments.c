/*
 * segments: a schedule of which pieces may be missing (trace/segments.h). A segment's thread runs for
 * so many decisions, or until it cannot go on; a segment whose thread cannot run is passed over, and so
 * is the rest of one without an end whose thread waits for others in a loop; after the last one, fairly.
 * Never diverges.
 */
#include "policy.h"

#include "trace/segment.h"

#define SEGMENTS_AT 0x0b8000000000ul

static const struct hd_segment *segments;
static uint64_t nsegments, at;
static uint32_t used; /* decisions of the segment at @at */
static struct fiber *gives_way;

static void init(void)
{
	segments = hd_rt_policy_input(hd_rt.opt.segments_fd, SEGMENTS_AT, sizeof(*segments),
				      &nsegments);
	for (uint64_t i = 0; i < nsegments; i++)
		hd_rt.opt.wide |= (segments[i].thread & HD_SEGMENT_WIDE) != 0;
}

static int index_of(struct fiber *const *cand, unsigned n, uint32_t id)
{
	for (unsigned i = 0; i < n; i++) {
		if (cand[i]->id == id)
			return (int)i;
	}
	return -1;
}

/* One who never waits must not keep the others from running for ever. */
#define LONG_TURN 10000u

/* Does the segment without an end go round in a loop, while others could run? */
static bool is_in_vain(struct fiber *f, unsigned n, const struct hd_segment *s)
{
	return s->count == HD_SEGMENT_ON && n > 1 && f->run_index >= 0 &&
	       (hd_rt_is_spinning(f) || used > LONG_TURN);
}

/* Can the segment be followed now? By which candidate? -1: no. */
static int candidate(struct fiber *const *cand, unsigned n, const struct hd_segment *s)
{
	bool time = s->thread & HD_SEGMENT_TIME;
	int i;

	if (s->thread & (HD_SEGMENT_WAKE | HD_SEGMENT_READ))
		return -1;
	i = index_of(cand, n, hd_segment_thread(s));
	if (i < 0)
		return -1;
	/*
	 * That nobody runs is the default's answer where nobody can do anything of use, and a plan's where
	 * a timer is waited for.
	 */
	if (!hd_segment_thread(s))
		return hd_rt.timer_due != HD_NEVER ||
				       (int)hd_rt_pick_default(HD_PICK_RUN, cand, n, -1) == i
			       ? i
			       : -1;
	return (cand[i]->run_index < 0) == time ? i : -1;
}

/* A notification in the middle of a segment is the one that comes after it in the list. */
static unsigned pick_waiter(struct fiber *const *cand, unsigned n)
{
	uint64_t i = at + (at < nsegments && !(segments[at].thread & HD_SEGMENT_WAKE));
	int found;

	if (i >= nsegments || !(segments[i].thread & HD_SEGMENT_WAKE))
		return 0;
	at = i + 1;
	used = 0;
	found = index_of(cand, n, hd_segment_thread(&segments[i]));
	return found >= 0 ? (unsigned)found : 0;
}

static unsigned pick(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur)
{
	if (why != HD_PICK_RUN)
		return pick_waiter(cand, n);
	for (; at < nsegments; at++, used = 0) {
		int i;

		if (used >= segments[at].count)
			continue;
		i = candidate(cand, n, &segments[at]);
		if (i < 0 || is_in_vain(cand[i], n, &segments[at]))
			continue;
		used++;
		return (unsigned)i;
	}
	return hd_rt_pick_fairly(why, cand, n, cur, &gives_way);
}

static unsigned number(unsigned n)
{
	const uint32_t who = hd_rt.cur->id | HD_SEGMENT_READ;
	const uint32_t nth = hd_rt.cur->weak.nth & ((UINT32_C(1) << HD_SEGMENT_KTH) - 1);

	for (uint64_t i = 0; i < nsegments; i++) {
		uint32_t kth = segments[i].count >> HD_SEGMENT_KTH;

		if (segments[i].thread == who &&
		    (segments[i].count & ((UINT32_C(1) << HD_SEGMENT_KTH) - 1)) == nth)
			return kth < n ? kth : n - 1;
	}
	return 0;
}

static void yielded(struct fiber *f)
{
	gives_way = f;
}

const struct hd_policy hd_rt_policy_segments = {
	.name = "segments",
	.init = init,
	.pick = pick,
	.number = number,
	.yielded = yielded,
};
