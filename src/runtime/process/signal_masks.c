/*
 * What the program says about signals: their actions, and which of them a thread blocks.
 */
#include "signal_state.h"

#include "runtime/explore/explore.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"

/* ---- actions ----------------------------------------------------------- */

/* Signals that become ignored are forgotten where they wait. */
static void forget_ignored(int sig)
{
	siginfo_t info;

	if (!hd_rt_sig_ignored(sig))
		return;
	while (hd_rt_sig_accept(NULL, hd_rt_sig_bit(sig), &info))
		;
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		while ((f->signals.pending & hd_rt_sig_bit(sig)) &&
		       hd_rt_sig_accept(f, hd_rt_sig_bit(sig), &info))
			;
	}
}

static int set_action(int sig, const struct sigaction *new, struct sigaction *old)
{
	struct sigaction before;

	if (!hd_rt_sig_valid(sig) || (new && (sig == SIGKILL || sig == SIGSTOP)))
		return hd_rt_fail(EINVAL);
	hd_rt_copy(&before, &hd_rt_sig_actions[sig], sizeof(before));
	if (new) {
		hd_rt_changes_unseen();
		hd_rt_copy(&hd_rt_sig_actions[sig], new, sizeof(*new));
		hd_rt_explore_change((uintptr_t)&hd_rt_sig_actions[sig],
				     (uintptr_t)before.sa_handler, (uintptr_t) new->sa_handler);
		/* What others did before did not look for signals. */
		if (hd_rt.nthreads > 1 && hd_rt_sig_has_handler(sig))
			hd_rt_explore_uses(HD_X_USES_SIGNALS);
		hd_rt_sig_tell_kernel(sig);
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
	struct sigaction new = { .sa_handler = handler, .sa_flags = flags }, old;

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
	/* The last moment for those that are blocked from now on. */
	if (bits & ~hd_rt_sig_bits(&me->signals.mask) & hd_rt_sig_handled())
		hd_rt_point();
	hd_rt_explore_change((uintptr_t)&me->signals.mask, hd_rt_sig_bits(&me->signals.mask), bits);
	hd_rt_sig_set(&me->signals.mask, bits);
	hd_rt_sig_keep(hd_rt_sig_bits(&me->signals.mask));
	hd_rt_sig_offer_again();
	if (hd_rt_signals_waiting())
		hd_rt_signals_deliver();
}

void hd_rt_signals_block_all(struct fiber *f)
{
	hd_rt_sig_set(&f->signals.mask, ~0ull);
}

static int change_mask(struct fiber *me, int how, const sigset_t *set, sigset_t *old)
{
	uint64_t before = hd_rt_sig_bits(&me->signals.mask), bits = set ? hd_rt_sig_bits(set) : 0;

	if (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
		return EINVAL;
	if (old) {
		sigemptyset(old);
		hd_rt_sig_set(old, before);
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
	uint64_t before = hd_rt_sig_bits(&me->signals.mask);

	if (!hd_rt_sig_valid(sig))
		return hd_rt_fail(EINVAL);
	new_mask(me, blocked ? before | hd_rt_sig_bit(sig) : before & ~hd_rt_sig_bit(sig));
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
	hd_rt_sig_set(set, (hd_rt_sig_process_pending() | me->signals.pending) &
				   hd_rt_sig_bits(&me->signals.mask));
	return 0;
}

bool hd_rt_sigmask_enter(struct fiber *me, const sigset_t *mask, sigset_t *saved)
{
	*saved = me->signals.mask;
	hd_rt_sig_set(&me->signals.mask, hd_rt_sig_bits(mask));
	hd_rt_sig_keep(hd_rt_sig_bits(&me->signals.mask));
	hd_rt_sig_offer_again();
	return !(hd_rt_signals_waiting() && hd_rt_signals_deliver());
}

void hd_rt_sigmask_leave(struct fiber *me, const sigset_t *saved)
{
	me->signals.mask = *saved;
	hd_rt_sig_offer_again();
}
