#include "descriptors.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>

#include "runtime/memory/arena.h"
#include "runtime/rt.h"
#include "runtime/sys.h"
#include "runtime/time/timers.h"

/* What the trace calls descriptors; the addresses are never read. */
#define OBJECTS 4096u

static char objects[OBJECTS], network_object;
static uint32_t next_object;

static uintptr_t object_at(uint32_t object)
{
	return (uintptr_t)&objects[object % OBJECTS];
}

/* ---- by inode ------------------------------------------------------------ */

/*
 * Pipes and pairs that this process made and has not shared: only its own threads can make them
 * ready. A ring: the oldest is forgotten when there are too many, and then merely taken for shared.
 */
#define CHANNELS 4096u

static struct channel {
	uint64_t ino;
	uint32_t object; /* the same for both ends */
} channels[CHANNELS];
static uint32_t nchannels;

static void add_channel(int fd, uint32_t object)
{
	struct stat st;

	if (hd_sys(SYS_fstat, fd, &st) < 0)
		return;
	channels[nchannels % CHANNELS] = (struct channel){ st.st_ino, object };
	nchannels++;
}

void hd_rt_fd_model_pair(const int fds[2])
{
	uint32_t object = next_object++;

	add_channel(fds[0], object);
	add_channel(fds[1], object);
}

static const struct channel *find_channel(int fd)
{
	uint32_t n = nchannels < CHANNELS ? nchannels : CHANNELS;
	struct stat st;

	if (!n || hd_sys(SYS_fstat, fd, &st) < 0 || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		const struct channel *c = &channels[(nchannels - 1 - i) % CHANNELS];

		if (c->ino == st.st_ino)
			return c;
	}
	return NULL;
}

/* ---- by number ----------------------------------------------------------- */

static struct hd_descriptor **by_number;
static unsigned nnumbers;

static struct hd_descriptor *find(int fd)
{
	return fd >= 0 && (unsigned)fd < nnumbers ? by_number[fd] : NULL;
}

struct hd_descriptor *hd_rt_fd_find(int fd, enum hd_fd_kind kind)
{
	struct hd_descriptor *d = find(fd);

	return d && d->kind == kind ? d : NULL;
}

static void add_number(int fd, struct hd_descriptor *d)
{
	if ((unsigned)fd >= nnumbers) {
		unsigned n = 2 * (unsigned)fd + 16;

		by_number = hd_rt_grow(by_number, nnumbers * sizeof(*by_number),
				       n * sizeof(*by_number));
		nnumbers = n;
	}
	by_number[fd] = d;
	d->numbers++;
}

struct hd_descriptor *hd_rt_fd_model(int fd, enum hd_fd_kind kind, size_t size)
{
	struct hd_descriptor *d = hd_rt_alloc(size);

	hd_rt_fd_closed(fd); /* behind our back */
	*d = (struct hd_descriptor){
		.kind = kind, .fd = fd, .size = size, .object = next_object++
	};
	add_number(fd, d);
	return d;
}

void hd_rt_fd_closed(int fd)
{
	struct hd_descriptor *d = find(fd);

	if (!d)
		return;
	by_number[fd] = NULL;
	if (--d->numbers) {
		for (unsigned i = 0; d->fd == fd; i++) {
			if (by_number[i] == d)
				d->fd = (int)i;
		}
		return;
	}
	if (d->closed)
		d->closed(d);
	hd_rt_free(d, d->size);
}

void hd_rt_fd_closed_range(unsigned first, unsigned last)
{
	for (unsigned fd = first; fd < nnumbers && fd <= last; fd++)
		hd_rt_fd_closed((int)fd);
}

void hd_rt_fd_copied(int from, int to)
{
	struct hd_descriptor *d = find(from);

	if (from == to)
		return;
	hd_rt_fd_closed(to);
	if (d)
		add_number(to, d);
}

/* ---- what is asked ------------------------------------------------------- */

enum hd_fd_kind hd_rt_fd_kind(int fd)
{
	const struct hd_descriptor *d = find(fd);
	struct stat st;

	if (hd_sys(SYS_fstat, fd, &st) < 0)
		return HD_FD_FILE;
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
		return HD_FD_FILE;
	if (S_ISFIFO(st.st_mode))
		return HD_FD_PIPE;
	if (S_ISSOCK(st.st_mode))
		return HD_FD_SOCKET;
	return d ? d->kind : HD_FD_OTHER;
}

enum hd_fd_reach hd_rt_fd_reach(int fd)
{
	const struct hd_descriptor *d = find(fd);

	if (!d)
		return find_channel(fd) ? HD_FD_OURS : HD_FD_OUTSIDE;
	/* Handlers of signals like to wake event loops. */
	if (d->kind == HD_FD_EPOLL && d->reach == HD_FD_OURS && hd_rt_signals_handled())
		return HD_FD_SIGNALLED;
	return d->reach;
}

void hd_rt_fd_join_epoll(int ep, int fd)
{
	struct hd_descriptor *set = hd_rt_fd_find(ep, HD_FD_EPOLL);
	enum hd_fd_reach reach;

	if (!set)
		return;
	/* What another set holds may change. */
	reach = hd_rt_fd_find(fd, HD_FD_EPOLL) ? HD_FD_OUTSIDE : hd_rt_fd_reach(fd);
	if (reach > set->reach)
		set->reach = reach;
}

/*
 * Everything that is not known to be private shares one object: that may hide a race, but never
 * invents one.
 */
uintptr_t hd_rt_fd_object(int fd)
{
	const struct hd_descriptor *d = find(fd);
	const struct channel *c = d ? NULL : find_channel(fd);

	if (d)
		return object_at(d->object);
	return c ? object_at(c->object) : (uintptr_t)&network_object;
}

uint64_t hd_rt_fd_due(int fd)
{
	const struct hd_descriptor *d = find(fd);
	uint64_t due = HD_NEVER;

	if (!d)
		return HD_NEVER;
	if (d->kind != HD_FD_EPOLL)
		return d->timer ? d->timer->due : HD_NEVER;
	for (unsigned i = 0; i < nnumbers; i++) {
		const struct hd_descriptor *o = by_number[i];

		if (o && o->timer && o->timer->due < due)
			due = o->timer->due;
	}
	return due;
}

void hd_rt_fd_show(const struct hd_descriptor *d, bool ready)
{
	/* One nanosecond after the machine was started, or not at all. */
	struct itimerspec when = { .it_value = { .tv_nsec = ready } };
	struct pollfd p = { .fd = d->fd, .events = POLLIN };

	if (hd_sys(SYS_timerfd_settime, d->fd, TFD_TIMER_ABSTIME, &when, NULL) < 0 || !ready)
		return;
	/* The time is past, but it takes an interrupt until the kernel says so. */
	while (hd_sys(SYS_poll, &p, 1, -1) == -EINTR)
		;
}
