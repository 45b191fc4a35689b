/*
 * syscall(): what the program asks of the kernel itself. Where the runtime keeps state of its own (time, signals,
 * threads, descriptors, mappings), the call goes the way of libc's function of that name; the kernel would
 * answer for the one thread that carries all, or not know what there is.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/explore/equal_threads.h"
#include "runtime/io/behind.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sync/futex.h"
#include "runtime/sys.h"
#include "runtime/thread/thread.h"
#include "seccomp_filters.h"

#define PTR(i) ((void *)a[i])
#define INT(i) ((int)a[i])

/* Whose result is not what libc's function returns: a number of the error, or nothing. */
static long error_number(int err)
{
	return err ? hd_rt_fail(err) : 0;
}

/* As the kernel has an action; libc's is laid out differently. */
struct kernel_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

static long raw_sigaction(int sig, const struct kernel_action *new, struct kernel_action *old)
{
	struct sigaction in = { 0 }, out;

	if (new) {
		in.sa_handler = (__sighandler_t) new->handler;
		in.sa_flags = (int)new->flags & ~0x04000000;
		in.sa_mask.__val[0] = new->mask;
	}
	if (sigaction(sig, new ? &in : NULL, &out))
		return -1;
	if (old)
		*old = (struct kernel_action){ .handler = (void *)out.sa_handler,
					       .flags = (unsigned long)out.sa_flags,
					       .mask = out.sa_mask.__val[0] };
	return 0;
}

/* Masks of the kernel are the first word of libc's. */
static sigset_t wide_mask(const uint64_t *mask)
{
	sigset_t set = { { 0 } };

	set.__val[0] = *mask;
	return set;
}

static long raw_sigprocmask(int how, const uint64_t *new, uint64_t *old)
{
	sigset_t set = new ? wide_mask(new) : (sigset_t){ { 0 } }, before;

	if (sigprocmask(how, new ? &set : NULL, &before))
		return -1;
	if (old)
		*old = before.__val[0];
	return 0;
}

static long raw_signalfd(int fd, const uint64_t *mask, int flags)
{
	sigset_t set = wide_mask(mask);

	return signalfd(fd, &set, flags);
}

/* The calling thread alone ends, and nothing of libc's is done for it. */
static void __attribute__((noreturn)) raw_exit(int status)
{
	if (hd_rt.nlive == 1)
		_exit(status);
	hd_rt_thread_exit(NULL);
	__builtin_unreachable();
}

static bool signals_and_time(long nr, const long *a, long *rc)
{
	switch (nr) {
	case SYS_kill:
		*rc = kill(INT(0), INT(1));
		return true;
	case SYS_tgkill:
		*rc = tgkill(INT(0), INT(1), INT(2));
		return true;
	case SYS_tkill:
		*rc = tgkill(hd_rt.pid, INT(0), INT(1));
		return true;
	case SYS_rt_sigaction:
		*rc = raw_sigaction(INT(0), PTR(1), PTR(2));
		return true;
	case SYS_rt_sigprocmask:
		*rc = raw_sigprocmask(INT(0), PTR(1), PTR(2));
		return true;
	case SYS_sigaltstack:
		*rc = sigaltstack(PTR(0), PTR(1));
		return true;
	case SYS_signalfd:
		*rc = raw_signalfd(INT(0), PTR(1), 0);
		return true;
	case SYS_signalfd4:
		*rc = raw_signalfd(INT(0), PTR(1), INT(3));
		return true;
	case SYS_pause:
		*rc = pause();
		return true;
	case SYS_alarm:
		*rc = alarm((unsigned)a[0]);
		return true;
	case SYS_setitimer:
		*rc = setitimer(INT(0), PTR(1), PTR(2));
		return true;
	case SYS_nanosleep:
		*rc = nanosleep(PTR(0), PTR(1));
		return true;
	case SYS_clock_nanosleep:
		*rc = error_number(clock_nanosleep(INT(0), INT(1), PTR(2), PTR(3)));
		return true;
	case SYS_clock_gettime:
		*rc = clock_gettime(INT(0), PTR(1));
		return true;
	case SYS_gettimeofday:
		*rc = gettimeofday(PTR(0), PTR(1));
		return true;
	case SYS_time:
		*rc = time(PTR(0));
		return true;
	default:
		return false;
	}
}

static bool descriptors(long nr, const long *a, long *rc)
{
	switch (nr) {
	case SYS_read:
		*rc = read(INT(0), PTR(1), (size_t)a[2]);
		return true;
	case SYS_write:
		*rc = write(INT(0), PTR(1), (size_t)a[2]);
		return true;
	case SYS_readv:
		*rc = readv(INT(0), PTR(1), INT(2));
		return true;
	case SYS_writev:
		*rc = writev(INT(0), PTR(1), INT(2));
		return true;
	case SYS_close:
		*rc = close(INT(0));
		return true;
	case SYS_dup:
		*rc = dup(INT(0));
		return true;
	case SYS_dup2:
		*rc = dup2(INT(0), INT(1));
		return true;
	case SYS_dup3:
		*rc = dup3(INT(0), INT(1), INT(2));
		return true;
	case SYS_pipe:
		*rc = pipe(PTR(0));
		return true;
	case SYS_pipe2:
		*rc = pipe2(PTR(0), INT(1));
		return true;
	case SYS_eventfd:
	case SYS_eventfd2:
		*rc = eventfd((unsigned)a[0], nr == SYS_eventfd ? 0 : INT(1));
		return true;
	case SYS_timerfd_create:
		*rc = timerfd_create(INT(0), INT(1));
		return true;
	case SYS_timerfd_settime:
		*rc = timerfd_settime(INT(0), INT(1), PTR(2), PTR(3));
		return true;
	case SYS_timerfd_gettime:
		*rc = timerfd_gettime(INT(0), PTR(1));
		return true;
	case SYS_poll:
		*rc = poll(PTR(0), (nfds_t)a[1], INT(2));
		return true;
	case SYS_select:
		*rc = select(INT(0), PTR(1), PTR(2), PTR(3), PTR(4));
		return true;
	case SYS_epoll_create:
		*rc = epoll_create(INT(0));
		return true;
	case SYS_epoll_create1:
		*rc = epoll_create1(INT(0));
		return true;
	case SYS_epoll_ctl:
		*rc = epoll_ctl(INT(0), INT(1), INT(2), PTR(3));
		return true;
	case SYS_epoll_wait:
		*rc = epoll_wait(INT(0), PTR(1), INT(2), INT(3));
		return true;
	default:
		return false;
	}
}

static bool memory_and_processes(struct fiber *me, long nr, const long *a, long *rc)
{
	switch (nr) {
	case SYS_mmap:
		*rc = (long)mmap(PTR(0), (size_t)a[1], INT(2), INT(3), INT(4), a[5]);
		return true;
	case SYS_munmap:
		*rc = munmap(PTR(0), (size_t)a[1]);
		return true;
	case SYS_mremap:
		*rc = (long)mremap(PTR(0), (size_t)a[1], (size_t)a[2], INT(3), PTR(4));
		return true;
	case SYS_mprotect:
		*rc = mprotect(PTR(0), (size_t)a[1], INT(2));
		return true;
	case SYS_mlockall:
		*rc = mlockall(INT(0));
		return true;
	case SYS_munlockall:
		*rc = munlockall();
		return true;
	case SYS_sched_yield:
		*rc = sched_yield();
		return true;
	case SYS_gettid:
		hd_rt_thread_matters(me);
		hd_rt_equal_told_apart(me);
		*rc = hd_rt_tid(me);
		return true;
	case SYS_prctl:
		*rc = prctl(INT(0), a[1], a[2], a[3], a[4]);
		return true;
	case SYS_seccomp:
		*rc = hd_rt_seccomp((unsigned)a[0], (unsigned)a[1], PTR(2));
		return true;
	case SYS_fork:
	case SYS_vfork:
		*rc = fork();
		return true;
	case SYS_wait4:
		*rc = wait4(INT(0), PTR(1), INT(2), PTR(3));
		return true;
	case SYS_exit:
		raw_exit(INT(0));
	case SYS_exit_group:
		_exit(INT(0));
	default:
		return false;
	}
}

/* What goes to the kernel as it is, from libc's code: the program's filters may know it by that. */
static long pass(long nr, const long *a)
{
	if (nr != SYS_getpid) {
		hd_rt_changes_unseen();
		hd_rt_progress();
	}
	return hd_rt_behind_call(nr, a);
}

HD_EXPORT long syscall(long nr, ...)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);
	long a[6], rc;
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (!me)
		return HD_REAL(syscall)(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (nr == SYS_futex) {
		rc = hd_rt_futex(a);
		return rc < 0 && rc > -4096 ? hd_rt_fail((int)-rc) : rc;
	}
	if (signals_and_time(nr, a, &rc) || descriptors(nr, a, &rc) ||
	    memory_and_processes(me, nr, a, &rc))
		return rc;
	return pass(nr, a);
}
