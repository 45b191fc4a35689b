#include "pool.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/budget.h"
#include "common/interrupts.h"

static void wake_up(int sig)
{
	(void)sig; /* the wait is over, that is all */
}

struct slot {
	pid_t pid; /* 0: it has ended */
	double deadline;
	struct hd_task_end end;
};

struct pool {
	const struct hd_pool *p;
	const struct hd_pool_ops *ops;
	void *arg;
	struct slot slots[HD_POOL_JOBS]; /* task i is in slot i % jobs */
	unsigned jobs;
	size_t first, next; /* tasks that were started and not taken yet */
	bool no_more;
	sigset_t mask; /* outside of the pool */
	struct sigaction child;
};

/* A session of its own: a terminal's Ctrl-C is ours, and children of the program go with it. */
static __attribute__((noreturn)) void be_task(struct pool *w, size_t i)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	hd_interrupts_give_back();
	sigaction(SIGCHLD, &w->child, NULL);
	sigprocmask(SIG_SETMASK, &w->mask, NULL);
	_exit(w->ops->work(w->arg, i));
}

static bool start(struct pool *w, size_t i)
{
	struct slot *s = &w->slots[i % w->jobs];

	s->pid = 0;
	s->deadline = 0;
	if (w->ops->known && w->ops->known(w->arg, i, &s->end))
		return true;
	s->pid = fork();
	if (s->pid == 0)
		be_task(w, i);
	if (s->pid < 0) {
		s->pid = 0;
		return false;
	}
	s->end = (struct hd_task_end){ .status = -1 };
	s->deadline = w->p->limit > 0 ? hd_now() + w->p->limit : 0;
	return true;
}

static void kill_task(const struct slot *s)
{
	kill(-s->pid, SIGKILL);
	kill(s->pid, SIGKILL); /* it may not have got to setsid() yet */
}

static void reap(struct pool *w, bool wait)
{
	for (size_t i = w->first; i < w->next; i++) {
		struct slot *s = &w->slots[i % w->jobs];
		int status = 0;
		pid_t pid = s->pid ? waitpid(s->pid, &status, wait ? 0 : WNOHANG) : 0;

		if (pid <= 0)
			continue;
		if (WIFEXITED(status) && !s->end.timed_out)
			s->end.status = WEXITSTATUS(status);
		kill(-s->pid, SIGKILL); /* what the program may have left behind */
		s->pid = 0;
	}
}

static void end_all(struct pool *w)
{
	for (size_t i = w->first; i < w->next; i++) {
		if (w->slots[i % w->jobs].pid)
			kill_task(&w->slots[i % w->jobs]);
	}
	reap(w, true);
	for (; w->first < w->next; w->first++)
		w->ops->drop(w->arg, w->first);
}

/* It is late: first a word, then an end. */
static void ask_to_end(struct slot *s)
{
	if (s->end.timed_out) {
		kill_task(s);
		s->deadline = 0;
		return;
	}
	s->end.timed_out = true;
	s->deadline = hd_now() + HD_POOL_PATIENCE;
	kill(s->pid, SIGTERM);
}

/* Those that take too long; returns when something happens next at the latest. */
static double watch(struct pool *w)
{
	double now = hd_now(), next = now + 0.1;

	for (size_t i = w->first; i < w->next; i++) {
		struct slot *s = &w->slots[i % w->jobs];

		if (!s->pid || s->deadline <= 0)
			continue;
		if (s->deadline <= now)
			ask_to_end(s);
		if (s->deadline > now && s->deadline < next)
			next = s->deadline;
	}
	return next - now;
}

/*
 * Until a process ends, an interrupt comes or it is time for something. An interrupt between
 * the look at it and the wait costs a tenth of a second, no more.
 */
static void wait_for_change(struct pool *w)
{
	double seconds = watch(w);
	struct timespec ts = { .tv_nsec = seconds > 0 ? (long)(seconds * 1e9) : 0 };

	pselect(0, NULL, NULL, NULL, &ts, &w->mask);
	if (w->ops->idle)
		w->ops->idle(w->arg);
}

/* Start as many as may run; false: a process could not be started. */
static bool fill(struct pool *w)
{
	while (!w->no_more && w->next - w->first < w->jobs) {
		if (!w->ops->prepare(w->arg, w->next)) {
			w->no_more = true;
			break;
		}
		if (!start(w, w->next)) {
			w->ops->drop(w->arg, w->next);
			return false;
		}
		w->next++;
	}
	return true;
}

/* Take the first task as far as it came. */
static void take_unfinished(struct pool *w)
{
	struct slot *s = &w->slots[w->first % w->jobs];

	if (w->first == w->next)
		return;
	if (s->pid && !s->end.timed_out)
		ask_to_end(s);
	for (reap(w, false); s->pid; reap(w, false))
		wait_for_change(w);
	w->first++;
	w->ops->take(w->arg, w->first - 1, &s->end);
}

bool hd_pool_is_over(const struct hd_pool *p, enum hd_pool_why *why)
{
	if (hd_interrupted())
		*why = HD_POOL_INTERRUPTED;
	else if (p->until > 0 && hd_now() >= p->until)
		*why = HD_POOL_TIME;
	else if (hd_budget_stop() == HD_STOP_MEMORY)
		*why = HD_POOL_MEMORY;
	else
		return false;
	return true;
}

static enum hd_pool_why work_through(struct pool *w)
{
	enum hd_pool_why why;

	for (;;) {
		if (hd_pool_is_over(w->p, &why)) {
			if (w->p->unfinished)
				take_unfinished(w);
			return why;
		}
		if (!fill(w))
			return HD_POOL_FAILED;
		if (w->first == w->next)
			return HD_POOL_DONE;
		reap(w, false);
		if (w->slots[w->first % w->jobs].pid) {
			wait_for_change(w);
			continue;
		}
		w->first++;
		if (!w->ops->take(w->arg, w->first - 1, &w->slots[(w->first - 1) % w->jobs].end))
			return HD_POOL_ENOUGH;
	}
}

enum hd_pool_why hd_pool_run(const struct hd_pool *p, const struct hd_pool_ops *ops, void *arg)
{
	struct sigaction wake = { .sa_handler = wake_up };
	struct pool w = { .p = p, .ops = ops, .arg = arg };
	enum hd_pool_why why;
	sigset_t block;
	int saved;

	w.jobs = p->jobs < 1 ? 1 : p->jobs > HD_POOL_JOBS ? HD_POOL_JOBS : p->jobs;
	sigaction(SIGCHLD, &wake, &w.child);
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &w.mask);
	why = work_through(&w);
	saved = errno;
	end_all(&w);
	sigprocmask(SIG_SETMASK, &w.mask, NULL);
	sigaction(SIGCHLD, &w.child, NULL);
	errno = saved;
	return why;
}
