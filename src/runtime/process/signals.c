/*
 * Signals at scheduling points only.
 *
 * The kernel never runs a handler of the program. It runs our recorder, which notes the
 * signal and returns; the program's handler runs later, on the thread that takes the signal:
 * at its next scheduling point, or when the signal ends its wait. Masks are kept per
 * fiber; the kernel's mask stays empty. A signal that a thread sends to another thread or
 * to the process never leaves the process, so it comes at the same point in every run.
 *
 * Here is the state of that: what the program installed, which signals are on their way, and who
 * takes them. signal_handlers.c runs the handlers; the program's calls are in signal_masks.c,
 * signal_waits.c and signal_sends.c.
 *
 * The signals of a fault are the crash handler's (findings.c); what the program installs for
 * them is only remembered.
 */
#include "signal_state.h"

#include <unistd.h>

#include "runtime/explore/explore.h"
#include "runtime/explore/repeat.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/alloc.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/record.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/time/timers.h"
#include "signal_nudges.h"

struct sigaction hd_rt_sig_actions[HD_RT_NSIG];
/* Caught by the recorder because somebody blocks or awaits them, whatever their action. */
static uint64_t kept;

/* A signal on its way, in order of arrival. */
struct on_its_way {
	struct on_its_way *next;
	uint32_t thread; /* whose it is; 0: sent to the process, and nobody takes it yet */
	siginfo_t info;
};
static struct on_its_way *queue, **queue_tail = &queue;
static uint64_t process_pending;	/* of the queue: those that nobody takes yet */
static uint64_t let_in, let_in_by_many; /* exploring: by one thread so far, by several */
static uint64_t with_handler;		/* those that the program has handlers for */

/* Filled by the recorder before it sets the bit in hd_rt.sig_process. */
static siginfo_t from_outside[HD_RT_NSIG];

/* Signals that the processor raises when an instruction fails. */
static bool is_fault(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL ||
	       sig == SIGTRAP || sig == SIGSYS || sig == SIGABRT;
}

bool hd_rt_sig_has_handler(int sig)
{
	return hd_rt_sig_actions[sig].sa_handler != SIG_DFL &&
	       hd_rt_sig_actions[sig].sa_handler != SIG_IGN;
}

uint64_t hd_rt_sig_handled(void)
{
	return with_handler;
}

bool hd_rt_sig_ignored(int sig)
{
	if (hd_rt_sig_actions[sig].sa_handler == SIG_IGN)
		return true;
	return hd_rt_sig_actions[sig].sa_handler == SIG_DFL &&
	       (sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT);
}

void hd_rt_sig_once(int sig)
{
	if (!(hd_rt_sig_actions[sig].sa_flags & SA_RESETHAND))
		return;
	hd_rt_sig_actions[sig].sa_handler = SIG_DFL;
	hd_rt_sig_actions[sig].sa_flags &= ~SA_SIGINFO;
	hd_rt_sig_tell_kernel(sig);
}

bool hd_rt_signal_user_handler(int sig, struct sigaction *out)
{
	if (!hd_rt_sig_has_handler(sig))
		return false;
	hd_rt_copy(out, &hd_rt_sig_actions[sig], sizeof(*out));
	hd_rt_sig_once(sig);
	return true;
}

/* ---- who takes a signal ------------------------------------------------ */

static bool lets_in(const struct fiber *f, int sig)
{
	return f->state != HD_F_DONE && !(hd_rt_sig_bits(&f->signals.mask) & hd_rt_sig_bit(sig));
}

static bool awaits(const struct fiber *f, int sig)
{
	return f->state == HD_F_BLOCKED && f->wait.why == HD_TS_SIGNAL && f->wait.addr &&
	       (hd_rt_sig_bits((const sigset_t *)f->wait.addr) & hd_rt_sig_bit(sig));
}

/* Could run the handler soon: not stuck in a wait that signals do not end. */
static bool is_reachable(const struct fiber *f)
{
	return f->state == HD_F_RUNNABLE || f->wait.interruptible;
}

/* The thread that takes a signal sent to the process; NULL: nobody does. */
static struct fiber *taker(int sig)
{
	struct fiber *any = NULL;

	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (awaits(f, sig))
			return f;
	}
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (!lets_in(f, sig))
			continue;
		if (is_reachable(f))
			return f;
		if (!any)
			any = f;
	}
	return any;
}

/* ---- the kernel's side ------------------------------------------------- */

void hd_rt_sig_default(int sig)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	uint64_t all = 0;

	if (sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU)
		sig = SIGSTOP;
	else if (!is_fault(sig))
		HD_REAL(sigaction)(sig, &dfl, NULL);
	hd_rt_settle();
	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, 8);
	hd_sys(SYS_tgkill, hd_rt.pid, hd_sys(SYS_gettid), sig);
}

/*
 * The only handler that the kernel knows. A signal without a handler is here only because
 * some thread blocks it; if another lets it in, it has its default effect at once.
 */
static void record_signal(int sig, siginfo_t *info, void *context)
{
	if (!hd_rt_sig_has_handler(sig) && !is_fault(sig)) {
		struct fiber *f = taker(sig);

		if (f && !awaits(f, sig)) {
			if (!hd_rt_sig_ignored(sig))
				hd_rt_sig_default(sig);
			return;
		}
	}
	if (hd_rt.sig_process & hd_rt_sig_bit(sig))
		return; /* one is waiting: they do not queue */
	hd_rt_copy(&from_outside[sig], info, sizeof(*info));
	__atomic_fetch_or(&hd_rt.sig_process, hd_rt_sig_bit(sig), __ATOMIC_RELEASE);
	hd_rt_nudge_signal();
}

void hd_rt_sig_tell_kernel(int sig)
{
	struct sigaction act;

	with_handler &= ~hd_rt_sig_bit(sig);
	if (hd_rt_sig_has_handler(sig))
		with_handler |= hd_rt_sig_bit(sig);
	if (is_fault(sig))
		return;
	hd_rt_repeat_cannot();
	hd_rt_copy(&act, &hd_rt_sig_actions[sig], sizeof(act));
	if (hd_rt_sig_has_handler(sig) || (kept & hd_rt_sig_bit(sig))) {
		act.sa_sigaction = record_signal;
		act.sa_flags =
			SA_SIGINFO | SA_RESTART | (act.sa_flags & (SA_NOCLDSTOP | SA_NOCLDWAIT));
		act.sa_mask.__val[0] = ~0ull;
	}
	HD_REAL(sigaction)(sig, &act, NULL);
}

void hd_rt_sig_keep(uint64_t set)
{
	uint64_t fresh = set & ~kept;

	kept |= set;
	for (int sig = 1; fresh && sig < HD_RT_NSIG; sig++) {
		if ((fresh & hd_rt_sig_bit(sig)) && hd_rt_sig_valid(sig) &&
		    !hd_rt_sig_has_handler(sig))
			hd_rt_sig_tell_kernel(sig);
	}
}

void hd_rt_signals_init(void)
{
	uint64_t none = 0, mask = 0;

	hd_rt_inside_libc(0); /* looks where that is while it may */
	for (int sig = 1; sig < HD_RT_NSIG; sig++) {
		if (!hd_rt_sig_valid(sig) ||
		    HD_REAL(sigaction)(sig, NULL, &hd_rt_sig_actions[sig]) < 0)
			continue;
		/* A fault's handler, if any, is the crash handler, not the program's. */
		if (hd_rt_sig_has_handler(sig) && is_fault(sig))
			hd_rt_fill(&hd_rt_sig_actions[sig], 0, sizeof(hd_rt_sig_actions[sig]));
		else if (hd_rt_sig_has_handler(sig))
			hd_rt_sig_tell_kernel(sig);
	}
	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, 0, &mask, 8);
	hd_rt_sig_set(&hd_rt_main_fiber.signals.mask, mask);
	hd_rt_sig_keep(hd_rt_sig_bits(&hd_rt_main_fiber.signals.mask));
	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, 8);
}

long hd_rt_signals_ppoll(struct pollfd *fds, unsigned nfds, int64_t real_ns)
{
	struct timespec ts = { real_ns / (int64_t)HD_NS, real_ns % (int64_t)HD_NS };
	uint64_t all = ~0ull, none = 0, before;
	long r = -EINTR;

	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
	hd_rt_pulse->waiting = 1;
	if (!hd_rt.sig_process)
		r = hd_sys(SYS_ppoll, fds, nfds, real_ns < 0 ? NULL : &ts, &none, 8);
	hd_rt_pulse->waiting = 0;
	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, 8);
	return r;
}

void hd_rt_signals_wait(int64_t real_ns)
{
	/* Wait for real only if nothing else can happen: time jumps to a deadline or timer. */
	if (real_ns < 0 && hd_rt.timer_due == HD_NEVER) {
		hd_rt_outside("waited for a signal");
		hd_rt_signals_ppoll(NULL, 0, -1);
	}
	hd_rt_signals_route();
}

void hd_rt_signals_spend(void)
{
	if (!hd_rt_sig_has_handler(SIGXCPU) && !hd_rt_sig_has_handler(SIGVTALRM) &&
	    !hd_rt_sig_has_handler(SIGPROF)) {
		hd_rt_signals_wait(-1);
		return;
	}
	hd_rt_outside("waited for a signal");
	hd_rt_pulse->waiting = 1;
	while (!hd_rt.sig_process)
		__builtin_ia32_pause();
	hd_rt_pulse->waiting = 0;
	hd_rt_signals_route();
}

/* Handlers wake those who read from a pipe or wait for a semaphore; locks are not for them. */
static bool may_be_woken(const struct fiber *f, bool handled)
{
	switch (f->wait.why) {
	case HD_TS_SIGNAL:
		return true;
	case HD_TS_IO:
		return handled || hd_rt_io_awaits_signal(f);
	case HD_TS_SEM:
		return handled;
	default:
		return false;
	}
}

bool hd_rt_signals_expected(void)
{
	bool handled = hd_rt_signals_handled();

	if (hd_rt.timer_due != HD_NEVER)
		return false; /* the scheduler knows of that one */
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->state == HD_F_BLOCKED && may_be_woken(f, handled))
			return true;
	}
	return false;
}

bool hd_rt_signals_handled(void)
{
	for (int sig = 1; sig < HD_RT_NSIG; sig++) {
		if (hd_rt_sig_has_handler(sig) && !is_fault(sig))
			return true;
	}
	return false;
}

void hd_rt_signals_pace(uint64_t real_ns)
{
	hd_rt_outside("waited for a signal");
	hd_rt_signals_ppoll(NULL, 0, (int64_t)real_ns);
	hd_rt_signals_route();
}

/* ---- on their way -------------------------------------------------------- */

static uint32_t thread_of(const struct fiber *f)
{
	return f ? f->id : 0;
}

static uint64_t *pending_of(struct fiber *target)
{
	return target ? &target->signals.pending : &process_pending;
}

/* Others may look for it at any of their scheduling points: an operation of the explorer's. */
static void set_pending(struct fiber *target, uint64_t bits)
{
	uint64_t *pending = pending_of(target), was = *pending;

	*pending = bits;
	hd_rt_explore_change((uintptr_t)pending, was, bits);
}

void hd_rt_signals_look(void)
{
	struct fiber *me = hd_rt.cur;
	uint64_t bits = with_handler & ~hd_rt_sig_bits(&me->signals.mask);
	uint64_t fresh = bits & ~me->signals.let_in;

	if (!bits)
		return;
	hd_rt_explore_come((uintptr_t)pending_of(me));
	me->signals.let_in |= fresh;
	let_in_by_many |= let_in & fresh;
	let_in |= fresh;
}

static bool is_queued(const struct fiber *target, int sig)
{
	for (struct on_its_way *q = queue; q; q = q->next) {
		if (q->thread == thread_of(target) && q->info.si_signo == sig)
			return true;
	}
	return false;
}

/* False: such a signal waits already, and they do not queue. */
static bool enqueue(struct fiber *target, const siginfo_t *info)
{
	struct on_its_way *q;
	int sig = info->si_signo;

	if (sig < SIGRTMIN && is_queued(target, sig))
		return false;
	q = hd_rt_alloc(sizeof(*q));
	q->thread = thread_of(target);
	hd_rt_copy(&q->info, info, sizeof(*info));
	*queue_tail = q;
	queue_tail = &q->next;
	set_pending(target, *pending_of(target) | hd_rt_sig_bit(sig));
	hd_rt_signalfds_show();
	return true;
}

/* Take the first of @set that is on its way to @target; false: none. */
static bool dequeue(struct fiber *target, uint64_t set, siginfo_t *info)
{
	struct on_its_way **best = NULL, *q;
	int sig;

	for (struct on_its_way **p = &queue; *p; p = &(*p)->next) {
		sig = (*p)->info.si_signo;
		if ((*p)->thread == thread_of(target) && (set & hd_rt_sig_bit(sig)) &&
		    (!best || sig < (*best)->info.si_signo))
			best = p;
	}
	if (!best)
		return false;
	q = *best;
	sig = q->info.si_signo;
	*best = q->next;
	if (!*best)
		queue_tail = best;
	hd_rt_copy(info, &q->info, sizeof(*info));
	hd_rt_free(q, sizeof(*q));
	if (!is_queued(target, sig))
		set_pending(target, *pending_of(target) & ~hd_rt_sig_bit(sig));
	hd_rt_signalfds_show();
	return true;
}

bool hd_rt_sig_accept(struct fiber *target, uint64_t set, siginfo_t *info)
{
	if (!dequeue(target, set, info))
		return false;
	if (info->si_code == SI_TIMER)
		hd_rt_timer_accepted(info);
	return true;
}

uint64_t hd_rt_sig_process_pending(void)
{
	return process_pending;
}

/* @f is a thread that a signal is for; it may block it. True: it will get it. */
static bool give(struct fiber *f, const siginfo_t *info)
{
	int sig = info->si_signo;
	bool queued;

	hd_rt_explore_come((uintptr_t)&f->signals.mask);
	if (!lets_in(f, sig) || awaits(f, sig)) {
		queued = enqueue(f, info);
		if (awaits(f, sig))
			hd_rt_wake(f, HD_WOKEN);
		return queued;
	}
	if (hd_rt_sig_ignored(sig))
		return false;
	if (!hd_rt_sig_has_handler(sig)) {
		hd_rt_sig_default(sig);
		return false;
	}
	queued = enqueue(f, info);
	if (f->state == HD_F_BLOCKED && f->wait.interruptible)
		hd_rt_wake(f, HD_INTERRUPTED);
	return queued;
}

/* Could several threads take @sig, or could they have if others had run first? Which one does is not tried. */
static bool has_takers(int sig)
{
	unsigned n = 0;

	for (const struct fiber *f = hd_rt.all; f; f = f->next)
		n += lets_in(f, sig);
	return n > 1 || (let_in_by_many & hd_rt_sig_bit(sig));
}

static bool give_to_process(const siginfo_t *info)
{
	struct fiber *f = taker(info->si_signo);

	if (hd_rt.exploring && hd_rt_sig_has_handler(info->si_signo) && has_takers(info->si_signo))
		hd_rt_explore_uses(HD_X_USES_SIGNALS);
	return f ? give(f, info) : enqueue(NULL, info);
}

static void offer(siginfo_t *info)
{
	if (!give_to_process(info) && info->si_code == SI_TIMER)
		hd_rt_timer_accepted(info); /* nobody gets it: the next one can come */
}

void hd_rt_sig_offer_again(void)
{
	uint64_t offered = process_pending;

	for (int sig = 1; offered && sig < HD_RT_NSIG; sig++) {
		siginfo_t info;

		while ((offered & hd_rt_sig_bit(sig)) && taker(sig) &&
		       dequeue(NULL, hd_rt_sig_bit(sig), &info))
			offer(&info);
	}
}

void hd_rt_signals_route(void)
{
	siginfo_t info;

	for (int sig = 1; hd_rt.sig_process && sig < HD_RT_NSIG; sig++) {
		if (!(hd_rt.sig_process & hd_rt_sig_bit(sig)))
			continue;
		hd_rt_copy(&info, &from_outside[sig], sizeof(info));
		__atomic_fetch_and(&hd_rt.sig_process, ~hd_rt_sig_bit(sig), __ATOMIC_ACQUIRE);
		/* A broken pipe is the fault of whoever writes. */
		if (sig == SIGPIPE && info.si_code == SI_USER && info.si_pid == hd_rt.pid) {
			give(hd_rt.cur, &info);
			continue;
		}
		if (info.si_pid != hd_rt.pid)
			hd_rt_outside("a signal from another process");
		give_to_process(&info);
	}
}

bool hd_rt_signal_object(uintptr_t addr)
{
	return addr - (uintptr_t)hd_rt_sig_actions < sizeof(hd_rt_sig_actions);
}

void hd_rt_signal_release(int sig)
{
	hd_rt_event(HD_OP_HB_RELEASE, (uintptr_t)&hd_rt_sig_actions[sig], 0, 0);
	hd_rt_signalfds_release(sig);
}

bool hd_rt_signal_raise(struct fiber *target, const siginfo_t *info)
{
	hd_rt_plan_news(); /* it may be the end */
	return target ? give(target, info) : give_to_process(info);
}

/* ---- fork and exec ----------------------------------------------------- */

void hd_rt_signals_after_fork_child(void)
{
	struct on_its_way *next;

	/* A child starts with nothing pending. */
	for (; queue; queue = next) {
		next = queue->next;
		hd_rt_free(queue, sizeof(*queue));
	}
	hd_rt.cur->signals.pending = 0;
	queue_tail = &queue;
	process_pending = 0;
	hd_rt.sig_process = 0;
}

void hd_rt_signals_show_mask(void)
{
	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &hd_rt.cur->signals.mask, 0, 8);
}

void hd_rt_signals_hide_mask(void)
{
	uint64_t none = 0;

	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, 8);
}
