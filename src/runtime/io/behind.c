#include "behind.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "io.h"
#include "runtime/memory/arena.h"
#include "runtime/process/signal_nudges.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/thread/thread.h"

/* Somebody may work for the program at any time, and nobody knows whether. */
static bool somebody;

static void tell(const char *what)
{
	hd_rt_settle();
	hd_rt_outside("work that the kernel or a library's own thread does for the program");
	hd_rt_drop(what);
	somebody = true;
}

/* ---- io_uring ----------------------------------------------------------------- */

static void tell_uring(void)
{
	tell("io_uring: the kernel does what is asked for there, unseen");
}

static bool is_uring(int folder, const char *name)
{
	static const char what[] = "anon_inode:[io_uring]";
	char to[sizeof(what)];
	long n = hd_sys(SYS_readlinkat, folder, name, to, sizeof(to));

	if (n != (long)sizeof(what) - 1)
		return false;
	to[n] = 0;
	return hd_rt_strcmp(to, what) == 0;
}

/*
 * Libraries ask for one without libc: is there a descriptor of one? Each execution that ends in a deadlock asks, so
 * only those that are open are looked at.
 */
static bool has_uring(void)
{
	struct entry { /* as the kernel writes it */
		uint64_t inode;
		int64_t next;
		uint16_t size;
		uint8_t type;
		char name[];
	};
	_Alignas(8) char buf[2048];
	long folder = hd_sys(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY, 0), n;
	bool found = false;

	if (folder < 0)
		return false;
	while (!found && (n = hd_sys(SYS_getdents64, folder, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n && !found; at += ((struct entry *)(buf + at))->size)
			found = is_uring((int)folder, ((struct entry *)(buf + at))->name);
	}
	hd_sys(SYS_close, folder);
	return found;
}

/* Others can run while one waits for completions: the descriptor is readable when there are some. */
static void wait_for_completions(const long *a)
{
	struct pollfd p = { .fd = (int)a[0], .events = POLLIN };
	struct fiber *me = hd_rt.cur;

	if (!(a[3] & IORING_ENTER_GETEVENTS) || !a[2])
		return;
	hd_rt_io_wait(me, &p, 1, HD_NEVER, true);
}

long hd_rt_behind_call(long nr, const long *a)
{
	long rest[6] = { a[0], a[1], a[2], a[3], a[4], a[5] };
	long submitted = 0;

	if (nr == SYS_io_uring_setup)
		tell_uring();
	if (nr == SYS_io_uring_enter && a[2] && (a[3] & IORING_ENTER_GETEVENTS)) {
		submitted = HD_REAL(syscall)(nr, a[0], a[1], 0, a[3] & ~IORING_ENTER_GETEVENTS,
					     NULL, 0);
		if (submitted < 0)
			return submitted;
		wait_for_completions(a);
		rest[1] = 0;
	}
	nr = HD_REAL(syscall)(nr, rest[0], rest[1], rest[2], rest[3], rest[4], rest[5]);
	return nr < 0 || !submitted ? nr : submitted;
}

/* ---- threads of others ------------------------------------------------------------ */

HD_EXPORT int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	pid_t *parent;
	int *child;
	void *tls;
	va_list ap;

	va_start(ap, arg);
	parent = va_arg(ap, pid_t *);
	tls = va_arg(ap, void *);
	child = va_arg(ap, int *);
	va_end(ap);
	if (hd_rt_enter(HD_CALLER) && (flags & CLONE_VM) && !(flags & CLONE_VFORK))
		tell("clone: a thread that is not watched");
	return HD_REAL(clone)(fn, stack, flags, arg, parent, tls, child);
}

/*
 * A message queue tells of its first message by a thread. The kernel tells us by a signal of ours, which
 * makes an event descriptor readable, for which the thread waits.
 */
struct notice {
	struct sigevent event;
	int fd;
	uintptr_t pc;
};

static void *hd_rt_notice_thread(void *arg)
{
	struct notice n = *(struct notice *)arg;
	uint64_t count = 0;

	hd_rt_free(arg, sizeof(n));
	hd_rt.cur->pc = n.pc;
	while (hd_rt_io_wait_fd(hd_rt.cur, n.fd, POLLIN, HD_NEVER) == EINTR)
		;
	hd_sys(SYS_read, n.fd, &count, sizeof(count));
	hd_sys(SYS_close, n.fd);
	if (count == 1)
		n.event.sigev_notify_function(n.event.sigev_value);
	return NULL;
}

#define QUEUES 16
static struct {
	mqd_t queue;
	int fd;
} waiting[QUEUES]; /* threads that a queue is to start; fd 0: none */

/* The thread for @queue, if there is one, is not to begin. */
static void call_off(mqd_t queue)
{
	for (unsigned i = 0; i < QUEUES; i++) {
		if (waiting[i].fd && waiting[i].queue == queue) {
			hd_sys(SYS_write, waiting[i].fd, &(uint64_t){ 2 }, 8);
			waiting[i].fd = 0;
		}
	}
}

static void remember(mqd_t queue, int fd)
{
	for (unsigned i = 0; i < QUEUES; i++) {
		if (!waiting[i].fd) {
			waiting[i].queue = queue;
			waiting[i].fd = fd;
			return;
		}
	}
}

static int notify_by_thread(mqd_t queue, const struct sigevent *event)
{
	struct sigevent ours = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = HD_RT_NUDGE };
	struct notice *n;
	pthread_attr_t attr;
	pthread_t pt;
	long r;
	int fd = (int)hd_sys(SYS_eventfd2, 0, EFD_CLOEXEC);

	if (fd < 0 || !hd_rt_nudge_prepare())
		return hd_rt_fail(ENOMEM);
	ours.sigev_value.sival_int = fd;
	r = hd_sys(SYS_mq_notify, queue, &ours);
	if (r < 0) {
		hd_sys(SYS_close, fd);
		return hd_rt_fail((int)-r);
	}
	remember(queue, fd);
	n = hd_rt_alloc(sizeof(*n));
	*n = (struct notice){ .event = *event, .fd = fd, .pc = hd_rt.cur->pc };
	hd_rt_outside("a message queue");
	if (event->sigev_notify_attributes)
		attr = *event->sigev_notify_attributes;
	else
		pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (hd_rt_thread_create(&pt, &attr, hd_rt_notice_thread, n) == 0)
		hd_rt_signals_block_all(hd_rt_thread_find(pt));
	return 0;
}

HD_EXPORT int mq_notify(mqd_t queue, const struct sigevent *event)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(mq_notify)(queue, event);
	hd_rt_point();
	if (event && event->sigev_notify == SIGEV_THREAD)
		return notify_by_thread(queue, event);
	if (!event)
		call_off(queue);
	return HD_REAL(mq_notify)(queue, event);
}

/* ---- asked by the scheduler ---------------------------------------------------------- */

bool hd_rt_behind_works(bool verdict)
{
	static uint32_t asked;

	/* A loop that waits asks again and again: the answer is looked up less and less often. */
	if (!somebody && (verdict || !(asked & (asked + 1))) && has_uring())
		tell_uring();
	asked++;
	if (!somebody)
		return false;
	hd_rt_signals_pace(1000000);
	hd_rt_progress();
	return true;
}
