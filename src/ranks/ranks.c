#include "ranks.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/transfer.h"

#define PATIENCE 2000 /* milliseconds for all that end */

/* Ends of socket pairs by rank: a worker has one, to rank 0. */
struct wires {
	struct pollfd *fds; /* fd -1: it is lost */
	pid_t *pids;
	unsigned n, first; /* first: the rank of fds[0] */
	bool *told;	   /* that it is lost */
};

static void lose(struct wires *w, unsigned i)
{
	if (w->fds[i].fd >= 0)
		close(w->fds[i].fd);
	w->fds[i].fd = -1;
}

/* Its length and itself, at once: so the other one wakes up once. */
static bool send_message(int fd, const void *bytes, size_t len)
{
	uint64_t head = len;
	struct iovec both[] = { { &head, sizeof(head) }, { (void *)bytes, len } };
	const struct msghdr message = { .msg_iov = both, .msg_iovlen = 2 };
	size_t sent;
	ssize_t n;

	do {
		n = sendmsg(fd, &message, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	sent = (size_t)n;
	if (sent < sizeof(head))
		return hd_send_all(fd, (char *)&head + sent, sizeof(head) - sent) &&
		       hd_send_all(fd, bytes, len);
	sent -= sizeof(head);
	return hd_send_all(fd, (const char *)bytes + sent, len - sent);
}

static bool wires_send(void *arg, unsigned to, const void *bytes, size_t len)
{
	struct wires *w = arg;
	unsigned i = to - w->first;

	if (w->fds[i].fd < 0)
		return false;
	if (send_message(w->fds[i].fd, bytes, len))
		return true;
	lose(w, i);
	return false;
}

static enum hd_arrival take_message(struct wires *w, unsigned i, char **bytes, size_t *len)
{
	uint64_t head;

	*bytes = NULL;
	if (hd_read_all(w->fds[i].fd, &head, sizeof(head))) {
		*bytes = malloc(head + 1);
		*len = head;
		if (*bytes && hd_read_all(w->fds[i].fd, *bytes, head))
			return HD_MESSAGE_CAME;
	}
	free(*bytes);
	*bytes = NULL;
	lose(w, i);
	w->told[i] = true;
	return HD_RANK_LOST;
}

static enum hd_arrival wires_receive(void *arg, unsigned *from, char **bytes, size_t *len, int ms)
{
	struct wires *w = arg;

	for (unsigned i = 0; i < w->n; i++) {
		*from = w->first + i;
		if (w->fds[i].fd < 0 && !w->told[i]) {
			w->told[i] = true;
			return HD_RANK_LOST;
		}
	}
	if (poll(w->fds, w->n, ms) <= 0)
		return HD_NOTHING_CAME;
	for (unsigned i = 0; i < w->n; i++) {
		*from = w->first + i;
		if (w->fds[i].fd >= 0 && w->fds[i].revents)
			return take_message(w, i, bytes, len);
	}
	return HD_NOTHING_CAME;
}

/* What it works at is of no use any more; but the programs that it runs are its own to end, and what they did to files. */
static void end_rank(pid_t pid, int *patience)
{
	pid_t ended;

	while ((ended = waitpid(pid, NULL, WNOHANG)) == 0 && *patience > 0) {
		*patience -= poll(NULL, 0, 1) == 0;
	}
	if (ended == 0)
		kill(pid, SIGKILL);
	while (ended == 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void wires_end(void *arg)
{
	struct wires *w = arg;
	int patience = PATIENCE;

	for (unsigned i = 0; i < w->n; i++) {
		lose(w, i);
		if (w->pids[i] > 0)
			kill(w->pids[i], SIGTERM);
	}
	for (unsigned i = 0; i < w->n; i++) {
		if (w->pids[i] > 0)
			end_rank(w->pids[i], &patience);
	}
	free(w->fds);
	free(w->pids);
	free(w->told);
	free(w);
}

static struct wires *wires_new(unsigned n, unsigned first)
{
	struct wires *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	*w = (struct wires){ .fds = calloc(n, sizeof(*w->fds)),
			     .pids = calloc(n, sizeof(*w->pids)),
			     .told = calloc(n, sizeof(*w->told)),
			     .first = first };
	if (w->fds && w->pids && w->told)
		return w;
	wires_end(w);
	return NULL;
}

static void be_worker(struct wires *all, int fd, unsigned rank, unsigned size,
		      void (*work)(void *arg, struct hd_ranks *own), void *arg)
{
	struct wires *own;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < all->n; i++) /* lest others stay when the leader goes */
		close(all->fds[i].fd);
	own = wires_new(1, 0);
	if (own) {
		struct hd_ranks ranks = { .rank = rank,
					  .size = size,
					  .send = wires_send,
					  .receive = wires_receive,
					  .end = wires_end,
					  .arg = own };

		own->n = 1;
		own->fds[0] = (struct pollfd){ .fd = fd, .events = POLLIN };
		work(arg, &ranks);
	}
	_exit(0);
}

/* So much less than what the system keeps of a socket that there is room for two such messages. */
static size_t ahead_on(int fd)
{
	int kept = 0;
	socklen_t len = sizeof(kept);

	return getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kept, &len) == 0 && kept > 0
		       ? (size_t)kept / 8
		       : 0;
}

bool hd_ranks_fork(struct hd_ranks *ranks, unsigned workers,
		   void (*work)(void *arg, struct hd_ranks *own), void *arg)
{
	struct wires *w = wires_new(workers, 1);

	if (!w)
		return false;
	while (w->n < workers) {
		int pair[2];
		pid_t pid;

		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
			break;
		pid = fork();
		if (pid == 0) {
			close(pair[0]);
			be_worker(w, pair[1], w->n + 1, workers + 1, work, arg);
		}
		close(pair[1]);
		w->pids[w->n] = pid;
		w->fds[w->n] = (struct pollfd){ .fd = pair[0], .events = POLLIN };
		w->n++;
		if (pid < 0)
			break;
	}
	*ranks = (struct hd_ranks){ .size = workers + 1,
				    .ahead = ahead_on(w->n ? w->fds[0].fd : -1),
				    .send = wires_send,
				    .receive = wires_receive,
				    .end = wires_end,
				    .arg = w };
	if (w->n == workers && w->pids[workers - 1] > 0)
		return true;
	wires_end(w);
	return false;
}
