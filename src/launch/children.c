#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector.h"
#include "common/array.h"
#include "common/clock.h"

/* One that is being followed. */
struct live {
	struct hd_ring *ring;
	struct hd_collector *collector;
	struct hd_trace_writer *writer;
	struct hd_child child;
	bool telling; /* it has something to tell; written by the collector's thread */
	struct live *next;
};

struct hd_children {
	char name[64];
	int listener;
	const struct hd_trace_meta *meta;
	const char *options;
	pthread_t thread;
	bool serving;
	int stopping;
	struct live *live;
	struct hd_child_list done;
};

struct hd_children *hd_children_listen(const struct hd_trace_meta *meta)
{
	struct hd_children *c = calloc(1, sizeof(*c));
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	uint64_t secret[2];
	size_t len;

	if (!c)
		return NULL;
	c->meta = meta;
	c->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->listener >= 0 && getrandom(secret, sizeof(secret), 0) == (ssize_t)sizeof(secret)) {
		snprintf(c->name, sizeof(c->name), "heddle-%016llx%016llx",
			 (unsigned long long)secret[0], (unsigned long long)secret[1]);
		len = strlen(c->name);
		memcpy(at.sun_path + 1, c->name, len); /* abstract: it leaves no file */
		if (bind(c->listener, (struct sockaddr *)&at,
			 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) == 0 &&
		    listen(c->listener, 128) == 0)
			return c;
	}
	if (c->listener >= 0)
		close(c->listener);
	free(c);
	return NULL;
}

const char *hd_children_name(const struct hd_children *c)
{
	return c->name;
}

/* ---- one of them --------------------------------------------------------------- */

/* What is worth keeping a trace for. */
static void note_finding(void *arg, const struct hd_event *ev)
{
	struct live *l = arg;

	if (ev && (ev->op == HD_OP_FINDING || ev->op == HD_OP_STOPPED))
		__atomic_store_n(&l->telling, true, __ATOMIC_RELAXED);
}

static bool follow(struct hd_children *c, const char *label, int ring_fd)
{
	struct live *l = calloc(1, sizeof(*l));
	struct hd_errbuf eb;
	int fd = -1;

	if (!l)
		return false;
	l->child.trace_fd = -1;
	snprintf(l->child.label, sizeof(l->child.label), "%s", label);
	if (hd_ring_map(ring_fd, &l->ring, &eb) != HD_OK)
		goto failed;
	l->ring->collector_pid = getpid();
	fd = memfd_create("heddle-child", MFD_CLOEXEC);
	l->child.trace_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (l->child.trace_fd < 0 ||
	    hd_trace_create_fd(&l->writer, fd, "a child's trace", c->meta, &eb) != HD_OK)
		goto failed;
	fd = -1; /* the writer's */
	if (hd_collector_start(&l->collector, l->ring, l->writer, NULL, &eb) != HD_OK) {
		hd_trace_finish(l->writer, NULL, NULL);
		goto failed;
	}
	hd_collector_listen(l->collector, note_finding, l);
	l->next = c->live;
	c->live = l;
	return true;
failed:
	if (fd >= 0)
		close(fd);
	if (l->child.trace_fd >= 0)
		close(l->child.trace_fd);
	hd_ring_unmap(l->ring);
	free(l);
	return false;
}

/* It has said so, or it is gone. One that has not begun may still do so. */
static bool has_ended(const struct live *l)
{
	int32_t pid = __atomic_load_n(&l->ring->target_pid, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&l->ring->attached, __ATOMIC_ACQUIRE) == 2)
		return true;
	return __atomic_load_n(&l->ring->attached, __ATOMIC_ACQUIRE) == 1 && pid > 0 &&
	       kill(pid, 0) != 0 && errno == ESRCH;
}

/* Take what it has told, and let go of the rest. */
static void conclude(struct hd_children *c, struct live *l)
{
	struct hd_trace_end end = { .exited = -1, .start_time = l->ring->start_time };
	bool began = __atomic_load_n(&l->ring->attached, __ATOMIC_ACQUIRE) != 0;

	__atomic_store_n(&l->ring->stop, 1, __ATOMIC_RELEASE);
	hd_collector_stop(l->collector, NULL, NULL);
	hd_trace_finish(l->writer, &end, NULL);
	c->done.followed += began;
	if (began && (l->telling || l->child.running) &&
	    HD_ROOM(c->done.each, c->done.room, c->done.n + 1))
		c->done.each[c->done.n++] = l->child;
	else
		close(l->child.trace_fd);
	hd_ring_unmap(l->ring);
	free(l);
}

static void conclude_ended(struct hd_children *c)
{
	for (struct live **at = &c->live; *at;) {
		struct live *l = *at;

		if (!has_ended(l)) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		conclude(c, l);
	}
}

/* ---- the socket ------------------------------------------------------------------ */

union control {
	char room[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static int take_request(int from, struct hd_ring_request *request)
{
	struct iovec data = { .iov_base = request, .iov_len = sizeof(*request) };
	union control control = { { 0 } };
	struct msghdr m = { .msg_iov = &data,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
	struct cmsghdr *header = n < 0 ? NULL : CMSG_FIRSTHDR(&m);
	int fd = -1;

	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	request->label[sizeof(request->label) - 1] = 0;
	if (n == (ssize_t)sizeof(*request) && request->version == HD_RING_VERSION)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int options_file(const char *text)
{
	int fd = memfd_create("heddle-config", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void answer(int to, bool accepted, int options)
{
	struct hd_ring_answer a = { .accepted = accepted };
	struct iovec data = { .iov_base = &a, .iov_len = sizeof(a) };
	union control control = { { 0 } };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1 };

	if (options >= 0) {
		struct cmsghdr *c;

		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &options, sizeof(options));
	}
	sendmsg(to, &m, MSG_NOSIGNAL);
}

static bool is_ours(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 &&
	       (who.uid == geteuid() || who.uid == 0);
}

static void serve_one(struct hd_children *c)
{
	int fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC), ring, options = -1;
	const struct timeval soon = { .tv_sec = 2 };
	struct hd_ring_request request;
	bool ok = false;

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	ring = is_ours(fd) ? take_request(fd, &request) : -1;
	if (ring >= 0) {
		ok = follow(c, request.label, ring);
		close(ring);
	}
	if (ok && request.wants_options)
		options = options_file(c->options);
	answer(fd, ok, options);
	if (options >= 0)
		close(options);
	close(fd);
}

static void *serve(void *arg)
{
	struct hd_children *c = arg;

	while (!__atomic_load_n(&c->stopping, __ATOMIC_ACQUIRE)) {
		struct pollfd p = { .fd = c->listener, .events = POLLIN };

		if (poll(&p, 1, c->live ? 20 : 100) > 0)
			serve_one(c);
		conclude_ended(c);
	}
	return NULL;
}

bool hd_children_serve(struct hd_children *c, const char *options)
{
	sigset_t all, before;

	c->options = options;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	c->serving = pthread_create(&c->thread, NULL, serve, c) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return c->serving;
}

/* In the order of their labels, which is the same in every run. */
static int by_label(const void *a, const void *b)
{
	return strverscmp(((const struct hd_child *)a)->label, ((const struct hd_child *)b)->label);
}

void hd_children_stop(struct hd_children *c, double patience, struct hd_child_list *list)
{
	double until = hd_now() + patience;

	*list = (struct hd_child_list){ 0 };
	if (!c)
		return;
	/* They may still make children of their own. */
	while (c->serving && __atomic_load_n(&c->live, __ATOMIC_RELAXED) && hd_now() < until)
		poll(NULL, 0, 5);
	__atomic_store_n(&c->stopping, 1, __ATOMIC_RELEASE);
	shutdown(c->listener, SHUT_RDWR); /* which wakes the thread up */
	if (c->serving)
		pthread_join(c->thread, NULL);
	conclude_ended(c);
	while (c->live) {
		struct live *l = c->live;

		c->live = l->next;
		l->child.running = __atomic_load_n(&l->ring->attached, __ATOMIC_ACQUIRE) == 1;
		conclude(c, l);
	}
	close(c->listener);
	*list = c->done;
	if (list->n)
		qsort(list->each, list->n, sizeof(*list->each), by_label);
	free(c);
}

void hd_child_list_free(struct hd_child_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->each[i].trace_fd >= 0)
			close(list->each[i].trace_fd);
	}
	free(list->each);
	*list = (struct hd_child_list){ 0 };
}

/* ---- in a file ----------------------------------------------------------------------- */

struct head {
	struct hd_child child;
	uint64_t len;
};

int hd_children_file(void)
{
	int fd = memfd_create("heddle-children", MFD_CLOEXEC);

	return fd > 0 ? fd : 0;
}

static bool put(int fd, const void *data, size_t len)
{
	return write(fd, data, len) == (ssize_t)len;
}

/* @len bytes from @from, whatever the place in it, to the place in @to. */
static bool copy_bytes(int from, off_t at, int to, uint64_t len)
{
	char buf[1 << 14];

	while (len) {
		size_t want = len < sizeof(buf) ? (size_t)len : sizeof(buf);
		ssize_t n = pread(from, buf, want, at);

		if (n <= 0 || !put(to, buf, (size_t)n))
			return false;
		at += n;
		len -= (uint64_t)n;
	}
	return true;
}

void hd_children_save(int fd, const struct hd_child_list *list)
{
	if (fd <= 0 || !put(fd, &list->followed, sizeof(list->followed)))
		return;
	for (size_t i = 0; i < list->n; i++) {
		struct head h = { .child = list->each[i] };
		off_t end = lseek(h.child.trace_fd, 0, SEEK_END);

		h.len = end < 0 ? 0 : (uint64_t)end;
		if (!put(fd, &h, sizeof(h)) || !copy_bytes(h.child.trace_fd, 0, fd, h.len))
			return;
	}
}

enum hd_err hd_children_load(int fd, struct hd_child_list *list)
{
	off_t at = sizeof(list->followed);
	struct head h;

	*list = (struct hd_child_list){ 0 };
	if (fd <= 0 || pread(fd, &list->followed, sizeof(list->followed), 0) !=
			       (ssize_t)sizeof(list->followed))
		return HD_OK;
	for (; pread(fd, &h, sizeof(h), at) == (ssize_t)sizeof(h); at += (off_t)h.len) {
		at += (off_t)sizeof(h);
		h.child.trace_fd = memfd_create("heddle-child", MFD_CLOEXEC);
		if (h.child.trace_fd < 0 || !copy_bytes(fd, at, h.child.trace_fd, h.len) ||
		    !HD_ROOM(list->each, list->room, list->n + 1)) {
			if (h.child.trace_fd >= 0)
				close(h.child.trace_fd);
			return HD_OK;
		}
		list->each[list->n++] = h.child;
	}
	return HD_OK;
}
