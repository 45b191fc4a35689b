/*
 * The scheduler: time, whose turn it is, and the switch. Who can run is in queues.c.
 */
#include "runtime/abi/inline_check.h"
#include "runtime/rt.h"

#include "policy.h"
#include "queues.h"
#include "runtime/debug.h"
#include "runtime/explore/explore.h"
#include "runtime/explore/state.h"
#include "runtime/fiber/fiber.h"
#include "runtime/fiber/light.h"
#include "runtime/io/behind.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/mapped_twice.h"
#include "runtime/observe/findings.h"
#include "runtime/observe/race_online.h"
#include "runtime/observe/record.h"
#include "runtime/process/relatives.h"
#include "runtime/sync/between.h"
#include "runtime/sync/sections.h"
#include "runtime/thread/thread.h"

struct hd_rt hd_rt = { .cur = &hd_rt_main_fiber,
		       .all_tail = &hd_rt.all,
		       .slept_from = INT64_MAX,
		       .timer_due = HD_NEVER,
		       .early_step = HD_NEVER };

/* ---- time ---------------------------------------------------------------- */

bool hd_rt_too_late(uint64_t deadline)
{
	if (hd_rt.opt.any_time && deadline != HD_NEVER && deadline > hd_rt.now) {
		hd_rt_hold_up(deadline - hd_rt.now, hd_rt.cur);
		hd_rt.now = deadline;
	}
	if (likely(deadline > hd_rt.now))
		return false;
	hd_rt_expired();
	return true;
}

/* Time orders nothing: @f's wait ends, whatever others wait for. */
static void strike(struct fiber *f)
{
	if (f->wait.deadline > hd_rt.now) {
		hd_rt_hold_up(f->wait.deadline - hd_rt.now, f);
		hd_rt.now = f->wait.deadline;
	}
	hd_rt_stop_waiting(f);
	f->wait.result = HD_TIMEOUT;
	f->wait.by = 0;
	hd_rt_add_runnable(f);
	if (unlikely(hd_rt.timer_due <= hd_rt.now))
		hd_rt_timer_fire(); /* it may be what was waited for */
}

void hd_rt_advance_to(uint64_t ns)
{
	if (ns > hd_rt.now)
		hd_rt.now = ns;
	while (hd_rt.timed && hd_rt.timed->wait.deadline <= ns) {
		struct fiber *f = hd_rt.timed;

		f->time.slept += hd_rt.now - f->wait.began;
		hd_rt_wake(f, HD_TIMEOUT);
		f->wait.by = 0;
	}
}

/*
 * Scheduling points without a write, a thread's end or any I/O. After so many the run is stopped; ten
 * times as many if somebody sleeps meanwhile, unless a long time has passed, too.
 */
#define CALM_LIMIT 10000000u
#define CALM_TIME  (3600 * UINT64_C(1000000000))
/* After so much work of that kind, which only looks whether something has happened, the next deadline comes. */
#define CALM_JUMP_NS 4000000u
/* After so many, a program that handles signals is taken to be waiting for one. */
#define CALM_START 10000u
/* Every so many of them the running thread counts as yielding, lest it only waits for others. */
#define CALM_YIELD 1000u

/* ---- choosing ------------------------------------------------------------ */

/* Nothing can run: let time pass, or the world speak; if neither can help, it is over. */
static void idle(void)
{
	uint64_t next = hd_rt.timed ? hd_rt.timed->wait.deadline : HD_NEVER;
	uint64_t timer = hd_rt.timer_due, left;

	if (hd_rt.opt.any_time && !hd_rt.nio) {
		/* Waits that have an end were left out because they are begun again and again. */
		if (timer == HD_NEVER && hd_rt.timed && !hd_rt_signals_expected() &&
		    !hd_rt_signals_handled())
			hd_rt_livelock();
		next = HD_NEVER;
	}
	if (timer < next)
		next = timer;
	left = next > hd_rt.now ? next - hd_rt.now : 0;
	if (hd_rt.nio || hd_rt_signals_expected()) {
		int64_t ns = next == HD_NEVER ? -1 : (int64_t)left;
		bool helped;

		if (unlikely(hd_rt_has_relatives) && next == HD_NEVER)
			hd_rt_relatives_idle(true);
		helped = hd_rt.nio ? hd_rt_io_poll(ns) : (hd_rt_signals_wait(ns), false);
		if (unlikely(hd_rt_has_relatives) && next == HD_NEVER)
			hd_rt_relatives_idle(false);
		if (helped)
			return;
		if (unlikely(hd_rt_has_relatives))
			hd_rt_progress(); /* they may have changed what is looked at every now and then */
		if (hd_rt.sig_process || next == HD_NEVER)
			return;
	} else if (next == HD_NEVER) {
		if (hd_rt_between_waits() || hd_rt_behind_works(false))
			return;
		if (hd_rt.nrunnable && !hd_rt_spinning_proved())
			return;
		if (hd_rt_behind_works(true))
			return;
		if (!hd_rt.nrunnable)
			hd_rt_deadlock();
		if (!hd_rt_signals_handled())
			hd_rt_livelock();
		/* Loops that only a handler can end: wait for the world to send a signal. */
		hd_rt_signals_spend();
		hd_rt_progress();
		return;
	} else if (hd_rt.steps - hd_rt.calm_step > CALM_START && hd_rt_signals_handled()) {
		/* A daemon that sleeps and looks: from now on it sleeps for real. */
		hd_rt_signals_pace(left);
		hd_rt_progress();
		if (hd_rt.sig_process)
			return;
	} else if (unlikely(hd_rt_has_relatives)) {
		hd_rt_relatives_pace(left);
		if (hd_rt.sig_process)
			return;
	}
	if (hd_rt.opt.wide && next > hd_rt.now)
		hd_rt_hold_up(next - hd_rt.now, NULL); /* those whom a plan does not let go on */
	hd_rt_advance_to(next);
	if (timer <= hd_rt.now)
		hd_rt_timer_fire();
}

/*
 * Where time orders nothing: anybody who can run, and anybody whose wait has an end, but nobody who
 * is known to spin. If there is none, only the world can help, or a timer.
 */
static struct fiber *choose_any_time(const struct fiber *but)
{
	for (;;) {
		struct fiber *f = NULL;

		if (unlikely(hd_rt_light_crowded()))
			f = hd_rt_light_choose();
		if (!f)
			f = hd_rt_choose_any_time(but);
		if (f && f->run_index < 0)
			strike(f);
		if (f || but)
			return f;
		idle();
	}
}

/* Runnable fibers that are not merely spinning. */
static unsigned filter_circling(struct fiber **cand)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < hd_rt.nrunnable; i++) {
		if (!hd_rt_is_spinning(hd_rt.runnable[i]))
			cand[n++] = hd_rt.runnable[i];
	}
	return n;
}

/*
 * The choice of a wide run: anybody who can run, even if it spins, and anybody whose
 * wait ends when time passes. Fiber 0 stands for waiting until something happens.
 */
static struct fiber *choose_wide(void)
{
	for (;;) {
		struct fiber *f;

		if (hd_rt.ncycles && hd_rt.cycle_key != hd_rt_moves())
			hd_rt.ncycles = 0;
		f = hd_rt.nrunnable ? hd_rt_choose_wide() : NULL;
		if (f && f->state == HD_F_BLOCKED) {
			if (f->wait.deadline > hd_rt.now)
				hd_rt_hold_up(f->wait.deadline - hd_rt.now, f);
			hd_rt_advance_to(f->wait.deadline);
			if (hd_rt.timer_due <= hd_rt.now)
				hd_rt_timer_fire();
		}
		if (f && f->run_index >= 0)
			return f;
		idle();
	}
}

static __attribute__((noinline)) struct fiber *choose_among_others(void)
{
	if (unlikely(hd_rt.opt.any_time))
		return choose_any_time(NULL);
	if (unlikely(hd_rt.opt.wide))
		return choose_wide();
	for (;;) {
		struct fiber *next;
		unsigned n;

		if (unlikely(hd_rt_light_crowded())) {
			next = hd_rt_light_choose();
			if (next)
				return next;
		}
		if (likely(!hd_rt.ncycles)) {
			if (hd_rt.nrunnable)
				return hd_rt_choose(HD_PICK_RUN, hd_rt.runnable, hd_rt.nrunnable);
		} else if (hd_rt.cycle_key != hd_rt_moves()) {
			hd_rt.ncycles = 0;
			continue;
		} else {
			struct fiber **cand = hd_rt_alloc((hd_rt.nrunnable + 1) * sizeof(*cand));
			size_t size = (hd_rt.nrunnable + 1) * sizeof(*cand);

			n = filter_circling(cand);
			next = n ? hd_rt_choose(HD_PICK_RUN, cand, n) : NULL;
			hd_rt_free(cand, size);
			if (next)
				return next;
		}
		idle();
	}
}

/* Mostly there are some who can run, and none who is known to spin. */
static inline struct fiber *choose_next(void)
{
	if (unlikely(hd_rt.opt.any_time || hd_rt.opt.wide || hd_rt.ncycles || !hd_rt.nrunnable ||
		     hd_rt_light_crowded()))
		return choose_among_others();
	return hd_rt_choose(HD_PICK_RUN, hd_rt.runnable, hd_rt.nrunnable);
}

/* A detached thread's donor can only be ended once nobody runs on its stack. */
static void reap(void)
{
	struct fiber *f = hd_rt.reap;

	hd_rt.reap = NULL;
	hd_rt_thread_forget(f);
}

/* A sign of life of whoever runs now. */
static void beat(void)
{
	struct hd_pulse *p = hd_rt_pulse;

	p->beats++;
	p->pc = hd_rt.cur->pc;
	p->thread = hd_rt.cur->id;
	p->live = hd_rt.nlive;
}

static __attribute__((noinline)) void leave_for(struct fiber *next)
{
	struct fiber *me = hd_rt.cur;

	if (unlikely(!next->sp))
		hd_rt_light_embody(next);
	hd_rt_settle();
	if (unlikely(hd_rt.mode & HD_M_STATES))
		hd_rt_state_settle();
	hd_rt_note_stack_write();
	hd_rt_calls_put_aside();
	hd_rt.cur = next;
	beat();
	hd_rt_switch_to(me, next);
	/* Here again, later; whoever switched to us may have ended. */
	/* First: who asks may be a fiber that has just ended, and is to be reaped. */
	if (unlikely(hd_rt_tell_stack != NULL))
		hd_rt_tell_stack();
	hd_rt_calls_take_up();
	if (unlikely(hd_rt.opt.carriers == HD_CARRIERS_THREADS))
		hd_rt_debug_switched();
	if (hd_rt_racing())
		hd_rt_race_refresh();
	else
		hd_rt_inline_refresh();
	if (unlikely(hd_rt.reap != NULL))
		reap();
}

static inline void switch_to(struct fiber *next)
{
	if (unlikely(next->time.held_up))
		hd_rt_stall_over(next);
	if (next != hd_rt.cur)
		leave_for(next);
}

static uint64_t next_deadline(void)
{
	uint64_t next = hd_rt.timed ? hd_rt.timed->wait.deadline : HD_NEVER;

	return hd_rt.timer_due < next ? hd_rt.timer_due : next;
}

static __attribute__((noinline)) void calm_for_long(uint64_t points)
{
	if (next_deadline() == HD_NEVER || hd_rt.now - hd_rt.calm_time > CALM_TIME ||
	    points > 10ull * CALM_LIMIT)
		hd_rt_stop(points);
}

static __attribute__((noinline)) void calm_jump(void)
{
	uint64_t next = next_deadline();

	hd_rt.calm_work = hd_rt.work;
	if (next != HD_NEVER)
		hd_rt_pass_to(next);
}

/* Nothing has happened for so many scheduling points. */
static inline void stay_calm(uint64_t points)
{
	if (unlikely(points > CALM_LIMIT))
		calm_for_long(points);
	if (hd_rt_policy->yielded && points % CALM_YIELD == CALM_YIELD - 1)
		hd_rt_policy->yielded(hd_rt.cur);
	if (unlikely(hd_rt.work - hd_rt.calm_work > CALM_JUMP_NS))
		calm_jump();
}

static inline void watch_progress(void)
{
	uint64_t limit = hd_rt.opt.max_steps;

	if (hd_rt.progress + hd_rt.stack_progress != hd_rt.calm_progress) {
		hd_rt.calm_progress = hd_rt.progress + hd_rt.stack_progress;
		hd_rt.calm_step = hd_rt.steps;
		hd_rt.calm_time = hd_rt.now;
		hd_rt.calm_work = hd_rt.work;
	} else {
		stay_calm(hd_rt.steps - hd_rt.calm_step);
	}
	if (unlikely(limit && hd_rt.steps > limit))
		hd_rt_stop(0);
}

/* At the beginning of a step of the current fiber. True: a handler ran. */
static bool take_signals(void)
{
	if (unlikely(hd_rt.exploring))
		hd_rt_signals_look();
	return hd_rt_signals_waiting() && hd_rt_signals_deliver();
}

static inline __attribute__((always_inline)) void point(struct fiber *me, uint32_t ns)
{
	if (unlikely(hd_rt_nsections))
		hd_rt_section_over(me);
	hd_rt_worked(ns);
	hd_rt.steps++;
	beat();
	me->explore.npoints++;
	if (unlikely(hd_rt.mode & HD_M_STATES))
		hd_rt_state_point();
	hd_rt_next_slice();
	watch_progress();
	if (unlikely(hd_rt.steps >= hd_rt.early_step))
		hd_rt_early_strike();
	if (hd_rt_signals_waiting())
		hd_rt_signals_deliver();
	if (unlikely(hd_rt.nio))
		hd_rt_io_poll(0);
	if (hd_rt.nrunnable > 1 || hd_rt.ncycles || hd_rt.opt.wide || hd_rt.opt.any_time)
		switch_to(choose_next());
	take_signals();
	if (unlikely(me->cancel.pending && me->cancel.async))
		hd_rt_testcancel();
	if (unlikely(hd_rt_nsections))
		hd_rt_section_at(me);
}

void hd_rt_point(void)
{
	hd_rt.cur->explore.calm = false;
	point(hd_rt.cur, HD_POINT_NS);
}

void hd_rt_access_point(void)
{
	hd_rt.cur->explore.calm = false;
	point(hd_rt.cur, 0); /* the access is counted by its hook */
}

void hd_rt_calm_point(void)
{
	hd_rt.cur->explore.calm = true;
	point(hd_rt.cur, HD_POINT_NS);
}

void hd_rt_yield(void)
{
	if (unlikely(hd_rt.exploring) && hd_rt_explore_is_tried())
		return;
	if (hd_rt_policy->yielded)
		hd_rt_policy->yielded(hd_rt.cur);
	hd_rt_spin();
	hd_rt.cur->policy.yields = true;
	hd_rt_point();
	hd_rt.cur->policy.yields = false;
}

static void step_aside(void)
{
	size_t size = hd_rt.nrunnable * sizeof(struct fiber *);
	struct fiber **cand = hd_rt_alloc(size), *next;
	unsigned n = 0;

	hd_rt.cur->explore.calm = false;
	if (hd_rt_policy->yielded)
		hd_rt_policy->yielded(hd_rt.cur);
	hd_rt_spin();
	for (uint32_t i = 0; i < hd_rt.nrunnable; i++) {
		if (hd_rt.runnable[i] != hd_rt.cur && !hd_rt_is_spinning(hd_rt.runnable[i]))
			cand[n++] = hd_rt.runnable[i];
	}
	if (unlikely(hd_rt.opt.any_time))
		next = choose_any_time(hd_rt.cur);
	else
		next = n ? hd_rt_choose(HD_PICK_RUN, cand, n) : NULL;
	hd_rt_free(cand, size);
	if (!next) {
		hd_rt_point();
		return;
	}
	hd_rt_worked(HD_POINT_NS);
	hd_rt.steps++;
	hd_rt_next_slice();
	watch_progress();
	switch_to(next);
	take_signals();
}

void hd_rt_step_aside(void)
{
	/* A plan, or a replay of a run by one, may have it go on. */
	if (unlikely(hd_rt.opt.wide))
		hd_rt_yield();
	else
		step_aside();
}

static enum hd_wake block(struct fiber *me, enum hd_thread_state why, uintptr_t addr,
			  uint64_t deadline)
{
	hd_rt_settle();
	if (unlikely(hd_rt.opt.any_time) && deadline != HD_NEVER)
		hd_rt_spin(); /* a loop around a wait that times out waits for something else */
	me->wait.why = why;
	me->wait.addr = addr = hd_rt_name_of(addr);
	me->wait.deadline = deadline;
	me->wait.result = HD_WOKEN;
	hd_rt_queue_add(me);
	if (deadline != HD_NEVER) {
		hd_rt_timed_add(me);
		if (hd_rt.opt.early)
			hd_rt_early_roll(me);
	}
	if (why == HD_TS_IO)
		hd_rt.nio++;
	hd_rt_remove_runnable(me, HD_F_BLOCKED);
	me->explore.npoints++;
	if (unlikely(hd_rt.exploring))
		hd_rt_explore_block(why, addr); /* part of what it did before: nobody ran between */
	hd_rt_worked(HD_POINT_NS);		/* now that it can be woken */
	hd_rt.steps++;
	hd_rt_next_slice();
	switch_to(choose_next());
	if (unlikely(hd_rt.exploring))
		hd_rt_explore_resume(me->wait.why == HD_TS_RUNNABLE, me->wait.result);
	if (me->wait.why != HD_TS_RUNNABLE)
		hd_rt_stop_waiting(me); /* enabled by hd_rt_enable: still queued */
	return me->wait.result;
}

enum hd_wake hd_rt_block(enum hd_thread_state why, uintptr_t addr, uint64_t deadline)
{
	struct fiber *me = hd_rt.cur;
	enum hd_wake result;

	me->wait.cancellable = false;
	me->wait.interruptible = true;
	result = block(me, why, addr, deadline);
	take_signals();
	return result == HD_INTERRUPTED ? HD_WOKEN : result;
}

enum hd_wake hd_rt_block_cancellable(enum hd_thread_state why, uintptr_t addr, uint64_t deadline,
				     bool interruptible)
{
	struct fiber *me = hd_rt.cur;
	enum hd_wake result;

	if (me->cancel.pending && !me->cancel.disabled)
		return HD_CANCELLED;
	me->wait.cancellable = !me->cancel.disabled;
	me->wait.interruptible = interruptible;
	result = block(me, why, addr, deadline);
	if (take_signals() && result == HD_WOKEN && why == HD_TS_SIGNAL)
		result = HD_INTERRUPTED;
	return result;
}

void hd_rt_leave(void)
{
	struct fiber *me = hd_rt.cur;

	hd_rt_settle();
	hd_rt_calls_end();
	if (hd_rt_policy->ended)
		hd_rt_policy->ended(me);
	hd_rt_remove_runnable(me, HD_F_DONE);
	hd_rt.nlive--;
	hd_rt_progress();
	hd_rt_worked(HD_POINT_NS);
	hd_rt_next_slice();
	switch_to(choose_next());
	__builtin_unreachable();
}
