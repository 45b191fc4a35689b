/*
 * Signals for programs that reach no scheduling point.
 *
 * Handlers run at scheduling points. A loop in code without hooks has none, and may wait for just what the
 * handler does. So when a signal waits, a timer of the kernel looks a moment later: if the program has not come
 * to a point meanwhile and is in code of its own, where a thread may be interrupted natively, too, the
 * point is made there. Timers of the program are virtual and could not expire at all in such a loop: the
 * first one then does, after a long moment. Either depends on real time, which the report says.
 *
 * The signal for this is the one that glibc keeps for cancellation, which is ours (thread_exit.c).
 */
#include <ucontext.h>

#include "runtime/memory/alloc.h"
#include "runtime/observe/record.h"
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "signal_nudges.h"
#include "signal_stacks.h"
#include "signal_state.h"

#define MOMENT_NS   50000000u	/* from a signal to a look */
#define LONG_MOMENT 2000000000u /* code without hooks that works is not to be disturbed */

static int timer = -1, timer_pid; /* the kernel's timer, and the process that it is of */
static uint64_t beats;		  /* of the pulse, at the last look */
static bool for_timers;		  /* the next look is for a timer of the program */
static bool has_timers;		  /* the program has armed one that brings a signal */

/* ---- looking ---------------------------------------------------------------- */

static void look_in(uint64_t ns)
{
	struct itimerspec when = { .it_value = { .tv_sec = (time_t)(ns / 1000000000),
						 .tv_nsec = (long)(ns % 1000000000) } };

	beats = hd_rt_pulse->beats;
	for_timers = false;
	hd_sys(SYS_timer_settime, timer, 0, &when, NULL);
}

/* Does a signal wait that some thread would take now, or is its handler not done? */
static bool signals_wait(void)
{
	if (hd_rt.sig_process || hd_rt_handlers_run())
		return true;
	for (const struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->state != HD_F_DONE &&
		    (f->signals.pending & ~hd_rt_sig_bits(&f->signals.mask)))
			return true;
	}
	return false;
}

/* Look again, for whatever comes first. */
static void look_later(void)
{
	uint64_t left;

	if (signals_wait()) {
		look_in(MOMENT_NS);
	} else if (has_timers && hd_rt.timer_due != HD_NEVER) {
		left = hd_rt.timer_due > hd_rt.now ? hd_rt.timer_due - hd_rt.now : 0;
		look_in(left > LONG_MOMENT ? left : LONG_MOMENT);
		for_timers = true;
	}
}

/* May whoever is at @pc be interrupted there? */
static bool is_programs(uintptr_t pc)
{
	return !hd_rt.busy && !hd_rt_is_ours(pc) && !hd_rt_inside_libc(pc) &&
	       pc - hd_rt.allocator >= hd_rt.allocator_size;
}

static void make_point(void)
{
	uint64_t none = 0;

	hd_rt_outside("a signal in the middle of code without hooks");
	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, 8);
	if (for_timers && hd_rt.timer_due != HD_NEVER) {
		hd_rt_advance_to(hd_rt.timer_due);
		hd_rt_timer_fire();
	}
	hd_rt_step_aside();
}

static void look(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *where = context;

	if (info->si_code == SI_MESGQ) { /* of mq_notify: the thread waits for this */
		hd_sys(SYS_write, info->si_value.sival_int, &(uint64_t){ 1 }, 8);
		return;
	}
	if (!hd_rt.active || hd_rt.pid != timer_pid)
		return;
	if ((for_timers || signals_wait()) && hd_rt_pulse->beats == beats &&
	    !hd_rt_pulse->waiting && is_programs((uintptr_t)where->uc_mcontext.gregs[REG_RIP]))
		make_point();
	look_later();
}

/* ---- the kernel's timer -------------------------------------------------------- */

static bool make_timer(void)
{
	struct {
		void (*handler)(int, siginfo_t *, void *);
		unsigned long flags;
		const char *restorer;
		uint64_t mask;
	} act = { look, SA_SIGINFO | SA_RESTART | 0x04000000, hd_rt_fault_return, ~0ull };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = HD_RT_NUDGE };

	if (timer_pid == hd_rt.pid)
		return timer >= 0;
	timer_pid = hd_rt.pid;
	event._sigev_un._tid = (int)hd_sys(SYS_gettid);
	if (hd_sys(SYS_rt_sigaction, HD_RT_NUDGE, &act, 0, 8) < 0 ||
	    hd_sys(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) < 0)
		timer = -1;
	return timer >= 0;
}

bool hd_rt_nudge_prepare(void)
{
	return make_timer();
}

/* An explorer's executions come from copies; with a thread for each fiber it is not known which one runs. */
static bool may_look(void)
{
	return !hd_rt.exploring && hd_rt.opt.carriers != HD_CARRIERS_THREADS && make_timer();
}

void hd_rt_nudge_signal(void)
{
	if (may_look())
		look_in(MOMENT_NS);
}

void hd_rt_nudge_timer(void)
{
	has_timers = true;
	if (may_look())
		look_later();
}
