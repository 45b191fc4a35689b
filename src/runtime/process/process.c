/*
 * Other processes: fork, exec, waiting for children, and the ends of this one.
 *
 * A child has only the thread that forked. It goes on under control, with a ring of its own
 * (relatives.h).
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "relatives.h"
#include "runtime/explore/explore.h"
#include "runtime/explore/repeat.h"
#include "runtime/fiber/light.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/collect.h"
#include "runtime/observe/record.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/time/timers.h"

static struct fiber *begin(uintptr_t caller)
{
	struct fiber *me = hd_rt_enter(caller);

	if (me)
		hd_rt_point();
	return me;
}

/* ---- fork ---------------------------------------------------------------- */

static int child_ring = -1; /* from before the fork until the child has it */

/* First of the child's fork handlers, so that nothing of the child reaches the parent's trace. */
static void in_child(void)
{
	int ring = child_ring;

	if (!hd_rt.active)
		return;
	hd_rt_after_fork_child();
	hd_rt_light_after_fork_child();
	hd_rt_signals_after_fork_child();
	hd_rt_timers_after_fork_child();
	hd_rt_io_shared();
	child_ring = -1;
	hd_rt_child_begin(ring);
}

static void before_child(void)
{
	hd_rt_settle();
	if (hd_rt.exploring) {
		hd_rt_explore_cannot_stay();
		hd_rt_explore_uses(HD_X_USES_OUTSIDE);
		hd_sys(SYS_setpgid, 0, 0); /* so that what it leaves behind can be ended */
	}
	hd_rt_io_shared();
}

static pid_t make_copy(void)
{
	pid_t pid;
	int ring;

	before_child();
	ring = child_ring = hd_rt_child_ring();
	pid = HD_REAL(fork)();
	if (pid) {
		child_ring = -1;
		hd_rt_child_born(ring, pid);
	}
	return pid;
}

HD_EXPORT pid_t fork(void)
{
	return begin(HD_CALLER) ? make_copy() : HD_REAL(fork)();
}

/*
 * A child that shares our memory would run on this fiber's stack and change the runtime's
 * state: it gets a copy instead. The parent still waits until the child calls exec or ends,
 * which closes the pipe.
 */
HD_EXPORT pid_t vfork(void)
{
	int done[2];
	char byte;
	pid_t pid;

	if (!begin(HD_CALLER))
		return HD_REAL(fork)();
	if (hd_sys(SYS_pipe2, done, O_CLOEXEC) < 0)
		return make_copy();
	pid = make_copy();
	if (pid == 0) {
		hd_sys(SYS_close, done[0]);
		return 0;
	}
	hd_sys(SYS_close, done[1]);
	while (pid > 0 && hd_sys(SYS_read, done[0], &byte, 1) == -EINTR)
		;
	hd_sys(SYS_close, done[0]);
	return pid;
}

HD_EXPORT int daemon(int nochdir, int noclose)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(daemon)(nochdir, noclose);
	switch (fork()) {
	case -1:
		return -1;
	case 0:
		break;
	default:
		_exit(0);
	}
	if (setsid() < 0)
		return -1;
	if (!nochdir && chdir("/") < 0)
		return -1;
	if (!noclose) {
		long fd = hd_sys(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);

		for (int i = 0; fd >= 0 && i <= 2; i++)
			hd_sys(SYS_dup2, fd, i);
		if (fd > 2)
			hd_sys(SYS_close, fd);
	}
	return 0;
}

/* Numbers that are different in every run. */
HD_EXPORT pid_t getpid(void)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_outside("process numbers");
	return HD_REAL(getpid)();
}

HD_EXPORT pid_t getppid(void)
{
	if (hd_rt_enter(HD_CALLER))
		hd_rt_outside("process numbers");
	return HD_REAL(getppid)();
}

/* ---- exec and spawn ------------------------------------------------------ */

/*
 * The new program inherits the mask, so the kernel must see the thread's. If the call
 * fails we go on as before.
 */
#define EXEC(name, what_type)                                                                      \
	HD_EXPORT int name(what_type what, char *const argv[], char *const envp[])                 \
	{                                                                                          \
		char **env;                                                                        \
		int r;                                                                             \
                                                                                                   \
		if (!begin(HD_CALLER))                                                             \
			return HD_REAL(name)(what, argv, envp);                                    \
		hd_rt_settle();                                                                    \
		hd_rt_signals_show_mask();                                                         \
		hd_rt_pulse->waiting++;                                                            \
		env = hd_rt_follow_env(envp);                                                      \
		r = HD_REAL(name)(what, argv, env);                                                \
		hd_rt_follow_env_free(env, envp);                                                  \
		hd_rt_pulse->waiting--;                                                            \
		hd_rt_signals_hide_mask();                                                         \
		return r;                                                                          \
	}

EXEC(execve, const char *)
EXEC(execvpe, const char *)
EXEC(fexecve, int)

HD_EXPORT int execv(const char *path, char *const argv[])
{
	return hd_rt_enter(HD_CALLER) ? execve(path, argv, environ) : HD_REAL(execv)(path, argv);
}

HD_EXPORT int execvp(const char *file, char *const argv[])
{
	return hd_rt_enter(HD_CALLER) ? execvpe(file, argv, environ) : HD_REAL(execvp)(file, argv);
}

/* The arguments of execl() and relatives as an array; @rest ends after the NULL. */
static char **argument_array(const char *first, va_list rest, size_t *bytes)
{
	size_t n = 1;
	va_list again;
	char **argv;

	va_copy(again, rest);
	while (first && va_arg(again, char *))
		n++;
	va_end(again);
	*bytes = (n + 1) * sizeof(*argv);
	argv = hd_rt_alloc(*bytes);
	argv[0] = (char *)first;
	for (size_t i = 1; first && i <= n; i++)
		argv[i] = va_arg(rest, char *);
	return argv;
}

/* hd_rt_alloc'ed memory is of no use to a new program, and ours again if there is none. */
#define EXECL(name, call, ...)                                                                     \
	HD_EXPORT int name(const char *path, const char *first, ...)                               \
	{                                                                                          \
		size_t bytes;                                                                      \
		va_list rest;                                                                      \
		char **argv;                                                                       \
		int r;                                                                             \
                                                                                                   \
		va_start(rest, first);                                                             \
		argv = argument_array(first, rest, &bytes);                                        \
		r = call;                                                                          \
		va_end(rest);                                                                      \
		hd_rt_free(argv, bytes);                                                           \
		return r;                                                                          \
	}
EXECL(execl, execv(path, argv))
EXECL(execlp, execvp(path, argv))
EXECL(execle, execve(path, argv, va_arg(rest, char *const *)))

#define SPAWN(name)                                                                                \
	HD_EXPORT int name(pid_t *restrict pid, const char *restrict path,                         \
			   const posix_spawn_file_actions_t *restrict actions,                     \
			   const posix_spawnattr_t *restrict attr, char *const argv[restrict],     \
			   char *const envp[restrict])                                             \
	{                                                                                          \
		char **env;                                                                        \
		int r;                                                                             \
                                                                                                   \
		if (!begin(HD_CALLER))                                                             \
			return HD_REAL(name)(pid, path, actions, attr, argv, envp);                \
		before_child();                                                                    \
		hd_rt_signals_show_mask();                                                         \
		env = hd_rt_follow_env(envp);                                                      \
		r = HD_REAL(name)(pid, path, actions, attr, argv, env);                            \
		hd_rt_follow_env_free(env, envp);                                                  \
		hd_rt_signals_hide_mask();                                                         \
		return r;                                                                          \
	}
SPAWN(posix_spawn)
SPAWN(posix_spawnp)

HD_EXPORT int system(const char *command)
{
	char **env, **before = environ;
	int r;

	if (!begin(HD_CALLER))
		return HD_REAL(system)(command);
	before_child();
	hd_rt_progress();
	hd_rt.busy++;
	environ = env = hd_rt_follow_env(before);
	r = HD_REAL(system)(command);
	environ = before;
	hd_rt_follow_env_free(env, before);
	hd_rt.busy--;
	return r;
}

HD_EXPORT FILE *popen(const char *command, const char *mode)
{
	char **env, **before = environ;
	FILE *f;

	if (!begin(HD_CALLER))
		return HD_REAL(popen)(command, mode);
	before_child();
	hd_rt_progress();
	environ = env = hd_rt_follow_env(before);
	f = HD_REAL(popen)(command, mode);
	environ = before;
	hd_rt_follow_env_free(env, before);
	return f;
}

/* ---- waiting for children ------------------------------------------------ */

/* A descriptor that becomes readable when the child @pid ends; -1: there is none. */
static int child_fd(pid_t pid, int options)
{
	long fd = -1;

	if (pid > 0 && !(options & (WUNTRACED | WCONTINUED)))
		fd = hd_sys(SYS_pidfd_open, pid, 0);
	return fd < 0 ? -1 : (int)fd;
}

/* Block until a child (@pid, or any) may have something to tell: 0 or EINTR. */
static int wait_for_child(struct fiber *me, pid_t pid, int options)
{
	struct pollfd p = { .fd = child_fd(pid, options), .events = POLLIN };
	enum hd_wake wake;

	if (p.fd >= 0) {
		me->wait.fds = &p;
		me->wait.nfds = 1;
	}
	/* The scheduler asks hd_rt_io_poll() while anybody counts here. */
	hd_rt.nio++;
	wake = hd_rt_block_cancellable(HD_TS_CHILD, (uintptr_t)pid, HD_NEVER, true);
	hd_rt.nio--;
	me->wait.fds = NULL;
	me->wait.nfds = 0;
	if (p.fd >= 0)
		hd_sys(SYS_close, p.fd);
	if (wake == HD_CANCELLED)
		hd_rt_testcancel();
	return wake == HD_INTERRUPTED && !hd_rt_signals_restart() ? EINTR : 0;
}

static pid_t wait_child(struct fiber *me, pid_t pid, int *status, int options, struct rusage *usage)
{
	hd_rt_testcancel();
	for (;;) {
		long r;
		int err;

		hd_rt_settle();
		r = hd_sys(SYS_wait4, pid, status, options | WNOHANG, usage);
		if (r < 0)
			return hd_rt_fail((int)-r);
		if (r > 0) {
			hd_rt_progress();
			hd_rt_child_ended((int)r);
			if (status)
				hd_rt_range_done(status, sizeof(*status));
			return (pid_t)r;
		}
		if (options & WNOHANG) {
			hd_rt_yield();
			return 0;
		}
		err = wait_for_child(me, pid, options);
		if (err)
			return hd_rt_fail(err);
	}
}

HD_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	struct fiber *me = begin(HD_CALLER);

	return me ? wait_child(me, pid, status, options, NULL)
		  : HD_REAL(waitpid)(pid, status, options);
}

HD_EXPORT pid_t wait(int *status)
{
	struct fiber *me = begin(HD_CALLER);

	return me ? wait_child(me, -1, status, 0, NULL) : HD_REAL(wait)(status);
}

HD_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	struct fiber *me = begin(HD_CALLER);

	return me ? wait_child(me, -1, status, options, usage)
		  : HD_REAL(wait3)(status, options, usage);
}

HD_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	struct fiber *me = begin(HD_CALLER);

	return me ? wait_child(me, pid, status, options, usage)
		  : HD_REAL(wait4)(pid, status, options, usage);
}

HD_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	struct fiber *me = begin(HD_CALLER);
	siginfo_t own;

	if (!me)
		return HD_REAL(waitid)(type, id, info, options);
	hd_rt_testcancel();
	for (;;) {
		long r;
		int err;

		own.si_pid = 0;
		hd_rt_settle();
		r = hd_sys(SYS_waitid, type, id, &own, options | WNOHANG, NULL);
		if (r < 0)
			return hd_rt_fail((int)-r);
		if (own.si_pid || (options & WNOHANG))
			break;
		err = wait_for_child(me, type == P_PID ? (pid_t)id : -1,
				     options & (WSTOPPED | WCONTINUED));
		if (err)
			return hd_rt_fail(err);
	}
	hd_rt_progress();
	if (own.si_pid && (options & WEXITED) && !(options & WNOWAIT))
		hd_rt_child_ended(own.si_pid);
	if (info)
		hd_rt_copy(info, &own, sizeof(own));
	return 0;
}

/* ---- the end -------------------------------------------------------------- */

static bool is_ours(void)
{
	return hd_rt.active && hd_sys(SYS_getpid) == hd_rt.pid;
}

/* How long others may go on at the end: some of them may have none. */
#define LAST_STEPS 10000u
#define LAST_TURNS 100u

/*
 * last_exit: those that nobody has joined go on until they have ended or wait for what does not come, so
 * that somebody sees what they would have done. Whoever ends the process is slow, which it may be.
 */
static void let_others_finish(void)
{
	uint64_t limit = 2 * hd_rt.steps + LAST_STEPS;

	for (unsigned i = 0; i < LAST_TURNS && hd_rt.nlive > 1 && hd_rt.steps < limit; i++) {
		if (hd_rt.nrunnable > 1) {
			hd_rt_progress(); /* it does not wait for anything: no part of a livelock */
			hd_rt_step_aside();
		} else if (hd_rt.timed) {
			hd_rt_block(HD_TS_SLEEP, 0, hd_rt.timed->wait.deadline);
		} else {
			return;
		}
	}
}

/* The end of the process is an event like others: what threads do before it, and what they do not. */
static void end_point(void)
{
	if (!is_ours() || hd_rt.busy || hd_rt.nlive == 1)
		return;
	if (hd_rt.opt.last_exit)
		let_others_finish();
	else
		hd_rt_point();
}

void hd_rt_process_end(int status)
{
	if (hd_rt.exploring)
		hd_rt_repeat((status & 0xff) << 8);
}

static void finish(int status)
{
	if (!is_ours())
		return;
	hd_rt_finish(status);
	hd_rt_end_judged(false);
	hd_rt_process_end(status);
}

static bool ending; /* a thread has run all exit handlers, or those for quick_exit */

void hd_rt_before_end(void)
{
	ending = true;
	if (hd_rt.opt.any_time)
		end_point();
}

/*
 * A thread that ends the process while another one has only to leave has nothing else to do: libc has
 * no handler left, ours among them.
 */
static void end_if_ending(int status, bool flush)
{
	if (!ending || !is_ours())
		return;
	hd_rt.busy++;
	if (flush)
		HD_REAL(fflush)(NULL);
	hd_rt.busy--;
	finish(status);
	HD_REAL(_exit)(status);
}

HD_EXPORT void exit(int status)
{
	if (hd_rt_enter(HD_CALLER))
		end_point();
	end_if_ending(status, true);
	HD_REAL(exit)(status);
	__builtin_unreachable();
}

static int quick_status;

/* Registered first, so it runs after the program's own handlers. */
static void at_quick_end(void)
{
	ending = true;
	end_point();
	finish(quick_status);
}

__attribute__((constructor(102))) static void hd_rt_process_init(void)
{
	pthread_atfork(NULL, NULL, in_child);
	at_quick_exit(at_quick_end);
}

HD_EXPORT void _exit(int status)
{
	if (hd_rt_enter(HD_CALLER))
		end_point();
	finish(status);
	HD_REAL(_exit)(status);
	__builtin_unreachable();
}

HD_EXPORT void _Exit(int status)
{
	if (hd_rt_enter(HD_CALLER))
		end_point();
	finish(status);
	HD_REAL(_exit)(status);
	__builtin_unreachable();
}

HD_EXPORT void quick_exit(int status)
{
	quick_status = status;
	end_if_ending(status, false);
	HD_REAL(quick_exit)(status);
	__builtin_unreachable();
}
