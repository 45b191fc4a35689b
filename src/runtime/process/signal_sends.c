/*
 * Sending signals inside the process. They never leave it, so they come at the same point in every
 * run.
 */
#include "signal_state.h"

#include "runtime/explore/equal_threads.h"
#include "runtime/explore/explore.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/thread/thread.h"

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

	hd_rt_equal_told_apart(f);
	if (!f || !sig)
		hd_rt_explore_uses(HD_X_USES_ASKS);
	if (!f)
		return ESRCH;
	if (sig && !hd_rt_sig_valid(sig))
		return EINVAL;
	/* Before or after each step of that one, its end included. */
	hd_rt_explore_change((uintptr_t)&f->signals.pending, f->signals.pending,
			     f->signals.pending);
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
	return send_to_thread(pt, sig, SI_TKILL, (union sigval){ 0 });
}

HD_EXPORT int pthread_sigqueue(pthread_t pt, int sig, const union sigval value)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_sigqueue)(pt, sig, value);
	hd_rt_point();
	return send_to_thread(pt, sig, SI_QUEUE, value);
}

HD_EXPORT int tgkill(pid_t pid, pid_t tid, int sig)
{
	struct fiber *f;
	int err;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(tgkill)(pid, tid, sig);
	hd_rt_point();
	if (pid != hd_rt.pid)
		return HD_REAL(tgkill)(pid, tid, sig);
	f = hd_rt_thread_by_tid(tid);
	err = f ? send_to_thread(f->thread.pt, sig, SI_TKILL, (union sigval){ 0 }) : ESRCH;
	return err ? hd_rt_fail(err) : 0;
}

static int raise_here(struct fiber *me, int sig)
{
	int err;

	if (!hd_rt_sig_valid(sig))
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
	if (pid != hd_rt.pid || !hd_rt_sig_valid(sig) || sig == SIGKILL || sig == SIGSTOP)
		return HD_REAL(kill)(pid, sig);
	return send_to_self(sig, SI_USER, (union sigval){ 0 });
}

HD_EXPORT int sigqueue(pid_t pid, int sig, const union sigval value)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(sigqueue)(pid, sig, value);
	hd_rt_point();
	if (pid != hd_rt.pid || !hd_rt_sig_valid(sig) || sig == SIGKILL || sig == SIGSTOP)
		return HD_REAL(sigqueue)(pid, sig, value);
	return send_to_self(sig, SI_QUEUE, value);
}
