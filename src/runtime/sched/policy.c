#include "policy.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/debug.h"
#include "runtime/explore/explore.h"
#include "runtime/memory/arena.h"
#include "runtime/sys.h"

const struct hd_policy *hd_rt_policy = &hd_rt_policy_random;
struct hd_rng hd_rt_rng;

/* By the words of run_config.def. */
static const struct hd_policy *const policies[] = {
	[HD_POLICY_RANDOM] = &hd_rt_policy_random,   [HD_POLICY_PCT] = &hd_rt_policy_pct,
	[HD_POLICY_RR] = &hd_rt_policy_rr,	     [HD_POLICY_REPLAY] = &hd_rt_policy_replay,
	[HD_POLICY_PLAN] = &hd_rt_policy_plan,	     [HD_POLICY_SEGMENTS] = &hd_rt_policy_segments,
	[HD_POLICY_EXPLORE] = &hd_rt_policy_explore,
};

const struct hd_policy *hd_rt_policy_of(unsigned word)
{
	return policies[word];
}

const void *hd_rt_policy_input(int fd, uintptr_t at, size_t size, uint64_t *n)
{
	struct stat st;
	long p;

	*n = 0;
	if (fd < 0 || hd_sys(SYS_fstat, fd, &st) < 0 || st.st_size == 0)
		return NULL;
	/* Where other runs have nothing either, so that addresses stay the same. */
	p = hd_sys(SYS_mmap, at, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	hd_sys(SYS_close, fd);
	if (p < 0 && p > -4096)
		return NULL;
	*n = (uint64_t)st.st_size / size;
	return (const void *)p;
}

bool hd_rt_sensible(const struct fiber *f)
{
	if (f->run_index >= 0)
		return !hd_rt_is_spinning(f);
	return f->state == HD_F_BLOCKED && f->wait.deadline <= hd_rt.now;
}

/* The sensible one with the lowest number above @above; -1: none. */
static int lowest(struct fiber *const *cand, unsigned n, uint32_t above)
{
	int best = -1;

	for (unsigned i = 0; i < n; i++) {
		if (cand[i]->id > above && hd_rt_sensible(cand[i]) &&
		    (best < 0 || cand[i]->id < cand[best]->id))
			best = (int)i;
	}
	return best;
}

unsigned hd_rt_pick_default(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur)
{
	int best;

	if (why != HD_PICK_RUN)
		return 0;
	if (cur >= 0)
		return (unsigned)cur;
	best = lowest(cand, n, 0);
	/* If nobody is sensible, the last is hd_rt_nobody. */
	return best >= 0 ? (unsigned)best : n - 1;
}

/* Threads that make way for each other in lockstep would do so for ever. */
#define LOCKSTEP 1000u

/* One who never waits must not keep the others from running for ever. */
#define LONG_TURN 10000u

unsigned hd_rt_pick_fairly(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur,
			   struct fiber **gives_way)
{
	static const struct fiber *last;
	static uint32_t turn;
	bool give = cur >= 0 && *gives_way == cand[cur];
	int next;

	turn = cur >= 0 && cand[cur] == last ? turn + 1 : 0;
	last = cur >= 0 ? cand[cur] : NULL;
	if (turn > LONG_TURN) {
		turn = 0;
		give = true;
	}

	if (why != HD_PICK_RUN || !give)
		return hd_rt_pick_default(why, cand, n, cur);
	*gives_way = NULL;
	if (hd_rt.steps - hd_rt.calm_step > LOCKSTEP) {
		next = (int)hd_rng_below(&hd_rt_rng, n);
		if (hd_rt_sensible(cand[next]))
			return (unsigned)next;
	}
	next = lowest(cand, n, cand[cur]->id);
	if (next < 0)
		next = lowest(cand, n, 0);
	return next >= 0 ? (unsigned)next : (unsigned)cur;
}

/* Could the current fiber go on, and does it want to? */
static bool could_go_on(void)
{
	return hd_rt.cur->run_index >= 0 && !hd_rt.cur->policy.yields &&
	       !hd_rt_is_spinning(hd_rt.cur);
}

static __attribute__((noinline)) void tell_choice(enum hd_pick why, const struct fiber *f,
						  unsigned n)
{
	uint16_t arg = why != HD_PICK_RUN ? HD_CHOICE_WAKE : 0;

	if (why == HD_PICK_RUN && could_go_on())
		arg |= HD_CHOICE_COULD_GO_ON;
	if (why == HD_PICK_RUN && f->run_index < 0 && f != &hd_rt_nobody)
		arg |= HD_CHOICE_TIME; /* time passes, if only for it */
	if (hd_rt.opt.wide)
		arg |= HD_CHOICE_WIDE;
	hd_rt_event2(HD_OP_CHOICE, 0, f->id, n, arg);
}

static inline void record_choice(enum hd_pick why, const struct fiber *f, unsigned n)
{
	hd_rt.choices++;
	if (unlikely(hd_rt.opt.carriers == HD_CARRIERS_THREADS))
		hd_rt_debug_choice(why == HD_PICK_RUN ? f : NULL);
	if (unlikely(hd_rt_order_is_news()))
		tell_choice(why, f, n);
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
	record_choice(why, f, n);
	return f;
}

unsigned hd_rt_choose_number(unsigned n)
{
	unsigned k;

	if (n == 1)
		return 0;
	k = hd_rt_policy->number ? hd_rt_policy->number(n) : 0;
	hd_rt.choices++;
	if (unlikely(hd_rt.opt.carriers == HD_CARRIERS_THREADS))
		hd_rt_debug_choice(NULL);
	hd_rt_event2(HD_OP_CHOICE, 0, k + 1, hd_rt.cur->weak.nth, HD_CHOICE_READ);
	return k;
}

/* ---- where time orders nothing ------------------------------------------- */

/* Those whose wait has an end. */
static unsigned count_timed(void)
{
	unsigned n = 0;

	for (const struct fiber *f = hd_rt.timed; f; f = f->wait.timed_next)
		n += f->run_index < 0;
	return n;
}

/* Those who can run or whose wait has an end, less those who spin. */
static unsigned list_any_time(struct fiber **cand, const struct fiber *but, int *cur)
{
	unsigned n = 0, first;

	*cur = -1;
	for (uint32_t i = 0; i < hd_rt.nrunnable; i++) {
		struct fiber *f = hd_rt.runnable[i];

		if (f == but || hd_rt_is_spinning(f))
			continue;
		if (f == hd_rt.cur)
			*cur = (int)n;
		cand[n++] = f;
	}
	first = n;
	for (struct fiber *f = hd_rt.timed; f; f = f->wait.timed_next) {
		if (f->run_index >= 0 || f == but || hd_rt_is_spinning(f))
			continue;
		/* The first deadline comes last: by default it is the first to strike. */
		for (unsigned i = n++; i > first; i--)
			cand[i] = cand[i - 1];
		cand[first] = f;
	}
	return n;
}

struct fiber *hd_rt_choose_any_time(const struct fiber *but)
{
	unsigned max = hd_rt.nrunnable + count_timed(), n;
	struct fiber *few[64], **cand = few, *f = NULL;
	int cur;

	if (max == 0)
		return NULL;
	if (hd_rt_policy->want)
		f = hd_rt_policy->want();
	if (!f) {
		if (max > 64)
			cand = hd_rt_alloc(max * sizeof(f));
		n = list_any_time(cand, but, &cur);
		f = n ? cand[hd_rt_policy->pick(HD_PICK_RUN, cand, n, cur)] : NULL;
		if (cand != few)
			hd_rt_free(cand, max * sizeof(f));
	}
	if (f)
		record_choice(HD_PICK_RUN, f, max);
	return f;
}

/* ---- wide runs ----------------------------------------------------------- */

struct fiber hd_rt_nobody = { .run_index = -1, .state = HD_F_DONE };

/* hd_rt_nobody is the last, so that only one who looks for it finds it. */
static unsigned list_wide(struct fiber **cand, int *cur)
{
	unsigned n = 0;

	*cur = -1;
	for (uint32_t i = 0; i < hd_rt.nrunnable; i++) {
		if (hd_rt.runnable[i] == hd_rt.cur && !hd_rt_is_spinning(hd_rt.cur))
			*cur = (int)n;
		cand[n++] = hd_rt.runnable[i];
	}
	for (struct fiber *f = hd_rt.timed; f; f = f->wait.timed_next) {
		if (f->run_index < 0)
			cand[n++] = f;
	}
	cand[n++] = &hd_rt_nobody;
	return n;
}

struct fiber *hd_rt_choose_wide(void)
{
	unsigned n = hd_rt.nrunnable + count_timed() + 1;
	struct fiber *f = hd_rt_policy->want ? hd_rt_policy->want() : NULL;

	if (!f) {
		struct fiber *few[64], **cand = n <= 64 ? few : hd_rt_alloc(n * sizeof(f));
		int cur;

		list_wide(cand, &cur);
		f = cand[hd_rt_policy->pick(HD_PICK_RUN, cand, n, cur)];
		if (cand != few)
			hd_rt_free(cand, n * sizeof(f));
	}
	record_choice(HD_PICK_RUN, f, n);
	return f;
}
