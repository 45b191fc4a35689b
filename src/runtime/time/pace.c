/*
 * Time passes with work.
 *
 * The virtual clock moves by what threads do: a nanosecond for each access that the compiler told of
 * and some for each call that synchronises, about as on a real machine. Threads that could run at the
 * same time would do so there, so time is divided by their number, up to CORES. Counted are hooks
 * and scheduling points, which are the same whatever is recorded and analysed, so the clock of a
 * replay is that of the run.
 *
 * A program here runs slower than natively. One that works for a second until somebody wakes up
 * would need a minute: so the longer somebody has slept, the faster time passes. For the first STEADY
 * nanoseconds of its sleeps it keeps the pace, then it runs as many times faster as the sleeps are
 * longer than that. So n times that long a sleep takes not n, but about 1 + ln n times the work.
 */
#include "runtime/rt.h"

#include "runtime/sched/policy.h"

#define CORES_SHIFT 2		       /* 4 */
#define STEADY	    (INT64_C(1) << 25) /* 34 ms */
#define FASTEST	    (INT64_C(1) << 30)

static void find_longest(void)
{
	int64_t from = hd_rt_timer_from();

	for (const struct fiber *f = hd_rt.timed; f; f = f->wait.timed_next) {
		int64_t began = (int64_t)(f->wait.began - f->time.slept);

		if (began < from)
			from = began;
	}
	hd_rt.slept_from = from;
	hd_rt.sleepers_changed = false;
}

/* How many times faster than work time passes. */
static inline uint64_t haste(void)
{
	int64_t slept;

	if (unlikely(hd_rt.sleepers_changed))
		find_longest();
	if (likely(hd_rt.slept_from == INT64_MAX))
		return 1;
	slept = (int64_t)hd_rt.now - hd_rt.slept_from;
	if (slept < 2 * STEADY)
		return 1;
	slept /= STEADY;
	return (uint64_t)(slept < FASTEST ? slept : FASTEST);
}

/* Whose deadline is past can run, unless the policy of a wide run decides when. */
static inline bool strike(void)
{
	bool due = hd_rt.timed && hd_rt.timed->wait.deadline <= hd_rt.now;

	if (unlikely(hd_rt.timer_due <= hd_rt.now)) {
		hd_rt_timer_fire();
		due = true;
	}
	if (unlikely(due) && !hd_rt.opt.wide)
		hd_rt_advance_to(hd_rt.now);
	return due;
}

bool hd_rt_pass_to(uint64_t ns)
{
	if (ns > hd_rt.now)
		hd_rt.now = ns;
	return strike();
}

bool hd_rt_pass(uint32_t ns)
{
	unsigned n = hd_rt.nrunnable, shift = n >= 4 ? 2 : n >= 2;
	uint64_t quarters = hd_rt.quarters + ((uint64_t)ns << (CORES_SHIFT - shift));

	hd_rt.work += ns;
	hd_rt.quarters = quarters & 3;
	hd_rt.now += (quarters >> 2) * haste();
	return strike();
}

/* Where nothing happens but looks, each takes longer: twice as long after so many scheduling points. */
#define CALM_LOOKS_SHIFT 18

void hd_rt_pass_look(void)
{
	uint64_t calm = (hd_rt.steps - hd_rt.calm_step) >> CALM_LOOKS_SHIFT;

	hd_rt.now += (HD_LOOK_NS << (calm < 20 ? calm : 20)) * haste();
	if (unlikely(strike()))
		hd_rt_point();
}

/* ---- early strikes --------------------------------------------------------- */

/*
 * On a loaded machine threads are held up while the time of others runs out. Policies that look for
 * trouble do so to one wait in EARLY_ODDS, some scheduling points after it began. Which one depends
 * on the seed, the thread and the number of its wait; so it is the same one in a replay.
 */
#define EARLY_ODDS 8u
#define EARLY_BITS 8u	     /* of the number of points, which is small more often than large */
#define EARLY_MOST 20000000u /* nanoseconds that everybody else is held up */

void hd_rt_early_roll(struct fiber *f)
{
	struct hd_rng rng;

	hd_rng_seed(&rng,
		    (hd_rt.opt.seed ^ 0x2545f491) + ((uint64_t)f->id << 32) + ++f->time.waits);
	if (hd_rt.early_step != HD_NEVER || hd_rng_below(&rng, EARLY_ODDS) != 0)
		return;
	hd_rt.early_step =
		hd_rt.steps + 1 + hd_rng_below(&rng, UINT64_C(1) << hd_rng_below(&rng, EARLY_BITS));
	hd_rt.early_thread = f->id;
	hd_rt.early_wait = f->time.waits;
}

void hd_rt_early_strike(void)
{
	hd_rt.early_step = HD_NEVER;
	for (struct fiber *f = hd_rt.timed; f; f = f->wait.timed_next) {
		uint64_t due = f->wait.deadline;

		if (due > hd_rt.now + EARLY_MOST)
			break; /* they are in order */
		if (f->id != hd_rt.early_thread || f->time.waits != hd_rt.early_wait)
			continue;
		if (due > hd_rt.now)
			hd_rt_hold_up(due - hd_rt.now, f);
		hd_rt_pass_to(due);
		break;
	}
}

void hd_rt_expired(void)
{
	/* An explorer would take each round of a loop that does this for a new state. */
	if (!hd_rt.opt.any_time)
		hd_rt_pass_look();
}
