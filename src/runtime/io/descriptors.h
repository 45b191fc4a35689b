/*
 * The table of descriptors that the runtime models.
 *
 * The table answers three questions about a descriptor: what kind it is, who can make it ready, and
 * which object stands for it in the trace. Pipes and pairs of sockets have an inode of their own
 * and are known by it, so dup and close need no bookkeeping. Event, timer and signal descriptors
 * and epoll sets share one inode: they are known by number, and calls that copy or close numbers
 * say so.
 */
#ifndef HD_RUNTIME_DESCRIPTORS_H
#define HD_RUNTIME_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_timer;

enum hd_fd_kind {
	HD_FD_FILE, /* never waits: regular files, folders, block devices, bad descriptors */
	HD_FD_PIPE,
	HD_FD_SOCKET,
	HD_FD_EVENT,
	HD_FD_TIMER,
	HD_FD_SIGNAL,
	HD_FD_EPOLL,
	HD_FD_OTHER, /* may wait: terminals, and whatever is not modelled */
};

/* Who can make a descriptor ready? */
enum hd_fd_reach {
	HD_FD_OURS,	 /* threads and timers of this process */
	HD_FD_SIGNALLED, /* and whoever sends it a signal */
	HD_FD_OUTSIDE,	 /* anybody */
};

/* A descriptor that is known by number; its kind's own record begins with this. */
struct hd_descriptor {
	enum hd_fd_kind kind;
	enum hd_fd_reach reach;
	int fd;		  /* one of the numbers that lead here */
	uint32_t numbers; /* how many do */
	uint32_t object;  /* see hd_rt_fd_object() */
	size_t size;
	struct hd_timer *timer;			 /* makes it ready when it expires; NULL: none */
	void (*closed)(struct hd_descriptor *d); /* the last number was closed; may be NULL */
};

enum hd_fd_kind hd_rt_fd_kind(int fd);
enum hd_fd_reach hd_rt_fd_reach(int fd);
/* The address that stands for @fd in the trace. */
uintptr_t hd_rt_fd_object(int fd);
/* The record of a descriptor of this kind; NULL: @fd is none. */
struct hd_descriptor *hd_rt_fd_find(int fd, enum hd_fd_kind kind);
/* When will a timer make @fd ready? An epoll set may hold any timer. HD_NEVER: none will. */
uint64_t hd_rt_fd_due(int fd);

/* @fd is new: model it, with a zeroed record of @size bytes. */
struct hd_descriptor *hd_rt_fd_model(int fd, enum hd_fd_kind kind, size_t size);
/* Both ends are ours: what one writes the other reads. */
void hd_rt_fd_model_pair(const int fds[2]);
/* The epoll set @ep now tells of @fd. */
void hd_rt_fd_join_epoll(int ep, int fd);
void hd_rt_fd_closed(int fd);
void hd_rt_fd_closed_range(unsigned first, unsigned last);
/* @to now leads to where @from does. */
void hd_rt_fd_copied(int from, int to);

/*
 * Some kinds are kernel timers underneath, whatever the program takes them for: these are readable
 * when the runtime says so, and never writable. So poll, select and epoll need no model.
 */
void hd_rt_fd_show(const struct hd_descriptor *d, bool ready);

/* What one thread writes to a descriptor happens before what another then reads. */
void hd_rt_fd_release(int fd, enum hd_fd_kind kind);
void hd_rt_fd_acquire(int fd, enum hd_fd_kind kind);

#endif
