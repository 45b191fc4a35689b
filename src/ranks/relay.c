#include "relay.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/transfer.h"

#define PAUSE	 100000 /* nanoseconds between looks at what MPI has */
#define PATIENCE 3000	/* milliseconds for whoever is told to end */

/* Between the two: this, and @len bytes. From MPI: of @rank, or how it began. To MPI: for @rank. */
enum what { FRAME_MESSAGE, FRAME_LOST, FRAME_BEGUN, FRAME_FAILED };

struct frame {
	uint32_t what, rank;
	uint64_t len; /* begun: the number of ranks, and no bytes */
};

/* ---- the one that works ------------------------------------------------------------------- */

struct line {
	int fd;
	bool cut;
};

static bool line_send(void *arg, unsigned to, const void *bytes, size_t len)
{
	struct line *l = arg;
	struct frame f = { FRAME_MESSAGE, to, len };

	return hd_send_all(l->fd, &f, sizeof(f)) && hd_send_all(l->fd, bytes, len);
}

static enum hd_arrival line_receive(void *arg, unsigned *from, char **bytes, size_t *len, int ms)
{
	struct line *l = arg;
	struct pollfd p = { .fd = l->fd, .events = POLLIN };
	struct frame f = { .what = FRAME_LOST }; /* rank 0: if the line is cut, there is nobody */

	*bytes = NULL;
	if (poll(&p, 1, ms) <= 0)
		return HD_NOTHING_CAME;
	if (hd_read_all(l->fd, &f, sizeof(f)) && f.what == FRAME_MESSAGE) {
		*from = f.rank;
		*len = (size_t)f.len;
		*bytes = malloc(f.len + 1);
		if (*bytes && hd_read_all(l->fd, *bytes, f.len))
			return HD_MESSAGE_CAME;
		free(*bytes);
		*bytes = NULL;
	}
	*from = f.rank;
	return HD_RANK_LOST;
}

static void line_end(void *arg)
{
	struct line *l = arg;

	close(l->fd);
	free(l);
}

static enum hd_err hear_how_it_began(int fd, struct hd_ranks *ranks)
{
	struct frame f;
	char text[256] = "";

	if (hd_read_all(fd, &f, sizeof(f)) && f.what == FRAME_BEGUN) {
		ranks->rank = f.rank;
		ranks->size = (unsigned)f.len;
		return HD_OK;
	}
	if (f.what == FRAME_FAILED && f.len < sizeof(text) && hd_read_all(fd, text, f.len))
		return hd_error(HD_ERR_REQUEST, "MPI cannot be loaded: %s", text);
	return hd_error(HD_ERR_SYSTEM, "MPI cannot be started");
}

static enum hd_err be_worker(struct hd_ranks *ranks, int fd, pid_t relay)
{
	struct line *l = malloc(sizeof(*l));
	enum hd_err err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != relay)
		_exit(0);
	setpgid(0, 0); /* what is for us the relay passes on, once */
	*ranks = (struct hd_ranks){ .ahead = SIZE_MAX, /* the relay takes everything */
				    .send = line_send,
				    .receive = line_receive,
				    .end = line_end,
				    .arg = l };
	err = l ? hear_how_it_began(fd, ranks) : hd_error(HD_ERR_NOMEM, "out of memory");
	if (!err) {
		l->fd = fd;
		return HD_OK;
	}
	free(l);
	close(fd);
	return err;
}

/* ---- the one that has MPI --------------------------------------------------------------------- */

struct waiting {
	struct waiting *next;
	size_t len, done;
	char bytes[];
};

struct relay {
	struct hd_ranks mpi;
	int fd;
	struct waiting *first, **last; /* for the worker */
	struct frame head;	       /* from the worker, as far as it came */
	char *body;
	size_t got;
};

static pid_t worker;

static void pass_on_signal(int sig)
{
	if (worker > 0)
		kill(worker, sig);
}

static void take_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction pass = { .sa_handler = pass_on_signal, .sa_flags = SA_RESTART },
			 ignore = { .sa_handler = SIG_IGN };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &pass, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
}

static bool put_frame(struct relay *r, struct frame f, const char *bytes, size_t len)
{
	struct waiting *w = malloc(sizeof(*w) + sizeof(f) + len);

	if (!w)
		return false;
	*w = (struct waiting){ .len = sizeof(f) + len };
	memcpy(w->bytes, &f, sizeof(f));
	if (len)
		memcpy(w->bytes + sizeof(f), bytes, len);
	*r->last = w;
	r->last = &w->next;
	return true;
}

/* What MPI has, for the worker. */
static bool hear_mpi(struct relay *r, bool *any, bool *over)
{
	char *bytes = NULL;
	size_t len = 0;
	unsigned from = 0;
	bool ok = true;

	switch (r->mpi.receive(r->mpi.arg, &from, &bytes, &len, 0)) {
	case HD_NOTHING_CAME:
		return true;
	case HD_MESSAGE_CAME:
		ok = put_frame(r, (struct frame){ FRAME_MESSAGE, from, len }, bytes, len);
		break;
	case HD_RANK_LOST:
		ok = put_frame(r, (struct frame){ FRAME_LOST, from, 0 }, NULL, 0);
		*over = r->mpi.rank && !from;
		break;
	}
	free(bytes);
	*any = true;
	return ok;
}

/* So much of it as the worker takes now. */
static bool hand_over(struct relay *r)
{
	struct waiting *w = r->first;
	ssize_t n = send(r->fd, w->bytes + w->done, w->len - w->done, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	w->done += (size_t)n;
	if (w->done == w->len) {
		r->first = w->next;
		if (!r->first)
			r->last = &r->first;
		free(w);
	}
	return true;
}

/* What the worker sends: whole messages go on. False: it has ended. */
static bool hear_worker(struct relay *r)
{
	const size_t head = sizeof(r->head);
	char *to = r->got < head ? (char *)&r->head + r->got : r->body + (r->got - head);
	size_t want = r->got < head ? head - r->got : head + (size_t)r->head.len - r->got;
	ssize_t n = want ? recv(r->fd, to, want, MSG_DONTWAIT) : 0;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!n && want)
		return false;
	r->got += (size_t)n;
	if (r->got == head && !r->body) {
		r->body = malloc((size_t)r->head.len + 1);
		if (!r->body)
			return false;
	}
	if (r->got < head || r->got < head + r->head.len)
		return true;
	r->mpi.send(r->mpi.arg, r->head.rank, r->body, (size_t)r->head.len);
	free(r->body);
	r->body = NULL;
	r->got = 0;
	return true;
}

/* Until one side ends; true: it was the worker. */
static bool pass_messages(struct relay *r)
{
	const struct timespec pause = { .tv_nsec = PAUSE }, at_once = { 0 };
	bool over = false;

	while (!over) {
		struct pollfd p = { .fd = r->fd, .events = POLLIN };
		bool any = false;

		if (!hear_mpi(r, &any, &over))
			return false;
		if (r->first)
			p.events |= POLLOUT;
		if (ppoll(&p, 1, any ? &at_once : &pause, NULL) <= 0)
			continue;
		if (p.revents & POLLOUT && !hand_over(r))
			return true;
		if (p.revents & (POLLIN | POLLHUP) && !hear_worker(r))
			return true;
	}
	return false;
}

/* Its exit status; that of one that was told to end is of no interest. */
static int end_worker(bool by_itself)
{
	int status = 0, left = PATIENCE;
	pid_t ended = 0;

	if (!by_itself)
		kill(worker, SIGTERM);
	while (!by_itself && (ended = waitpid(worker, &status, WNOHANG)) == 0 && left > 0)
		left -= poll(NULL, 0, 1) == 0;
	if (!by_itself && !ended)
		kill(worker, SIGKILL);
	while (!ended && waitpid(worker, &status, 0) < 0 && errno == EINTR)
		;
	worker = 0;
	if (!by_itself)
		return 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool load(struct relay *r, const char *path, int *status)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	bool (*join)(struct hd_ranks * ranks, int *status) =
		library ? (bool (*)(struct hd_ranks *, int *))dlsym(library, "hd_mpi_ranks") : NULL;
	struct frame f = { .what = FRAME_FAILED };
	const char *why = join ? NULL : dlerror();
	char text[200] = "";

	if (join && join(&r->mpi, status)) {
		f = (struct frame){ FRAME_BEGUN, r->mpi.rank, r->mpi.size };
		return hd_send_all(r->fd, &f, sizeof(f));
	}
	if (why) {
		snprintf(text, sizeof(text), "%s", why);
		f.len = strlen(text);
		hd_send_all(r->fd, &f, sizeof(f));
		hd_send_all(r->fd, text, f.len);
	}
	return false;
}

static _Noreturn void be_relay(const char *path, int fd)
{
	struct relay r = { .fd = fd, .last = &r.first };
	int status = 0;
	bool by_itself = true, begun;

	take_signals();
	begun = load(&r, path, &status);
	if (begun)
		by_itself = pass_messages(&r);
	close(fd);
	status = end_worker(by_itself);
	/* Who is killed while others go on is one rank less for them, and no fault of the job. */
	if (r.mpi.rank && status > 128)
		status = 0;
	if (begun)
		r.mpi.end(r.mpi.arg);
	_exit(status);
}

enum hd_err hd_ranks_relayed(struct hd_ranks *ranks, const char *path)
{
	const pid_t self = getpid();
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return hd_error(HD_ERR_SYSTEM, "MPI cannot be started: %s", strerror(errno));
	fflush(NULL);
	worker = fork();
	if (worker > 0) {
		close(pair[0]);
		be_relay(path, pair[1]);
	}
	close(pair[1]);
	if (worker == 0)
		return be_worker(ranks, pair[0], self);
	close(pair[0]);
	return hd_error(HD_ERR_SYSTEM, "MPI cannot be started: %s", strerror(errno));
}
