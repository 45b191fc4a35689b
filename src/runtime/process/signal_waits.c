/*
 * Waiting for signals, by calls and for descriptors that stand for them.
 */
#include "signal_state.h"

#include "runtime/explore/explore.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"

static bool take_pending(struct fiber *me, uint64_t set, siginfo_t *info)
{
	hd_rt_signals_route();
	return hd_rt_sig_accept(me, set, info) || hd_rt_sig_accept(NULL, set, info);
}

/* The current thread has got a signal. */
static void took(const siginfo_t *info)
{
	hd_rt_progress();
	hd_rt_event(HD_OP_SIGNAL, 0, (uint64_t)info->si_signo, 0);
	hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)&hd_rt_sig_actions[info->si_signo], 0, 0);
}

bool hd_rt_signal_take(struct fiber *me, const sigset_t *set, siginfo_t *info)
{
	if (!take_pending(me, hd_rt_sig_bits(set), info))
		return false;
	took(info);
	return true;
}

void hd_rt_signal_missed(const sigset_t *set)
{
	for (int sig = 1; hd_rt.exploring && sig < HD_RT_NSIG; sig++) {
		if (hd_rt_sig_bits(set) & hd_rt_sig_bit(sig))
			hd_rt_explore_come((uintptr_t)&hd_rt_sig_actions[sig]);
	}
}

int hd_rt_signal_await(struct fiber *me, const sigset_t *set)
{
	sigset_t wanted;
	enum hd_wake wake;

	hd_rt_fill(&wanted, 0, sizeof(wanted));
	/* Others have their action. */
	hd_rt_sig_set(&wanted, hd_rt_sig_bits(set) & hd_rt_sig_bits(&me->signals.mask));
	wake = hd_rt_block_cancellable(HD_TS_SIGNAL, (uintptr_t)&wanted, HD_NEVER, true);
	if (wake == HD_CANCELLED)
		hd_rt_testcancel();
	return wake == HD_INTERRUPTED && !hd_rt_signals_restart() ? EINTR : 0;
}

bool hd_rt_signals_pending_in(const sigset_t *set)
{
	uint64_t pending = hd_rt_sig_process_pending();

	for (const struct fiber *f = hd_rt.all; f; f = f->next)
		pending |= f->signals.pending & hd_rt_sig_bits(&f->signals.mask);
	return pending & hd_rt_sig_bits(set);
}

/* Wait for one of @set until @deadline: 0, EAGAIN or EINTR. */
static int await(struct fiber *me, const sigset_t *set, siginfo_t *info, uint64_t deadline)
{
	sigset_t wanted, saved = me->signals.mask;
	enum hd_wake wake = HD_WOKEN;
	bool got;

	hd_rt_fill(&wanted, 0, sizeof(wanted));
	hd_rt_sig_set(&wanted, hd_rt_sig_bits(set));
	/* While we wait, no handler may take what we wait for. */
	hd_rt_sig_set(&me->signals.mask, hd_rt_sig_bits(&saved) | hd_rt_sig_bits(&wanted));
	hd_rt_sig_keep(hd_rt_sig_bits(&wanted));
	while (!(got = take_pending(me, hd_rt_sig_bits(&wanted), info)) && wake == HD_WOKEN &&
	       deadline > hd_rt.now)
		wake = hd_rt_block_cancellable(HD_TS_SIGNAL, (uintptr_t)&wanted, deadline, true);
	me->signals.mask = saved;
	hd_rt_sig_offer_again();
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

HD_EXPORT int sigwait(const sigset_t *restrict set, int *restrict sig)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
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
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	return me ? wait_info(me, set, info, HD_NEVER) : HD_REAL(sigwaitinfo)(set, info);
}

HD_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			   const struct timespec *restrict timeout)
{
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

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
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);
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
	struct fiber *me = hd_rt_enter_cancellable(HD_CALLER);

	if (!me)
		return HD_REAL(pause)();
	wait_for_handler();
	hd_rt_testcancel();
	return hd_rt_fail(EINTR);
}
