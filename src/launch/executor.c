#include "executor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "undo_files.h"
#include "launch.h"

#define FIRST_FD 220 /* out of the way of the program's own */
#define PATIENCE 0.5 /* seconds for a program that is not needed to come to its beginning */

/* ---- starting --------------------------------------------------------------- */

static __attribute__((noreturn)) void look_after(const struct hd_executor *e, pid_t explorer,
						 char **argv, const struct hd_run_config *run,
						 int fd, int in)
{
	struct hd_redirect redirect = { .in = in, .trace = -1 };
	char input[64];
	struct hd_launch l = {
		.argv = argv, .follow = HD_POLICY_EXPLORE, .redirect = &redirect, .unbounded = true
	};
	struct hd_outcome outcome;
	struct hd_run_config told = *run;
	int known = e->known_fd > 0 ? fcntl(e->known_fd, F_DUPFD, FIRST_FD) : 0;

	hd_journal_pass_on(e->files);
	setsid(); /* an interrupt from the terminal is for the explorer, which ends this in order */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != explorer) /* it was gone before */
		_exit(1);
	redirect.out = e->text_fd[0] ? e->text_fd[0] : open("/dev/null", O_WRONLY | O_CLOEXEC);
	redirect.err = e->text_fd[1] ? e->text_fd[1] : redirect.out;
	snprintf(input, sizeof(input), "/proc/self/fd/%d", in);
	if (in >= 0) /* anew: each program has a place in it of its own */
		redirect.in = open(input, O_RDONLY | O_CLOEXEC);
	redirect.trace = memfd_create("heddle-trace", MFD_CLOEXEC);
	if (redirect.out < 0 || (in >= 0 && redirect.in < 0) || redirect.trace < 0 || known < 0)
		_exit(1);
	told.explore_fd = fd;
	told.known_fd = known;
	told.files_fd = e->files;
	l.run = &told;
	if (hd_launch(&l, &outcome) == HD_OK)
		_exit(0);
	*e->error = *hd_last_error();
	_exit(1);
}

void *hd_share_memory(const char *name, size_t size, int *fd)
{
	void *p = MAP_FAILED;

	*fd = memfd_create(name, MFD_CLOEXEC);
	if (*fd >= 0 && ftruncate(*fd, (off_t)size) == 0)
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (p != MAP_FAILED)
		return p;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return NULL;
}

static bool make_texts(struct hd_executor *e)
{
	for (int i = 0; i < 2; i++) {
		int low = memfd_create("heddle-output", MFD_CLOEXEC);

		if (low < 0)
			return false;
		e->text_fd[i] = fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD);
		close(low);
		/* Each execution begins at the beginning, whoever has written before. */
		if (e->text_fd[i] < 0 || fcntl(e->text_fd[i], F_SETFL, O_APPEND) != 0)
			return false;
	}
	return true;
}

#define TEXT_MAX (1u << 20) /* of an execution's output is told */

/* What the program has printed. False: no memory. */
static bool read_texts(struct hd_executor *e)
{
	for (int i = 0; i < 2 && e->text_fd[i]; i++) {
		struct hd_xtext *t = &e->text[i];
		off_t end = lseek(e->text_fd[i], 0, SEEK_END);
		size_t want = end < 0 ? 0 : end < TEXT_MAX ? (size_t)end : TEXT_MAX;
		char *p = realloc(t->data, want + 1);
		ssize_t got;

		if (!p)
			return false;
		t->data = p;
		got = pread(e->text_fd[i], p, want, 0);
		t->len = got > 0 ? (size_t)got : 0;
	}
	return true;
}

enum hd_err hd_executor_start(struct hd_executor *e, char **argv, const struct hd_run_config *run,
			      int in)
{
	int low, fd = -1;
	pid_t explorer;

	e->shared = hd_share_memory("heddle-explore", sizeof(*e->shared), &low);
	if (e->shared) {
		fd = fcntl(low, F_DUPFD, FIRST_FD);
		close(low);
	}
	e->error = mmap(NULL, sizeof(*e->error), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (run->output_points && !make_texts(e))
		return hd_error(HD_ERR_SYSTEM, "no file for the program's output: %s",
				strerror(errno));
	if (fd < 0 || e->error == MAP_FAILED)
		return hd_error(HD_ERR_SYSTEM, "no memory to share with the program: %s",
				strerror(errno));
	e->files = hd_journal_make();
	fflush(NULL);
	explorer = getpid();
	e->pid = fork();
	if (e->pid == 0)
		look_after(e, explorer, argv, run, fd, in);
	close(fd);
	if (e->pid > 0)
		return HD_OK;
	return hd_error(HD_ERR_SYSTEM, "cannot start a process: %s", strerror(errno));
}

static void futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* It was asked to quit. One that does not come to its main does not hear that. */
static void wait_for_end(struct hd_executor *e)
{
	const struct timespec bit = { .tv_nsec = 1000000 };
	double until = hd_now() + PATIENCE;

	while (!__atomic_load_n(&e->shared->answered, __ATOMIC_ACQUIRE) && hd_now() < until) {
		if (waitpid(e->pid, NULL, WNOHANG) == e->pid)
			return;
		nanosleep(&bit, NULL);
	}
	if (!__atomic_load_n(&e->shared->answered, __ATOMIC_ACQUIRE))
		kill(e->pid, SIGKILL); /* and the program with it */
	waitpid(e->pid, NULL, 0);
}

void hd_executor_stop(struct hd_executor *e)
{
	if (e->pid > 0) {
		__atomic_store_n(&e->shared->asked, HD_X_QUIT, __ATOMIC_RELEASE);
		futex_wake(&e->shared->asked);
		wait_for_end(e);
	}
	if (e->files > 0) {
		hd_journal_undo(e->files);
		close(e->files);
	}
	for (int i = 0; i < 2; i++) {
		if (e->text_fd[i] > 0)
			close(e->text_fd[i]);
		free(e->text[i].data);
	}
	if (e->shared)
		munmap(e->shared, sizeof(*e->shared));
	if (e->error && e->error != MAP_FAILED)
		munmap(e->error, sizeof(*e->error));
	*e = (struct hd_executor){ 0 };
}

/* ---- executing -------------------------------------------------------------- */

static enum hd_err ask(struct hd_executor *e, const struct hd_xrequest *r, struct hd_errbuf *eb)
{
	struct hd_xshared *sh = e->shared;
	uint32_t nops = 0;

	for (size_t i = 0; i < r->nsleepers; i++)
		nops += r->sleepers[i].nops;
	if (r->nprefix > HD_X_NODES || r->nwakeup > HD_X_OPS || r->nsleepers > HD_X_ASLEEP ||
	    nops > HD_X_OPS)
		return hd_fail(eb, HD_ERR_LIMIT, "an execution is too long to be explored");
	sh->nprefix = (uint32_t)r->nprefix;
	sh->nwakeup = (uint32_t)r->nwakeup;
	sh->nsleepers = (uint32_t)r->nsleepers;
	sh->nsleep_ops = nops;
	sh->random = r->random;
	sh->pct_depth = r->pct_depth;
	sh->pct_length = r->pct_length;
	sh->max_nodes = e->max_nodes;
	sh->match = r->match;
	sh->bounded = r->bounded;
	sh->preemptions = r->preemptions;
	sh->await_bits = r->awaited;
	sh->by_graph = r->by_graph;
	sh->rounds = r->rounds;
	sh->together = r->together;
	if (r->nprefix)
		memcpy(sh->prefix, r->prefix, r->nprefix * sizeof(*r->prefix));
	if (r->nwakeup)
		memcpy(sh->wakeup, r->wakeup, r->nwakeup * sizeof(*r->wakeup));
	if (r->nsleepers) {
		memcpy(sh->sleepers, r->sleepers, r->nsleepers * sizeof(*r->sleepers));
		memcpy(sh->sleep_ops, r->ops, nops * sizeof(*r->ops));
	}
	for (int i = 0; i < 2 && e->text_fd[i]; i++) {
		if (ftruncate(e->text_fd[i], 0) != 0)
			return hd_fail(eb, HD_ERR_SYSTEM, "the program's output cannot be kept");
	}
	__atomic_store_n(&sh->asked, ++e->asked, __ATOMIC_RELEASE);
	futex_wake(&sh->asked);
	return HD_OK;
}

/* The process that looks after the program has ended: why? */
static enum hd_err gone(struct hd_executor *e, int status, struct hd_errbuf *eb)
{
	e->pid = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		return hd_fail(eb, HD_ERR_NOT_FOUND, "%s",
			       e->error->code ? e->error->text
					      : "the program could not be started");
	if (e->asked == 1)
		return hd_fail(eb, HD_ERR_UNSUPPORTED,
			       "the program did not come under control: build it with `heddle cc`");
	return hd_fail(eb, HD_ERR_INVALID, "the program ended before its main began");
}

static bool is_cancelled(const struct hd_executor *e)
{
	return e->cancelled || (e->interrupted && e->interrupted());
}

static enum hd_err wait_for_answer(struct hd_executor *e, bool *killed, struct hd_errbuf *eb)
{
	struct hd_xshared *sh = e->shared;
	double began = hd_now();
	uint32_t seen;

	while ((seen = __atomic_load_n(&sh->answered, __ATOMIC_ACQUIRE)) != e->asked) {
		struct timespec tenth = { .tv_nsec = 100000000 };
		int status, pid;

		syscall(SYS_futex, &sh->answered, FUTEX_WAIT, seen, &tenth, NULL, 0);
		if (waitpid(e->pid, &status, WNOHANG) == e->pid)
			return gone(e, status, eb);
		pid = __atomic_load_n(&sh->pid, __ATOMIC_ACQUIRE);
		if (pid > 0)
			hd_watch_look(&e->watched, &sh->pulse, pid);
		else if (e->asked == 1 && e->interrupted && e->interrupted())
			return hd_fail(eb, HD_ERR_STOPPED, "stopped before the program began");
		if (pid > 0 && (is_cancelled(e) || hd_now() - began > e->limit)) {
			kill(pid, SIGKILL);
			*killed = true;
		}
	}
	return HD_OK;
}

/* Did the program's last request teach it what comes next in @known? */
static bool is_ahead(const struct hd_executor *e, const struct hd_lessons *known)
{
	const struct hd_xshared *sh = e->shared;

	if (!sh->nlearnt)
		return e->nlessons <= known->n;
	return e->nlessons + sh->nlearnt <= known->n &&
	       memcmp(known->list + e->nlessons, sh->learnt, sh->nlearnt * sizeof(*sh->learnt)) ==
		       0;
}

/* The program is to know no more and no less than @known. */
static void teach(struct hd_executor *e, const struct hd_lessons *known)
{
	struct hd_xshared *sh = e->shared;

	if (is_ahead(e, known)) {
		e->nlessons += sh->nlearnt;
	} else {
		if (sh->waits.n) /* else it is empty already, and it is large */
			memset(&sh->waits, 0, sizeof(sh->waits));
		e->nlessons = 0;
	}
	sh->nlearnt = 0;
	while (e->nlessons < known->n)
		hd_xwaits_add(&sh->waits, known->list[e->nlessons++]);
}

enum hd_err hd_executor_run(struct hd_executor *e, const struct hd_xrequest *request,
			    const struct hd_lessons *known, struct hd_xlog *log,
			    struct hd_errbuf *eb)
{
	struct hd_xshared *sh = e->shared;
	bool killed = false;
	enum hd_err err;

	teach(e, known);
	sh->supposed.now = HD_X_SUPPOSE_NO;
	sh->nanswers = 0;
	do {
		err = ask(e, request, eb);
		if (!err)
			err = wait_for_answer(e, &killed, eb);
		hd_journal_undo(e->files);
	} while (!err && !killed && sh->end == HD_X_END_PROBED);
	if (err)
		return err;
	if (sh->overlooked)
		return hd_fail(eb, HD_ERR_INVALID,
			       "memory was not put back as it was after an execution");
	if (killed && is_cancelled(e))
		return hd_fail(eb, HD_ERR_STOPPED, "stopped in the middle of an execution");
	if (killed)
		return hd_fail(eb, HD_ERR_LIMIT,
			       "an execution took more than %.0f seconds: the "
			       "program waits for something that is not under control",
			       e->limit);
	if (!read_texts(e))
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	*log = (struct hd_xlog){ .nodes = sh->nodes,
				 .nnodes = sh->nnodes,
				 .ops = sh->ops,
				 .nops = sh->nops,
				 .npending = sh->npending,
				 .threads = sh->threads,
				 .end = sh->end,
				 .nfaults = sh->nfaults,
				 .uses = sh->uses,
				 .assumed = sh->assumed,
				 .observed = sh->observed,
				 .nobserved = sh->nobserved,
				 .text = { e->text[0], e->text[1] },
				 .graph = sh->graph,
				 .awaited = sh->awaited,
				 .nlearnt = sh->nlearnt,
				 .exact = sh->exact,
				 .choices = sh->choices,
				 .nchoices = sh->nchoices };
	memcpy(log->faults, sh->faults, sizeof(log->faults));
	memcpy(log->learnt, sh->learnt, sh->nlearnt * sizeof(*sh->learnt));
	log->exited = WIFEXITED(sh->status) ? 1 : 0;
	log->code = WIFEXITED(sh->status) ? WEXITSTATUS(sh->status) : WTERMSIG(sh->status);
	return HD_OK;
}
