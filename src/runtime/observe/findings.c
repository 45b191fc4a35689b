#include "findings.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unwind.h>

#include "race_online.h"
#include "record.h"
#include "runtime/explore/explore.h"
#include "runtime/fiber/fiber.h"
#include "runtime/memory/arena.h"
#include "runtime/process/signal_stacks.h"
#include "runtime/real.h"
#include "runtime/sync/mutex.h"
#include "runtime/sys.h"
#include "runtime/thread/thread.h"
#include "told_once.h"

void (*hd_rt_tell_stack)(void);

/* ---- stacks -------------------------------------------------------------- */

#define MAX_FRAMES 64

static uintptr_t frames[MAX_FRAMES];
static unsigned nframes;
static struct fiber *asker;

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *arg)
{
	int before_instruction = 0;
	uintptr_t ip = _Unwind_GetIPInfo(context, &before_instruction);

	/* Frames hold return addresses; of an interrupted frame, pretend. */
	if (ip && nframes < MAX_FRAMES)
		frames[nframes++] = before_instruction ? ip + 1 : ip;
	return nframes < MAX_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void gather_own_stack(void)
{
	nframes = 0;
	hd_rt.busy++;
	_Unwind_Backtrace(add_frame, NULL);
	hd_rt.busy--;
}

/* Another fiber's part of hd_rt_ask_stack(): it is the only one who can walk its stack. */
static void gather_and_return(void)
{
	struct fiber *me = hd_rt.cur;

	do { /* it may be asked again before it runs again */
		gather_own_stack();
		hd_rt.cur = asker;
		hd_rt_switch_to(me, asker);
	} while (hd_rt_tell_stack);
}

static void gather_stack(struct fiber *f)
{
	nframes = 0;
	if (f == hd_rt.cur) {
		gather_own_stack();
	} else if (f->thread.started) {
		asker = hd_rt.cur;
		hd_rt_tell_stack = gather_and_return;
		hd_rt.cur = f;
		hd_rt_switch_to(asker, f);
		hd_rt_tell_stack = NULL;
	}
}

static void tell_frames(void)
{
	for (unsigned i = 0; i < nframes; i++)
		hd_rt_event_always(HD_OP_FRAME, 0, frames[i], 0, 0);
}

/* ---- threads ------------------------------------------------------------- */

static void tell_holds(const struct fiber *f)
{
	for (struct hd_held *h = NULL; (h = hd_rt_held_next(f, h));)
		hd_rt_event_always(HD_OP_HOLDS, h->addr, f->id, 0, h->mode);
}

/* Does it wait for others? Who is in a loop of sleeps or timed waits spins, if slowly. */
static bool is_waiting(const struct fiber *f)
{
	return f->state == HD_F_BLOCKED && !(f->wait.deadline != HD_NEVER && hd_rt_is_spinning(f));
}

static void tell_thread(struct fiber *f, bool running)
{
	enum hd_thread_state state = running	     ? HD_TS_RUNNING
				     : is_waiting(f) ? f->wait.why
						     : HD_TS_RUNNABLE;
	uintptr_t addr = is_waiting(f) ? f->wait.addr : 0;

	if (state == HD_TS_JOIN)
		addr = ((struct fiber *)addr)->id;
	gather_stack(f);
	hd_rt_event_always(HD_OP_STATE, addr, f->id, 0, (uint16_t)state);
	tell_holds(f);
	tell_frames();
}

/* ---- findings ------------------------------------------------------------ */

/* What tells a fault from others of its kind in other executions: where it was noticed. */
static uint64_t site_of(enum hd_kind kind)
{
	return kind == HD_KIND_DEADLOCK || kind == HD_KIND_LIVELOCK ? 0 : hd_rt.cur->pc;
}

static void begin(enum hd_kind kind, uintptr_t addr, uint64_t value, const char *text)
{
	if (hd_rt.exploring)
		hd_rt_explore_fault(kind, site_of(kind));
	hd_rt_record_start(hd_rt.opt.ring_fd);
	hd_rt_plan_news();
	hd_rt_tell_stalls();
	hd_rt_event_always(HD_OP_FINDING, addr, value, hd_rt_string(text), (uint16_t)kind);
}

static void end(void)
{
	hd_rt_event_always(HD_OP_FINDING_END, 0, 0, 0, 0);
}

/* The program cannot go on: what it has printed so far should still appear. */
static void __attribute__((noreturn)) give_up(int status)
{
	hd_rt.busy++;
	HD_REAL(fflush)(NULL);
	hd_rt.busy--;
	hd_rt_finish(status);
	hd_sys(SYS_exit_group, status);
	__builtin_unreachable();
}

/* What it waits for belongs to a thread that is gone, and joined. */
static void tell_lost_owner(const struct fiber *f)
{
	uint32_t owner = f->wait.why == HD_TS_MUTEX ? hd_rt_waits_for(f) : 0;

	if (owner && !hd_rt_fiber_by_id(owner))
		hd_rt_event_always(HD_OP_HOLDS, f->wait.addr, owner, 0, HD_LOCK_MUTEX);
}

static void __attribute__((noreturn))
tell_all(enum hd_kind kind, uintptr_t addr, uint64_t value, const char *text)
{
	begin(kind, addr, value, text);
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->state != HD_F_DONE)
			tell_thread(f, false);
		else
			tell_holds(f); /* it has not given them back */
		tell_lost_owner(f);
	}
	end();
	give_up(hd_rt.opt.exitcode);
}

/* Threads wait for one that stopped at an assumption, or for what it would have done: nothing is wrong. */
static void __attribute__((noreturn)) end_by_assumption(void)
{
	if (!hd_rt.exploring)
		give_up(0);
	hd_rt_finish(0);
	hd_rt_process_end(0);
	hd_sys(SYS_exit_group, 0);
	__builtin_unreachable();
}

void hd_rt_assumption_failed(void)
{
	hd_rt_record_start(hd_rt.opt.ring_fd);
	hd_rt_event_always(HD_OP_STOPPED, 0, 0, 0, HD_STOPPED_ASSUMPTION);
	hd_rt.assumed = true;
	hd_rt_explore_assumed();
	for (;;)
		hd_rt_block(HD_TS_ASSUMPTION, 0, HD_NEVER);
}

void hd_rt_deadlock(void)
{
	if (hd_rt.assumed)
		end_by_assumption();
	hd_rt_lock_cycle();
}

void hd_rt_lock_cycle(void)
{
	tell_all(HD_KIND_DEADLOCK, 0, 0, "no thread can go on");
}

void hd_rt_livelock(void)
{
	if (hd_rt.assumed)
		end_by_assumption();
	tell_all(HD_KIND_LIVELOCK, 0, hd_rt.steps,
		 "threads run, but none can change what the others wait for");
}

void hd_rt_stop(uint64_t calm)
{
	if (hd_rt.exploring)
		hd_rt_explore_cut();
	hd_rt_record_start(hd_rt.opt.ring_fd);
	hd_rt_plan_news();
	hd_rt_event_always(HD_OP_STOPPED, 0, calm ? calm : hd_rt.steps, 0,
			   calm ? HD_STOPPED_CALM : HD_STOPPED_STEPS);
	give_up(0); /* it has not failed */
}

/* Each place tells a kind of misuse or memory error once. */
static bool told_before(uintptr_t pc, const char *fmt)
{
	static struct hd_told_once told;

	return hd_told_before(&told, pc, (uintptr_t)fmt);
}

void hd_rt_misuse(uintptr_t addr, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (told_before(hd_rt.cur->pc, fmt))
		return;
	va_start(ap, fmt);
	HD_REAL(vsnprintf)(text, sizeof(text), fmt, ap);
	va_end(ap);
	begin(HD_KIND_MISUSE, addr, 0, text);
	tell_thread(hd_rt.cur, true);
	end();
}

void hd_rt_misuse_at(uintptr_t pc, uint32_t ctx, const char *text)
{
	struct fiber *me = hd_rt.cur;

	if (told_before(pc, text))
		return;
	begin(HD_KIND_MISUSE, 0, 0, text);
	hd_rt_event_always(HD_OP_STATE, 0, me->id, 0, HD_TS_RUNNING);
	tell_holds(me);
	for (unsigned n = 0; pc && n < MAX_FRAMES; n++) {
		hd_rt_event_always(HD_OP_FRAME, 0, pc, 0, 0);
		ctx = hd_rt_context_up(ctx, &pc);
	}
	end();
}

void hd_rt_memory_error(const char *what, const char *text, const struct hd_heap_access *accesses,
			unsigned n)
{
	struct fiber *me = hd_rt.cur;
	struct hd_elsewhere from;

	if (told_before(me->pc, what))
		return;
	begin(HD_KIND_MEMORY, accesses[0].addr, 0, text);
	from = hd_rt_go_elsewhere();
	for (unsigned i = 0; i < n; i++) {
		const struct hd_heap_access *a = &accesses[i];

		hd_rt_is_at(a->pc, a->ctx);
		hd_rt_access_event(a->addr, a->thread, a->op, a->size, (uint16_t)i);
		if (i == 0)
			tell_holds(me);
	}
	hd_rt_come_back(&from);
	end();
}

void hd_rt_diverged(uint64_t n, uint32_t want)
{
	char text[160];

	hd_rt_print(text, sizeof(text),
		    "the program left the schedule at decision %lu: T%u should run and cannot", n,
		    want);
	begin(HD_KIND_DIVERGENCE, 0, n, text);
	tell_thread(hd_rt.cur, true);
	end();
}

void hd_rt_ended_early(uint64_t n, uint64_t total)
{
	char text[160];

	hd_rt_print(text, sizeof(text),
		    "the program left the schedule: it ended after %lu of %lu decisions", n, total);
	begin(HD_KIND_DIVERGENCE, 0, n, text);
	tell_thread(hd_rt.cur, true);
	end();
}

/* An access of the story how the plan was left: see HD_OP_EXPECTED. */
static void plan_access(const struct hd_plan_left *l, uint16_t number, unsigned op, uintptr_t addr,
			uint32_t size, uintptr_t pc, uint32_t ctx)
{
	struct hd_elsewhere from = hd_rt_go_elsewhere();

	hd_rt_is_at(pc, ctx);
	hd_rt_access_event(addr, l->fiber ? l->fiber->id : l->thread, op, size, number);
	hd_rt_come_back(&from);
}

void hd_rt_plan_left(const struct hd_plan_left *l)
{
	static const char *const whys[] = {
		[HD_DIVERGED_OTHER_EVENT] = "it does something else",
		[HD_DIVERGED_TOO_EARLY] = "it could not be stopped before that",
		[HD_DIVERGED_BLOCKED] = "it waits for something that the plan does not bring",
		[HD_DIVERGED_ENDED] = "it has ended",
		[HD_DIVERGED_NOT_THERE] = "it was not created",
		[HD_DIVERGED_PROGRAM_ENDED] = "the program ended",
		[HD_DIVERGED_OTHER_OBJECT] = "it comes with another object",
	};
	const struct hd_plan_entry *e = l->planned, *d = l->differs;
	char text[160];

	hd_rt_print(text, sizeof(text), "T%u left the plan at its event %u: %s",
		    l->fiber ? l->fiber->id : l->thread, l->entry, whys[l->why]);
	begin(HD_KIND_DIVERGENCE, 0, l->entry, text);
	if (l->fiber)
		plan_access(l, 1, l->op, l->addr, 0, l->fiber->pc, hd_rt_context_of(l->fiber));
	plan_access(l, 2, e->op, e->addr, e->size, e->pc, 0);
	if (d)
		plan_access(l, 3, d->op, d->addr, d->size, d->pc, l->ctx);
	hd_rt_event_always(HD_OP_EXPECTED, 0, l->got, l->want, (uint16_t)l->why);
	/* No stack: the thread may be inside the unwinder, which cannot be entered again. */
	end();
}

/* ---- assertions ---------------------------------------------------------- */

static bool assertion_told; /* the abort that follows is no second finding */

HD_EXPORT void __assert_fail(const char *expr, const char *file, unsigned line,
			     const char *function)
{
	if (hd_rt_enter(HD_CALLER)) {
		char text[512];

		if (hd_rt.opt.end_points ||
		    hd_rt.opt.any_time) /* what others would have done is not to go unnoticed */
			hd_rt_point();
		hd_rt_print(text, sizeof(text), "assertion `%s' failed at %s:%u", expr, file, line);
		begin(HD_KIND_ASSERTION, 0, 0, text);
		tell_thread(hd_rt.cur, true);
		for (struct fiber *f = hd_rt.all; f; f = f->next) {
			if (f != hd_rt.cur && f->state != HD_F_DONE)
				tell_thread(f, false);
		}
		end();
		assertion_told = true;
	}
	HD_REAL(__assert_fail)(expr, file, line, function);
	__builtin_unreachable();
}

HD_EXPORT void abort(void)
{
	if (hd_rt_enter(HD_CALLER) && hd_rt.opt.any_time)
		hd_rt_point();
	HD_REAL(abort)();
	__builtin_unreachable();
}

/* ---- crashes ------------------------------------------------------------- */

static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

/* The last write may be the one that crashed: look before touching. */
static void settle_carefully(void)
{
	struct hd_raw *r = hd_rt.pending;
	uint64_t value;
	struct iovec to = { .iov_base = &value, .iov_len = 1 };
	struct iovec from = { .iov_len = 1 };

	if (!r)
		return;
	if (r->op == HD_RAW_LOOP) {
		hd_rt_unput_loops();
		return;
	}
	from.iov_base = (void *)r->addr;
	if (hd_sys(SYS_process_vm_readv, hd_rt.pid, &to, 1, &from, 1, 0) == 1) {
		hd_rt_settle();
		return;
	}
	hd_rt.pending = NULL;
	r->spare = 0;
}

static void die_of(int sig)
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} dfl = { 0 };
	uint64_t bit = UINT64_C(1) << (sig - 1);

	hd_sys(SYS_rt_sigaction, sig, &dfl, 0, 8);
	hd_sys(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, 0, 8);
	hd_sys(SYS_tgkill, hd_sys(SYS_getpid), hd_sys(SYS_gettid), sig);
}

static void on_crash(int sig, siginfo_t *info, void *context)
{
	struct sigaction user;
	static bool crashing, preparing;

	/* Where there is no room for what a handler is to find, the kernel ends the program. */
	if (!preparing && hd_rt_signal_user_handler(sig, &user)) {
		struct hd_fault_frame *frame;

		/* It may jump away from a write that crashed, whose value nobody must look for. */
		if (hd_rt.active)
			settle_carefully();
		preparing = true;
		frame = hd_rt_fault_prepare(&user, info, context);
		preparing = false;
		hd_rt_fault_handle(frame, &user);
	}
	if (!crashing && hd_rt.active) {
		crashing = true; /* a crash in here ends the process without more ado */
		settle_carefully();
		if (!assertion_told) {
			uintptr_t addr = sig == SIGABRT ? 0 : (uintptr_t)info->si_addr;

			begin(HD_KIND_CRASH, addr, (uint64_t)sig, "");
			tell_thread(hd_rt.cur, true);
			end();
		}
		hd_rt_finish(128 + sig);
	}
	die_of(sig);
}

static stack_t crash_stack; /* one is enough: one thread runs at a time */

void hd_rt_crash_stack_use(void)
{
	if (crash_stack.ss_sp)
		hd_sys(SYS_sigaltstack, &crash_stack, 0);
}

void hd_rt_crash_init(void)
{
	struct sigaction sa = { .sa_sigaction = on_crash,
				.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	size_t size = 256u << 10;

	crash_stack = (stack_t){ .ss_sp = hd_rt_reserve(size), .ss_size = size };
	hd_rt_crash_stack_use();
	for (unsigned i = 0; i < sizeof(crash_signals) / sizeof(crash_signals[0]); i++)
		HD_REAL(sigaction)(crash_signals[i], &sa, NULL);
}
