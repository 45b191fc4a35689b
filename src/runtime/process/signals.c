/*
 * Signals at scheduling points only.
 *
 * The kernel never runs a handler of the program. It runs our recorder, which notes the
 * signal and returns; the program's handler runs later, on the thread that takes the signal:
 * at its next scheduling point, or when the signal ends its wait. Masks are kept per
 * fiber; the kernel's mask stays empty. A signal that a thread sends to another thread or
 * to the process never leaves the process, so it comes at the same point in every run.
 *
 * The signals of a fault are the crash handler's (findings.c); what the program installs for
 * them is only remembered.
 */
#include <limits.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/explore/explore.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/record.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/time/timers.h"

#define NSIG_ALL 65 /* 1 .. 64 */

/* What the program installed. */
static struct sigaction actions[NSIG_ALL];
/* Caught by the recorder because somebody blocks or awaits them, whatever their action. */
static uint64_t kept;

/* A signal on its way, in order of arrival. */
struct on_its_way {
	struct on_its_way *next;
	uint32_t thread; /* whose it is; 0: sent to the process, and nobody takes it yet */
	siginfo_t info;
};
static struct on_its_way *queue, **queue_tail = &queue;
static uint64_t process_pending; /* of the queue: those that nobody takes yet */

/* Filled by the recorder before it sets the bit in hd_rt.sig_process. */
static siginfo_t from_outside[NSIG_ALL];

static bool restart_after; /* the handlers that ran last all had SA_RESTART */

static uint64_t bit(int sig)
{
	return 1ull << (sig - 1);
}

static uint64_t bits_of(const sigset_t *set)
{
	return set->__val[0];
}

static void set_bits(sigset_t *set, uint64_t bits)
{
	/* Neither can be blocked; 32 and 33 are glibc's own. */
	set->__val[0] = bits & ~(bit(SIGKILL) | bit(SIGSTOP) | bit(32) | bit(33));
}

static bool is_valid(int sig)
{
	return sig >= 1 && sig < NSIG_ALL && sig != 32 && sig != 33;
}

/* Signals that the processor raises when an instruction fails. */
static bool is_fault(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL ||
	       sig == SIGTRAP || sig == SIGSYS || sig == SIGABRT;
}

static bool has_handler(int sig)
{
	return actions[sig].sa_handler != SIG_DFL && actions[sig].sa_handler != SIG_IGN;
}

static bool is_ignored(int sig)
{
	if (actions[sig].sa_handler == SIG_IGN)
		return true;
	return actions[sig].sa_handler == SIG_DFL && (sig == SIGCHLD || sig == SIGURG ||
						      sig == SIGWINCH || sig == SIGCONT);
}

bool hd_rt_signal_user_handler(int sig, struct sigaction *out)
{
	if (!has_handler(sig))
		return false;
	hd_rt_copy(out, &actions[sig], sizeof(*out));
	return true;
}

/* ---- who takes a signal ------------------------------------------------ */

static bool lets_in(const struct fiber *f, int sig)
{
	return f->state != HD_F_DONE && !(bits_of(&f->signals.mask) & bit(sig));
}

static bool awaits(const struct fiber *f, int sig)
{
	return f->state == HD_F_BLOCKED && f->wait.why == HD_TS_SIGNAL && f->wait.addr &&
	       (bits_of((const sigset_t *)f->wait.addr) & bit(sig));
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

static void default_action(int sig)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL};
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
	if (!has_handler(sig) && !is_fault(sig)) {
		struct fiber *f = taker(sig);

		if (f && !awaits(f, sig)) {
			if (!is_ignored(sig))
				default_action(sig);
			return;
		}
	}
	if (hd_rt.sig_process & bit(sig))
		return; /* one is waiting: they do not queue */
	hd_rt_copy(&from_outside[sig], info, sizeof(*info));
	__atomic_fetch_or(&hd_rt.sig_process, bit(sig), __ATOMIC_RELEASE);
}

/* Tell the kernel what to do with @sig. */
static void set_kernel_action(int sig)
{
	struct sigaction act;

	if (is_fault(sig))
		return;
	hd_rt_copy(&act, &actions[sig], sizeof(act));
	if (has_handler(sig) || (kept & bit(sig))) {
		act.sa_sigaction = record_signal;
		act.sa_flags = SA_SIGINFO | SA_RESTART |
			       (act.sa_flags & (SA_NOCLDSTOP | SA_NOCLDWAIT));
		act.sa_mask.__val[0] = ~0ull;
	}
	HD_REAL(sigaction)(sig, &act, NULL);
}

/* From now on the recorder catches @set: somebody blocks or awaits it. */
static void keep(uint64_t set)
{
	uint64_t fresh = set & ~kept;

	kept |= set;
	for (int sig = 1; fresh && sig < NSIG_ALL; sig++) {
		if ((fresh & bit(sig)) && is_valid(sig) && !has_handler(sig))
			set_kernel_action(sig);
	}
}

void hd_rt_signals_init(void)
{
	uint64_t none = 0, mask = 0;

	for (int sig = 1; sig < NSIG_ALL; sig++) {
		if (!is_valid(sig) || HD_REAL(sigaction)(sig, NULL, &actions[sig]) < 0)
			continue;
		/* A fault's handler, if any, is the crash handler, not the program's. */
		if (has_handler(sig) && is_fault(sig))
			hd_rt_fill(&actions[sig], 0, sizeof(actions[sig]));
		else if (has_handler(sig))
			set_kernel_action(sig);
	}
	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, 0, &mask, 8);
	set_bits(&hd_rt_main_fiber.signals.mask, mask);
	keep(bits_of(&hd_rt_main_fiber.signals.mask));
	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, 8);
}

long hd_rt_signals_ppoll(struct pollfd *fds, unsigned nfds, int64_t real_ns)
{
	struct timespec ts = {real_ns / (int64_t)HD_NS, real_ns % (int64_t)HD_NS};
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

bool hd_rt_signals_expected(void)
{
	if (hd_rt.timer_due != HD_NEVER)
		return false; /* the scheduler knows of that one */
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->state != HD_F_BLOCKED)
			continue;
		if (f->wait.why == HD_TS_SIGNAL ||
		    (f->wait.why == HD_TS_IO && hd_rt_io_awaits_signal(f)))
			return true;
	}
	return false;
}

bool hd_rt_signals_handled(void)
{
	for (int sig = 1; sig < NSIG_ALL; sig++) {
		if (has_handler(sig) && !is_fault(sig))
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

/* ---- sending ----------------------------------------------------------- */

static uint32_t thread_of(const struct fiber *f)
{
	return f ? f->id : 0;
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
	if (target)
		target->signals.pending |= bit(sig);
	else
		process_pending |= bit(sig);
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
		if ((*p)->thread == thread_of(target) && (set & bit(sig)) &&
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
	if (!is_queued(target, sig)) {
		if (target)
			target->signals.pending &= ~bit(sig);
		else
			process_pending &= ~bit(sig);
	}
	hd_rt_signalfds_show();
	return true;
}

/* The same for good. */
static bool accept_signal(struct fiber *target, uint64_t set, siginfo_t *info)
{
	if (!dequeue(target, set, info))
		return false;
	if (info->si_code == SI_TIMER)
		hd_rt_timer_accepted(info);
	return true;
}

/* @f is a thread that a signal is for; it may block it. True: it will get it. */
static bool give(struct fiber *f, const siginfo_t *info)
{
	int sig = info->si_signo;
	bool queued;

	if (!lets_in(f, sig) || awaits(f, sig)) {
		queued = enqueue(f, info);
		if (awaits(f, sig))
			hd_rt_wake(f, HD_WOKEN);
		return queued;
	}
	if (is_ignored(sig))
		return false;
	if (!has_handler(sig)) {
		default_action(sig);
		return false;
	}
	queued = enqueue(f, info);
	if (f->state == HD_F_BLOCKED && f->wait.interruptible)
		hd_rt_wake(f, HD_INTERRUPTED);
	return queued;
}

static bool give_to_process(const siginfo_t *info)
{
	struct fiber *f = taker(info->si_signo);

	return f ? give(f, info) : enqueue(NULL, info);
}

static void offer(siginfo_t *info)
{
	if (!give_to_process(info) && info->si_code == SI_TIMER)
		hd_rt_timer_accepted(info); /* nobody gets it: the next one can come */
}

/* Masks have changed: somebody may now take what nobody took. */
static void offer_again(void)
{
	uint64_t offered = process_pending;

	for (int sig = 1; offered && sig < NSIG_ALL; sig++) {
		siginfo_t info;

		while ((offered & bit(sig)) && taker(sig) && dequeue(NULL, bit(sig), &info))
			offer(&info);
	}
}

void hd_rt_signals_route(void)
{
	siginfo_t info;

	for (int sig = 1; hd_rt.sig_process && sig < NSIG_ALL; sig++) {
		if (!(hd_rt.sig_process & bit(sig)))
			continue;
		hd_rt_copy(&info, &from_outside[sig], sizeof(info));
		__atomic_fetch_and(&hd_rt.sig_process, ~bit(sig), __ATOMIC_ACQUIRE);
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
	return addr - (uintptr_t)actions < sizeof(actions);
}

void hd_rt_signal_release(int sig)
{
	hd_rt_event(HD_OP_HB_RELEASE, (uintptr_t)&actions[sig], 0, 0);
	hd_rt_signalfds_release(sig);
}

bool hd_rt_signal_raise(struct fiber *target, const siginfo_t *info)
{
	hd_rt_plan_news(); /* it may be the end */
	return target ? give(target, info) : give_to_process(info);
}

/* The current thread sends @sig to the process (@target NULL) or to a thread. */
static void post(struct fiber *target, int sig, int code, union sigval value)
{
	siginfo_t info;

	hd_rt_fill(&info, 0, sizeof(info));
	info.si_signo = sig;
	info.si_code = code;
	info.si_pid = hd_rt.pid;
	info.si_uid = (uid_t)hd_sys(SYS_getuid);
	info.si_value = value;
	hd_rt_progress();
	hd_rt_signal_release(sig);
	hd_rt_signal_raise(target, &info);
}

/* ---- handlers ---------------------------------------------------------- */

/* A handler that runs, so that a jump out of it can restore the mask. */
struct handler_frame {
	struct handler_frame *next;
	uint32_t thread;
	uintptr_t sp;
	sigset_t before;
};
static struct handler_frame *frames;

static struct handler_frame *push_frame(struct fiber *me)
{
	struct handler_frame *frame = hd_rt_alloc(sizeof(*frame));

	frame->thread = me->id;
	frame->sp = (uintptr_t)__builtin_frame_address(0);
	frame->before = me->signals.mask;
	frame->next = frames;
	frames = frame;
	return frame;
}

static void drop_frame(struct handler_frame *frame)
{
	for (struct handler_frame **p = &frames; *p; p = &(*p)->next) {
		if (*p == frame) {
			*p = frame->next;
			hd_rt_free(frame, sizeof(*frame));
			return;
		}
	}
}

static void call_handler(const struct sigaction *act, siginfo_t *info, struct fiber *me)
{
	ucontext_t context;

	if (!(act->sa_flags & SA_SIGINFO)) {
		act->sa_handler(info->si_signo);
		return;
	}
	hd_rt_fill(&context, 0, sizeof(context));
	context.uc_sigmask = me->signals.mask;
	act->sa_sigaction(info->si_signo, info, &context);
}

static void run_handler(struct fiber *me, siginfo_t *info)
{
	int sig = info->si_signo, saved_errno = errno;
	uintptr_t saved_pc = me->pc;
	struct handler_frame *frame;
	struct sigaction act;
	sigset_t before = me->signals.mask;

	hd_rt_copy(&act, &actions[sig], sizeof(act));
	if (act.sa_flags & SA_RESETHAND) {
		actions[sig].sa_handler = SIG_DFL;
		actions[sig].sa_flags &= ~SA_SIGINFO;
		set_kernel_action(sig);
	}
	hd_rt_event(HD_OP_SIGNAL, 0, (uint64_t)sig, 0);
	hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)&actions[sig], 0, 0);
	frame = push_frame(me);
	set_bits(&me->signals.mask, bits_of(&before) | bits_of(&act.sa_mask) |
					    (act.sa_flags & SA_NODEFER ? 0 : bit(sig)));
	keep(bits_of(&me->signals.mask));
	call_handler(&act, info, me);
	drop_frame(frame);
	me->signals.mask = before;
	me->pc = saved_pc;
	errno = saved_errno;
	offer_again();
}

bool hd_rt_signals_deliver(void)
{
	struct fiber *me = hd_rt.cur;
	bool ran = false, restart = true;
	siginfo_t info;

	hd_rt_signals_route();
	while ((me->signals.pending & ~bits_of(&me->signals.mask)) &&
	       accept_signal(me, ~bits_of(&me->signals.mask), &info)) {
		int sig = info.si_signo;

		/* The action may have changed since it was sent. */
		if (is_ignored(sig))
			continue;
		if (!has_handler(sig)) {
			default_action(sig);
			continue;
		}
		restart &= (actions[sig].sa_flags & SA_RESTART) != 0;
		run_handler(me, &info);
		ran = true;
	}
	if (ran)
		restart_after = restart;
	return ran;
}

bool hd_rt_signals_restart(void)
{
	return restart_after;
}

/* The stack pointer that a jump leads to: glibc keeps it scrambled. */
static uintptr_t jump_target(const struct __jmp_buf_tag *env)
{
	uintptr_t sp = (uintptr_t)env->__jmpbuf[6], guard;

	__asm__("mov %%fs:0x30, %0" : "=r"(guard));
	return (sp >> 17 | sp << 47) ^ guard;
}

/* Handlers that a jump leaves end here; the mask comes back if it was saved. */
static void leave_handlers(const struct __jmp_buf_tag *env)
{
	struct fiber *me = hd_rt.cur;
	uintptr_t target = jump_target(env);

	for (struct handler_frame *frame = frames, *next; frame; frame = next) {
		next = frame->next;
		if (frame->thread != me->id || frame->sp >= target)
			continue;
		if (env->__mask_was_saved)
			me->signals.mask = frame->before;
		drop_frame(frame);
	}
	offer_again();
}

void __longjmp_chk(struct __jmp_buf_tag env[1], int value) __attribute__((noreturn));

#define LONGJMP(name)                                                                              \
	HD_EXPORT void name(struct __jmp_buf_tag env[1], int value)                                \
	{                                                                                          \
		if (hd_rt_enter(HD_CALLER) && frames)                                              \
			leave_handlers(env);                                                       \
		HD_REAL(name)(env, value);                                                         \
		__builtin_unreachable();                                                           \
	}
LONGJMP(longjmp)
LONGJMP(_longjmp)
LONGJMP(siglongjmp)
LONGJMP(__longjmp_chk)

/* ---- actions ----------------------------------------------------------- */

/* Signals that become ignored are forgotten where they wait. */
static void forget_ignored(int sig)
{
	siginfo_t info;

	if (!is_ignored(sig))
		return;
	while (accept_signal(NULL, bit(sig), &info))
		;
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		while ((f->signals.pending & bit(sig)) && accept_signal(f, bit(sig), &info))
			;
	}
}

static int set_action(int sig, const struct sigaction *new, struct sigaction *old)
{
	struct sigaction before;

	if (!is_valid(sig) || (new && (sig == SIGKILL || sig == SIGSTOP)))
		return hd_rt_fail(EINVAL);
	hd_rt_copy(&before, &actions[sig], sizeof(before));
	if (new) {
		hd_rt_copy(&actions[sig], new, sizeof(*new));
		set_kernel_action(sig);
		forget_ignored(sig);
	}
	if (old)
		hd_rt_copy(old, &before, sizeof(before));
	return 0;
}

HD_EXPORT int sigaction(int sig, const struct sigaction *restrict new,
			struct sigaction *restrict old)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(sigaction)(sig, new, old);
	return set_action(sig, new, old);
}

static __sighandler_t set_handler(int sig, __sighandler_t handler, int flags)
{
	struct sigaction new = {.sa_handler = handler, .sa_flags = flags}, old;

	return set_action(sig, &new, &old) ? SIG_ERR : old.sa_handler;
}

#define SIGNAL(name, flags)                                                                        \
	HD_EXPORT __sighandler_t name(int sig, __sighandler_t handler)                             \
	{                                                                                          \
		if (!hd_rt_enter(HD_CALLER))                                                       \
			return HD_REAL(name)(sig, handler);                                        \
		return set_handler(sig, handler, flags);                                           \
	}

__sighandler_t bsd_signal(int sig, __sighandler_t handler);

SIGNAL(signal, SA_RESTART)
SIGNAL(bsd_signal, SA_RESTART)
SIGNAL(ssignal, SA_RESTART)
SIGNAL(sysv_signal, SA_RESETHAND | SA_NODEFER)
SIGNAL(__sysv_signal, SA_RESETHAND | SA_NODEFER)

/* Old calls, still exported, that the headers warn about. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

HD_EXPORT int siginterrupt(int sig, int interrupt)
{
	struct sigaction act;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(siginterrupt)(sig, interrupt);
	if (set_action(sig, NULL, &act))
		return -1;
	if (interrupt)
		act.sa_flags &= ~SA_RESTART;
	else
		act.sa_flags |= SA_RESTART;
	return set_action(sig, &act, NULL);
}

/* ---- masks ------------------------------------------------------------- */

static void new_mask(struct fiber *me, uint64_t bits)
{
	set_bits(&me->signals.mask, bits);
	keep(bits_of(&me->signals.mask));
	offer_again();
	if (hd_rt_signals_waiting())
		hd_rt_signals_deliver();
}

void hd_rt_signals_block_all(struct fiber *f)
{
	set_bits(&f->signals.mask, ~0ull);
}

static int change_mask(struct fiber *me, int how, const sigset_t *set, sigset_t *old)
{
	uint64_t before = bits_of(&me->signals.mask), bits = set ? bits_of(set) : 0;

	if (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
		return EINVAL;
	if (old) {
		sigemptyset(old);
		set_bits(old, before);
	}
	if (!set)
		return 0;
	if (how == SIG_BLOCK)
		bits |= before;
	else if (how == SIG_UNBLOCK)
		bits = before & ~bits;
	new_mask(me, bits);
	return 0;
}

HD_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	return me ? change_mask(me, how, set, old) : HD_REAL(pthread_sigmask)(how, set, old);
}

HD_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);
	int err;

	if (!me)
		return HD_REAL(sigprocmask)(how, set, old);
	err = change_mask(me, how, set, old);
	return err ? hd_rt_fail(err) : 0;
}

static int hold(struct fiber *me, int sig, bool blocked)
{
	uint64_t before = bits_of(&me->signals.mask);

	if (!is_valid(sig))
		return hd_rt_fail(EINVAL);
	new_mask(me, blocked ? before | bit(sig) : before & ~bit(sig));
	return 0;
}

HD_EXPORT int sighold(int sig)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	return me ? hold(me, sig, true) : HD_REAL(sighold)(sig);
}

HD_EXPORT int sigrelse(int sig)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	return me ? hold(me, sig, false) : HD_REAL(sigrelse)(sig);
}

HD_EXPORT int sigignore(int sig)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(sigignore)(sig);
	return set_handler(sig, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

#pragma GCC diagnostic pop

HD_EXPORT int sigpending(sigset_t *set)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	if (!me)
		return HD_REAL(sigpending)(set);
	hd_rt_signals_route();
	sigemptyset(set);
	set_bits(set, (process_pending | me->signals.pending) & bits_of(&me->signals.mask));
	return 0;
}

bool hd_rt_sigmask_enter(struct fiber *me, const sigset_t *mask, sigset_t *saved)
{
	*saved = me->signals.mask;
	set_bits(&me->signals.mask, bits_of(mask));
	keep(bits_of(&me->signals.mask));
	offer_again();
	return !(hd_rt_signals_waiting() && hd_rt_signals_deliver());
}

void hd_rt_sigmask_leave(struct fiber *me, const sigset_t *saved)
{
	me->signals.mask = *saved;
	offer_again();
}

/* ---- waiting ----------------------------------------------------------- */

static bool take_pending(struct fiber *me, uint64_t set, siginfo_t *info)
{
	hd_rt_signals_route();
	return accept_signal(me, set, info) || accept_signal(NULL, set, info);
}

/* The current thread has got a signal. */
static void took(const siginfo_t *info)
{
	hd_rt_progress();
	hd_rt_event(HD_OP_SIGNAL, 0, (uint64_t)info->si_signo, 0);
	hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)&actions[info->si_signo], 0, 0);
}

bool hd_rt_signal_take(struct fiber *me, const sigset_t *set, siginfo_t *info)
{
	if (!take_pending(me, bits_of(set), info))
		return false;
	took(info);
	return true;
}

void hd_rt_signal_missed(const sigset_t *set)
{
	for (int sig = 1; hd_rt.exploring && sig < NSIG_ALL; sig++) {
		if (bits_of(set) & bit(sig))
			hd_rt_explore_come((uintptr_t)&actions[sig]);
	}
}

int hd_rt_signal_await(struct fiber *me, const sigset_t *set)
{
	sigset_t wanted;
	enum hd_wake wake;

	hd_rt_fill(&wanted, 0, sizeof(wanted));
	set_bits(&wanted, bits_of(set) & bits_of(&me->signals.mask)); /* others have their action */
	wake = hd_rt_block_cancellable(HD_TS_SIGNAL, (uintptr_t)&wanted, HD_NEVER, true);
	if (wake == HD_CANCELLED)
		hd_rt_testcancel();
	return wake == HD_INTERRUPTED && !hd_rt_signals_restart() ? EINTR : 0;
}

bool hd_rt_signals_pending_in(const sigset_t *set)
{
	uint64_t pending = process_pending;

	for (const struct fiber *f = hd_rt.all; f; f = f->next)
		pending |= f->signals.pending & bits_of(&f->signals.mask);
	return pending & bits_of(set);
}

/* Wait for one of @set until @deadline: 0, EAGAIN or EINTR. */
static int await(struct fiber *me, const sigset_t *set, siginfo_t *info, uint64_t deadline)
{
	sigset_t wanted, saved = me->signals.mask;
	enum hd_wake wake = HD_WOKEN;
	bool got;

	hd_rt_fill(&wanted, 0, sizeof(wanted));
	set_bits(&wanted, bits_of(set));
	/* While we wait, no handler may take what we wait for. */
	set_bits(&me->signals.mask, bits_of(&saved) | bits_of(&wanted));
	keep(bits_of(&wanted));
	while (!(got = take_pending(me, bits_of(&wanted), info)) && wake == HD_WOKEN &&
	       deadline > hd_rt.now)
		wake = hd_rt_block_cancellable(HD_TS_SIGNAL, (uintptr_t)&wanted, deadline, true);
	me->signals.mask = saved;
	offer_again();
	if (got) {
		took(info);
		return 0;
	}
	if (wake == HD_CANCELLED)
		hd_rt_testcancel();
	if (wake == HD_WOKEN)
		hd_rt_expired();
	return wake == HD_INTERRUPTED ? EINTR : EAGAIN;
}

static struct fiber *begin(uintptr_t caller)
{
	struct fiber *me = hd_rt_enter(caller);

	if (!me)
		return NULL;
	hd_rt_point();
	hd_rt_testcancel();
	return me;
}

HD_EXPORT int sigwait(const sigset_t *restrict set, int *restrict sig)
{
	struct fiber *me = begin(HD_CALLER);
	siginfo_t info;
	int err;

	if (!me)
		return HD_REAL(sigwait)(set, sig);
	do
		err = await(me, set, &info, HD_NEVER);
	while (err == EINTR);
	if (!err)
		*sig = info.si_signo;
	return err;
}

static int wait_info(struct fiber *me, const sigset_t *set, siginfo_t *out, uint64_t deadline)
{
	siginfo_t info;
	int err = await(me, set, &info, deadline);

	if (err)
		return hd_rt_fail(err);
	if (out)
		hd_rt_copy(out, &info, sizeof(info));
	return info.si_signo;
}

HD_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	struct fiber *me = begin(HD_CALLER);

	return me ? wait_info(me, set, info, HD_NEVER) : HD_REAL(sigwaitinfo)(set, info);
}

HD_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			   const struct timespec *restrict timeout)
{
	struct fiber *me = begin(HD_CALLER);

	if (!me)
		return HD_REAL(sigtimedwait)(set, info, timeout);
	if (timeout && (timeout->tv_nsec < 0 || timeout->tv_nsec >= (long)HD_NS))
		return hd_rt_fail(EINVAL);
	return wait_info(me, set, info, timeout ? hd_rt_deadline_rel(timeout) : HD_NEVER);
}

/* Until a handler has run. */
static void wait_for_handler(void)
{
	enum hd_wake wake;

	do
		wake = hd_rt_block_cancellable(HD_TS_SIGNAL, 0, HD_NEVER, true);
	while (wake == HD_WOKEN);
	if (wake == HD_INTERRUPTED)
		hd_rt_signals_deliver();
}

HD_EXPORT int sigsuspend(const sigset_t *mask)
{
	struct fiber *me = begin(HD_CALLER);
	sigset_t saved;

	if (!me)
		return HD_REAL(sigsuspend)(mask);
	if (hd_rt_sigmask_enter(me, mask, &saved))
		wait_for_handler();
	hd_rt_sigmask_leave(me, &saved);
	hd_rt_testcancel();
	return hd_rt_fail(EINTR);
}

HD_EXPORT int pause(void)
{
	struct fiber *me = begin(HD_CALLER);

	if (!me)
		return HD_REAL(pause)();
	wait_for_handler();
	hd_rt_testcancel();
	return hd_rt_fail(EINTR);
}

/* ---- sending calls ----------------------------------------------------- */

static struct fiber *find_thread(pthread_t pt)
{
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->thread.pt == pt)
			return f;
	}
	return NULL;
}

static int send_to_thread(pthread_t pt, int sig, int code, union sigval value)
{
	struct fiber *f = find_thread(pt);

	if (!f)
		return ESRCH;
	if (sig && !is_valid(sig))
		return EINVAL;
	if (!sig || f->state == HD_F_DONE)
		return 0;
	post(f, sig, code, value);
	/* Whoever sends a signal to itself has handled it when the call returns. */
	if (hd_rt_signals_waiting())
		hd_rt_signals_deliver();
	return 0;
}

HD_EXPORT int pthread_kill(pthread_t pt, int sig)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_kill)(pt, sig);
	hd_rt_point();
	return send_to_thread(pt, sig, SI_TKILL, (union sigval){0});
}

HD_EXPORT int pthread_sigqueue(pthread_t pt, int sig, const union sigval value)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_sigqueue)(pt, sig, value);
	hd_rt_point();
	return send_to_thread(pt, sig, SI_QUEUE, value);
}

static int raise_here(struct fiber *me, int sig)
{
	int err;

	if (!is_valid(sig))
		return hd_rt_fail(EINVAL);
	hd_rt_point();
	err = send_to_thread(me->thread.pt, sig, SI_TKILL, (union sigval){ 0 });
	return err ? hd_rt_fail(err) : 0;
}

HD_EXPORT int raise(int sig)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	return me ? raise_here(me, sig) : HD_REAL(raise)(sig);
}

HD_EXPORT int gsignal(int sig)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	return me ? raise_here(me, sig) : HD_REAL(gsignal)(sig);
}

static int send_to_self(int sig, int code, union sigval value)
{
	post(NULL, sig, code, value);
	if (hd_rt_signals_waiting())
		hd_rt_signals_deliver();
	return 0;
}

HD_EXPORT int kill(pid_t pid, int sig)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(kill)(pid, sig);
	hd_rt_point();
	if (pid != hd_rt.pid || !is_valid(sig) || sig == SIGKILL || sig == SIGSTOP)
		return HD_REAL(kill)(pid, sig);
	return send_to_self(sig, SI_USER, (union sigval){0});
}

HD_EXPORT int sigqueue(pid_t pid, int sig, const union sigval value)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(sigqueue)(pid, sig, value);
	hd_rt_point();
	if (pid != hd_rt.pid || !is_valid(sig) || sig == SIGKILL || sig == SIGSTOP)
		return HD_REAL(sigqueue)(pid, sig, value);
	return send_to_self(sig, SI_QUEUE, value);
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
