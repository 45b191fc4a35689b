/*
 * How an execution ends: that it is over or was given up, faults, and what is left undone.
 */
#include "policy_explore.h"

#include "await.h"
#include "common/hash.h"
#include "equal_threads.h"
#include "explore.h"
#include "explore_memory.h"
#include "explore_sites.h"
#include "repeat.h"
#include "runtime/observe/record.h"
#include "runtime/sys.h"
#include "runtime/thread/thread.h"
#include "runtime/weak/weak.h"

#define sh hd_rt_xsh

static bool ended; /* there is no more to tell */

static void finish(bool by_program);

void hd_rt_explore_stop(enum hd_xend end)
{
	finish(false);
	sh->end = end;
	hd_rt_repeat(0);
	hd_sys(SYS_exit_group, 0);
	__builtin_unreachable();
}

void hd_rt_explore_stop_untold(enum hd_xend end)
{
	ended = true;
	hd_rt_explore_stop(end);
}

/* By graphs, nobody is to take it for the end of the process. */
void hd_rt_explore_redundant(void)
{
	ended |= sh->by_graph;
	hd_rt_explore_stop(HD_X_END_REDUNDANT);
}

void hd_rt_explore_again(void)
{
	struct hd_xsupposed *s = &sh->supposed;

	/* Something else was learnt first: then it is asked again. */
	if (s->now > HD_X_SUPPOSE_SOON) {
		s->now = HD_X_SUPPOSE_NO;
		sh->nanswers = s->answer ? s->answer - 1 : sh->nanswers;
	}
	hd_rt_explore_stop(HD_X_END_PROBED);
}

bool hd_rt_explore_is_tried(void)
{
	return sh->supposed.now > HD_X_SUPPOSE_SOON;
}

void hd_rt_suppose_end(void)
{
	sh->supposed.now = HD_X_SUPPOSE_NO;
	hd_rt_explore_stop_untold(HD_X_END_PROBED);
}

void hd_rt_explore_cut(void)
{
	hd_rt_explore_stop(HD_X_END_BOUND);
}

/* It stays known for later executions. */
void hd_rt_explore_uses(unsigned what)
{
	if (!hd_rt.exploring)
		return;
	sh->uses |= what;
}

void hd_rt_explore_assumed(void)
{
	if (hd_rt.exploring)
		sh->assumed = 1;
}

/* ---- faults ------------------------------------------------------------------- */

static void add_fault(enum hd_kind kind, uint64_t site, uintptr_t a, uintptr_t b)
{
	if (!sh || sh->nfaults == HD_X_FAULTS || sh->supposed.now == HD_X_SUPPOSED)
		return;
	for (uint32_t i = 0; i < sh->nfaults; i++) {
		if (sh->faults[i].kind == (uint32_t)kind && sh->faults[i].site == site)
			return;
	}
	sh->faults[sh->nfaults++] = (struct hd_xfault){ .kind = kind,
							.thread = hd_rt.cur->id,
							.after = sh->nnodes,
							.site = site,
							.places = { a, b } };
}

void hd_rt_explore_fault(enum hd_kind kind, uint64_t site)
{
	add_fault(kind, site, 0, 0);
}

/*
 * Of places that both are scheduling points it is known already. Which of the two comes first makes
 * no other fault of it.
 */
void hd_rt_explore_fault_between(enum hd_kind kind, uintptr_t a, uintptr_t b)
{
	if (kind != HD_KIND_RACE || !hd_rt_is_site(a) || !hd_rt_is_site(b))
		add_fault(kind, a < b ? hd_hash_pair(a, b) : hd_hash_pair(b, a), a, b);
}

/* ---- what is left --------------------------------------------------------------- */

#define THE_END (UINT64_MAX - 2 * (uint64_t)UINT32_MAX) /* of the process */

/* Is there a thread that has something to do? */
static bool could_go_on(void)
{
	if (hd_rt_left_in_loops())
		return false;
	if (hd_rt.cur->state == HD_F_RUNNABLE && !hd_rt_is_spinning(hd_rt.cur))
		return true;
	for (const struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->state == HD_F_RUNNABLE && !hd_rt_is_spinning(f) &&
		    (hd_rt_is_late(f) || hd_rt_stops_in_loop(f) || !hd_rt_would_wait(f)))
			return true;
	}
	return false;
}

/*
 * Has @f come to its end, where an assumption does not hold, or does it wait for the end of one that has? Neither
 * concerns anybody but those who wait in the same way.
 */
static bool stands_behind_assumption(const struct fiber *f)
{
	return hd_rt.assumed && !could_go_on() && f->state == HD_F_BLOCKED &&
	       (f->wait.why == HD_TS_ASSUMPTION || f->wait.why == HD_TS_JOIN);
}

/*
 * What is left undone: what threads wait for, and, where the end of the process comes before the
 * end of a thread, that it might have come later.
 */
static void finish(bool by_program)
{
	uint32_t before;

	if (ended)
		return;
	ended = true;
	hd_rt_equal_at_end(by_program);
	hd_rt_pulse->thread = 0;
	if (sh->supposed.now == HD_X_SUPPOSED) {
		sh->end = HD_X_END_PROBED;
		return;
	}
	if (could_go_on()) /* else nobody ends it: there is nothing more to do */
		hd_rt_tell_op(hd_rt.cur->id, HD_X_END, THE_END, 0xff, false);
	before = sh->nops;
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->state == HD_F_DONE || (f == hd_rt.cur && f->state != HD_F_BLOCKED))
			continue;
		if (stands_behind_assumption(f))
			continue;
		hd_rt_op_thread = 0; /* each begins anew */
		if (f != hd_rt.cur)  /* it may be the one whose wait closed the cycle */
			hd_rt_tell_op(f->id, HD_X_WRITE, THE_END, 0xff, false);
		if (f->state == HD_F_BLOCKED)
			hd_rt_tell_wait(f, f->wait.why, f->wait.addr);
		else if (hd_rt_stops_in_loop(f) && (f->weak.in_vain || f->explore.round.in_vain))
			continue; /* it makes no other step */
		else if (f->explore.look.stands && hd_rt_would_wait(f))
			hd_rt_tell_await(f);
		else if (hd_rt_would_wait(f) && !hd_rt_is_late(f))
			hd_rt_tell_wait(f, f->explore.wants, f->explore.wants_addr);
	}
	sh->npending = sh->nops - before;
	hd_rt_explore_observe();
	sh->graph = hd_rt_is_weak() ? hd_rt_weak_state() : 0;
	sh->end = HD_X_END_DONE;
}

void hd_rt_explore_end(void)
{
	finish(true);
}
