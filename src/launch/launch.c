#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/budget.h"
#include "common/clock.h"
#include "common/transfer.h"
#include "live.h"
#include "collector.h"
#include "watch.h"

/* Descriptors for the program start here, out of the way of its own. */
#define FIRST_FD 200

static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define NFORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static volatile sig_atomic_t child_pid;
static volatile sig_atomic_t came;     /* the last of these signals that did; 0: none */
static volatile sig_atomic_t end_with; /* the signal that ends the program; 0: the one that came */
static volatile sig_atomic_t asked_for_end; /* by a signal to us */

static bool is_program(const char *path, bool *exists)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	*exists = true;
	return S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* The file that execvp(3) would run; NULL: none. *@exists: but something of that name. */
static char *program_path(const char *name, bool *exists)
{
	const char *path = getenv("PATH");

	*exists = false;
	if (strchr(name, '/'))
		return is_program(name, exists) ? strdup(name) : NULL;
	for (const char *p = path ? path : "/bin:/usr/bin"; *name;) {
		size_t len = strcspn(p, ":");
		char try[4096];

		snprintf(try, sizeof(try), "%.*s%s%s", (int)len, p, len ? "/" : "", name);
		if (is_program(try, exists))
			return strdup(try);
		if (!p[len])
			break;
		p += len + 1;
	}
	return NULL;
}

char *hd_program_path(const char *name)
{
	bool exists;

	return program_path(name, &exists);
}

enum hd_err hd_find_program(const char *name)
{
	bool exists;
	char *path = program_path(name, &exists);

	if (path) {
		free(path);
		return HD_OK;
	}
	if (strchr(name, '/'))
		return hd_error(HD_ERR_REQUEST,
				exists ? "'%s' is not an executable file"
				       : "there is no program '%s'",
				name);
	return hd_error(HD_ERR_REQUEST,
			"there is no program '%s' in PATH; for one in this folder "
			"write ./%s",
			name, name);
}

enum hd_err hd_open_trace_file(const char *record, int *write, int *read)
{
	if (record && !strcmp(record, "-"))
		return hd_error(HD_ERR_REQUEST, "--record needs the name of a file");
	*write = record ? open(record, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
			: memfd_create("heddle-trace", MFD_CLOEXEC);
	*read = -1;
	if (*write < 0)
		return record ? hd_error(HD_ERR_REQUEST, "cannot record to '%s': %s", record,
					 strerror(errno))
			      : hd_error(HD_ERR_SYSTEM, "no memory for the trace: %s",
					 strerror(errno));
	*read = fcntl(*write, F_DUPFD_CLOEXEC, 0);
	if (*read >= 0)
		return HD_OK;
	close(*write);
	return hd_error(HD_ERR_SYSTEM, "no descriptor for the trace: %s", strerror(errno));
}

/*
 * Terminal signals reach the program by themselves, since it is in our process
 * group; passing them on would send them twice. What somebody sent to us alone is
 * meant for the program. Those that ask for an end ask us as well.
 */
static void pass_on(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	came = sig;
	if (info->si_code != SI_KERNEL && child_pid > 0)
		kill((pid_t)child_pid, end_with ? end_with : sig);
	if (sig == SIGINT || sig == SIGTERM) {
		if (!child_pid && asked_for_end > 1)
			_exit(128 + sig); /* somebody insists */
		asked_for_end++;
		hd_budget_interrupt();
	}
	errno = saved;
}

/* What the program is to do about a file size limit; for us it is a write error. */
static struct sigaction program_xfsz;

struct signals {
	struct sigaction old[NFORWARDED];
	sigset_t mask;
};

/* Stay alive through what ends the program: its report is still to be written. */
static void signals_take(struct signals *s)
{
	struct sigaction pass = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };
	sigset_t block;

	sigemptyset(&block);
	child_pid = came = 0;
	for (size_t i = 0; i < NFORWARDED; i++)
		sigaddset(&block, forwarded[i]);
	pthread_sigmask(SIG_BLOCK, &block, &s->mask);
	for (size_t i = 0; i < NFORWARDED; i++) {
		sigaction(forwarded[i], NULL, &s->old[i]);
		if (s->old[i].sa_handler != SIG_IGN) /* nohup stays nohup */
			sigaction(forwarded[i], &pass, NULL);
	}
}

/* In the child, before it becomes the program. */
static void signals_give_back(const struct signals *s)
{
	for (size_t i = 0; i < NFORWARDED; i++)
		sigaction(forwarded[i], &s->old[i], NULL);
	sigaction(SIGXFSZ, &program_xfsz, NULL);
	pthread_sigmask(SIG_SETMASK, &s->mask, NULL);
}

/* What the child tells before it is replaced: one of these each. */
struct telling {
	enum { TOLD_RANDOM, TOLD_NO_EXEC } what;
	int error;
};

static void tell(int fd, int what)
{
	struct telling t = { .what = what, .error = errno };

	while (write(fd, &t, sizeof(t)) < 0 && errno == EINTR)
		;
}

/* Errors are no errors here: the program then has what heddle has. */
static void redirect(const struct hd_redirect *r)
{
	if (!r)
		return;
	dup2(r->in, STDIN_FILENO);
	dup2(r->out, STDOUT_FILENO);
	dup2(r->err, STDERR_FILENO);
}

/* In front of what the user preloads. */
static void preload(const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	char *list = NULL;

	if (asprintf(&list, "%s%s%s", library, others ? ":" : "", others ? others : "") > 0)
		setenv("LD_PRELOAD", list, 1);
	free(list);
}

static __attribute__((noreturn)) void become_program(const struct hd_launch *l, pid_t parent,
						     int tell_fd, const struct signals *s)
{
	char **argv = l->argv;
	int now = personality(0xffffffff);

	/* Without us nobody empties the ring: the program would wait for ever. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (now == -1 || (!(now & ADDR_NO_RANDOMIZE) &&
			  personality((unsigned long)now | ADDR_NO_RANDOMIZE) == -1))
		tell(tell_fd, TOLD_RANDOM);
	signals_give_back(s);
	redirect(l->redirect);
	if (l->preload)
		preload(l->preload);
	execvp(argv[0], argv);
	tell(tell_fd, TOLD_NO_EXEC);
	_exit(127);
}

/* A copy of @fd that survives exec, at a number that no program uses by habit. */
static int high_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD, FIRST_FD);

	return copy >= 0 ? copy : fcntl(fd, F_DUPFD, 3); /* few descriptors allowed */
}

/* A memfd with @data in it, at a high number and open across exec; -1 on error. */
static int memory_file(const char *name, const void *data, size_t len)
{
	int low = memfd_create(name, MFD_CLOEXEC), fd = -1;

	if (low < 0)
		return -1;
	if (hd_write_all(low, data, len) && lseek(low, 0, SEEK_SET) == 0)
		fd = high_copy(low);
	close(low);
	return fd;
}

/* What the program inherits. */
struct inherited {
	int ring, schedule, plan, segments, config;
};

static void inherited_close(const struct inherited *in)
{
	const int fds[] = { in->ring, in->schedule, in->plan, in->segments, in->config };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

/* An array for the program; true unless it is wanted and cannot be handed over. */
static bool inherit(int *fd, const char *name, const void *data, size_t len)
{
	*fd = data ? memory_file(name, data, len) : -1;
	return !data || *fd >= 0;
}

/* What the program is told, as lines; NULL: no memory. @relatives: who collects for its children. */
static char *inherited_config(const struct inherited *in, const struct hd_launch *l,
			      const char *record, const char *relatives)
{
	struct hd_run_config told = *l->run;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	if (told.policy == HD_POLICY_RR)
		told.early = false; /* it is orderly; so are its replays */
	told.base_policy = told.policy <= HD_POLICY_RR ? told.policy : HD_POLICY_RANDOM;
	told.relatives = relatives;
	if (l->follow)
		told.policy = l->follow;
	told.record_to = record;
	told.ring_fd = in->ring;
	told.schedule_fd = in->schedule;
	told.plan_fd = in->plan;
	told.segments_fd = in->segments;
	hd_run_config_print(&told, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static enum hd_err inherited_make(struct inherited *in, const struct hd_launch *l, int ring_fd,
				  const char *record, const char *relatives)
{
	char *text, env[16];

	*in = (struct inherited){ -1, -1, -1, -1, -1 };
	in->ring = ring_fd < 0 ? -1 : high_copy(ring_fd);
	if ((ring_fd >= 0 && in->ring < 0) ||
	    !inherit(&in->schedule, "heddle-schedule", l->choices,
		     l->nchoices * sizeof(*l->choices)) ||
	    !inherit(&in->plan, "heddle-plan", l->plan, l->nplan * sizeof(*l->plan)) ||
	    !inherit(&in->segments, "heddle-segments", l->segments,
		     l->nsegments * sizeof(*l->segments)))
		goto failed;
	text = inherited_config(in, l, record, relatives);
	if (!text)
		goto failed;
	in->config = memory_file("heddle-config", text, strlen(text));
	free(text);
	if (in->config < 0)
		goto failed;
	/* Four digits: the environment lies on the stack, and its size must not depend on the options. */
	snprintf(env, sizeof(env), "%04d", in->config);
	if (setenv("HEDDLE_CONFIG_FD", env, 1) == 0)
		return HD_OK;
failed:
	inherited_close(in);
	return hd_error(HD_ERR_SYSTEM, "cannot hand the options to the program: %s",
			strerror(errno));
}

/* Fork and exec; the child's pid is in child_pid. HD_OK or an exit status. */
static enum hd_err start(const struct hd_launch *l, struct signals *s, struct hd_outcome *o)
{
	struct telling told;
	enum hd_err rc = HD_OK;
	int pipe_fds[2];
	pid_t pid, parent;

	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return hd_error(HD_ERR_SYSTEM, "cannot make a pipe: %s", strerror(errno));
	parent = getpid();
	pid = fork();
	if (pid == 0)
		become_program(l, parent, pipe_fds[1], s);
	child_pid = pid;
	close(pipe_fds[1]);
	if (pid < 0)
		rc = hd_error(HD_ERR_SYSTEM, "cannot start a process: %s", strerror(errno));
	while (pid > 0 && read(pipe_fds[0], &told, sizeof(told)) == sizeof(told)) {
		if (told.what == TOLD_RANDOM)
			o->random_addresses = true;
		else
			rc = hd_error(HD_ERR_REQUEST, "cannot run '%s': %s", l->argv[0],
				      strerror(told.error));
	}
	close(pipe_fds[0]);
	return rc;
}

/* ---- until it ends ------------------------------------------------------------- */

#define LOOK	 100 /* milliseconds between looks at the budget */
#define PATIENCE 1.0 /* seconds that the program has for its end when it was asked to */

/* The part of memory that belongs to no process: a trace without a file. */
static void count_trace(const struct hd_launch *l, const struct hd_outcome *o)
{
	struct stat st;

	if (!l->record && o->trace_fd >= 0 && fstat(o->trace_fd, &st) == 0)
		hd_budget_uses((uint64_t)st.st_size);
}

/* Ask the program to end, unless the signal that asked us has reached it already. */
static void ask_to_end(const struct hd_launch *l, const struct hd_outcome *o)
{
	if (l->redirect)
		kill((pid_t)child_pid,
		     SIGKILL); /* nobody would see what it makes of anything else */
	else if (o->stopped != HD_STOP_INTERRUPTED)
		kill((pid_t)child_pid, SIGTERM);
}

static enum hd_stop why_end(const struct hd_launch *l, const struct hd_outcome *o)
{
	if (l->unbounded)
		return asked_for_end ? HD_STOP_INTERRUPTED : HD_STOP_NO;
	count_trace(l, o);
	return hd_budget_stop();
}

static int wait_for_end(const struct hd_launch *l, struct hd_outcome *o)
{
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, (pid_t)child_pid, 0),
			      .events = POLLIN };
	double asked = 0;
	int status = 0;
	pid_t pid;

	/* It is stopped for a moment where the watcher looks at it. */
	while ((pid = waitpid((pid_t)child_pid, &status, WNOHANG)) == 0 ||
	       (pid > 0 && WIFSTOPPED(status))) {
		/* Before Linux 5.3 nothing tells of the end in time. */
		poll(&end, end.fd >= 0, end.fd >= 0 ? LOOK : 1);
		if (!asked && (o->stopped = why_end(l, o))) {
			asked = hd_now();
			ask_to_end(l, o);
		} else if (asked > 0 && hd_now() > asked + PATIENCE) {
			kill((pid_t)child_pid, SIGKILL);
		}
	}
	if (end.fd >= 0)
		close(end.fd);
	return status;
}

/* Then how it ended says nothing about the program. */
static bool we_ended_it(const struct hd_launch *l, const struct hd_outcome *o, int status)
{
	return o->stopped &&
	       (l->redirect || o->stopped != HD_STOP_INTERRUPTED || WTERMSIG(status) == SIGKILL);
}

static enum hd_err start_and_wait(const struct hd_launch *l, struct hd_outcome *o,
				  struct hd_trace_end *end)
{
	struct signals s;
	enum hd_err rc, status = 0;
	double began = hd_now();

	signals_take(&s);
	end_with = l->redirect ? SIGKILL : 0;
	asked_for_end = 0;
	rc = start(l, &s, o);
	pthread_sigmask(SIG_SETMASK, &s.mask, NULL);
	if (child_pid > 0) {
		status = wait_for_end(l, o);
		child_pid = 0;
	}
	o->seconds = hd_now() - began;
	if (asked_for_end && !o->stopped && !WIFEXITED(status))
		o->stopped = l->unbounded ? HD_STOP_INTERRUPTED : hd_budget_stop();
	/* What a signal asked it to do, it has done by itself, and nobody waits for us to end. */
	if (asked_for_end && WIFEXITED(status) && !l->redirect) {
		o->stopped = HD_STOP_NO;
		hd_budget_obeyed();
	}
	end->exited = WIFEXITED(status)					  ? 1
		      : WIFSIGNALED(status) && !we_ended_it(l, o, status) ? 0
									  : -1;
	end->code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
	/* One that takes it as the word to finish, and does, has come to its end. */
	o->interrupted = came && status != 0;
	return rc;
}

/* The file is somebody else's: two descriptors of our own for it. */
static enum hd_err share_trace_file(const struct hd_redirect *r, int *write, int *read)
{
	*write = fcntl(r->trace, F_DUPFD_CLOEXEC, 0);
	*read = *write < 0 ? -1 : fcntl(r->trace, F_DUPFD_CLOEXEC, 0);
	if (*read >= 0)
		return HD_OK;
	if (*write >= 0)
		close(*write);
	return hd_error(HD_ERR_SYSTEM, "no descriptor for the trace: %s", strerror(errno));
}

/* A writer on the trace's file or, if the very first write fails, on a nameless one. */
static enum hd_err open_writer(const struct hd_launch *l, const struct hd_trace_meta *meta,
			       struct hd_outcome *o, struct hd_trace_writer **w)
{
	enum hd_err rc;
	int fd;

	rc = l->redirect ? share_trace_file(l->redirect, &fd, &o->trace_fd)
			 : hd_open_trace_file(l->record, &fd, &o->trace_fd);

	if (rc != HD_OK)
		return rc;
	if (hd_trace_create_fd(w, fd, l->record ? l->record : "the trace", meta, &o->write_error) ==
	    HD_OK)
		return HD_OK;
	if (!l->record)
		return hd_error(HD_ERR_SYSTEM, "%s", o->write_error.text);
	close(o->trace_fd);
	rc = hd_open_trace_file(NULL, &fd, &o->trace_fd);
	if (rc != HD_OK)
		return rc;
	if (hd_trace_create_fd(w, fd, "the trace", meta, NULL) == HD_OK)
		return HD_OK;
	return hd_error(HD_ERR_SYSTEM, "%s", o->write_error.text);
}

/* The first error of writing is the one worth telling. */
static void keep_error(struct hd_outcome *o, enum hd_err err, const struct hd_errbuf *eb)
{
	if (!err || o->write_error.code)
		return;
	o->write_error = *eb;
	o->write_error.code = err;
}

/* It is not whole: what a report needs is looked for in the trace. */
static void drop_digest(struct hd_outcome *o)
{
	close(o->digest_fd);
	o->digest_fd = -1;
}

/*
 * Findings must not get lost with a full disk, nor should a long trace be read
 * again when there are none: while recording, a digest is kept in memory.
 */
static struct hd_trace_writer *open_digest(const struct hd_launch *l,
					   const struct hd_trace_meta *meta, struct hd_outcome *o)
{
	struct hd_trace_writer *w = NULL;
	int fd;

	if (l->record && hd_open_trace_file(NULL, &fd, &o->digest_fd) == HD_OK &&
	    hd_trace_create_fd(&w, fd, "the digest", meta, NULL) != HD_OK)
		drop_digest(o);
	return w;
}

static enum hd_err run_collected(const struct hd_launch *l, const struct hd_trace_meta *meta,
				 struct hd_outcome *o, struct hd_ring *ring,
				 struct hd_trace_writer *w)
{
	struct hd_trace_writer *digest = open_digest(l, meta, o);
	struct hd_trace_end end = { .exited = -1 };
	struct hd_errbuf eb = { 0 };
	struct hd_collector *c;
	struct hd_live *live;
	struct hd_watcher *watcher;
	enum hd_err rc;

	if (hd_collector_start(&c, ring, w, digest, &eb) != HD_OK) {
		hd_trace_finish(w, NULL, NULL);
		if (digest)
			hd_trace_finish(digest, NULL, NULL);
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	}
	watcher = hd_watch_start(ring);
	live = l->redirect ? NULL : hd_live_listen(c);
	rc = start_and_wait(l, o, &end);
	hd_watch_stop(watcher);
	keep_error(o, hd_collector_stop(c, &o->counts, &eb), &eb);
	hd_live_free(live);
	o->attached = __atomic_load_n(&ring->attached, __ATOMIC_ACQUIRE) != 0;
	o->refused = ring->refused == 1; /* what the program has scribbled there says nothing */
	end.start_time = ring->start_time;
	keep_error(o, hd_trace_finish(w, &end, &eb), &eb);
	if (digest && hd_trace_finish(digest, &end, NULL) != HD_OK)
		drop_digest(o);
	return rc;
}

#define CHILDREN_PATIENCE 2.0 /* seconds that children have when the program has ended */

/* NULL: nobody is. *@told: what programs that are started are told. */
static struct hd_children *follow_children(const struct hd_launch *l,
					   const struct hd_trace_meta *meta, char **told)
{
	const struct inherited nothing = { -1, -1, -1, -1, -1 };
	struct hd_launch started = *l;
	struct hd_children *c;

	started.follow = HD_POLICY_RANDOM; /* the schedule is the program's */
	*told = NULL;
	if (l->run->children != HD_CHILDREN_FOLLOW || l->preload)
		return NULL;
	c = hd_children_listen(meta);
	if (!c)
		return NULL;
	*told = inherited_config(&nothing, &started, "none", hd_children_name(c));
	if (*told && hd_children_serve(c, *told))
		return c;
	hd_children_stop(c, 0, &(struct hd_child_list){ 0 });
	return NULL;
}

enum hd_err hd_launch(const struct hd_launch *l, struct hd_outcome *o)
{
	struct hd_trace_meta meta = { .argv = (const char *const *)l->argv };
	struct hd_run_meta options;
	struct hd_trace_writer *w;
	struct hd_errbuf eb = { 0 };
	struct inherited in;
	struct hd_ring *ring;
	struct hd_children *children;
	char *told = NULL;
	enum hd_err rc;
	int ring_fd;

	while (l->argv[meta.argc])
		meta.argc++;
	hd_run_config_meta(l->run, &options, &meta);
	*o = (struct hd_outcome){ .trace_fd = -1, .digest_fd = -1 };
	sigaction(SIGXFSZ, &(struct sigaction){ .sa_handler = SIG_IGN }, &program_xfsz);
	if (hd_ring_create(&ring_fd, &ring, &eb) != HD_OK)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	fcntl(ring_fd, F_SETFD, FD_CLOEXEC);
	rc = open_writer(l, &meta, o, &w);
	if (rc != HD_OK)
		goto unmap;
	children = follow_children(l, &meta, &told);
	rc = inherited_make(&in, l, ring_fd,
			    (l->record || l->whole) && !o->write_error.code ? "all" : "none",
			    children ? hd_children_name(children) : NULL);
	if (rc != HD_OK) {
		hd_trace_finish(w, NULL, NULL);
		hd_children_stop(children, 0, &o->children);
		goto unmap;
	}
	rc = run_collected(l, &meta, o, ring, w);
	inherited_close(&in);
	hd_children_stop(children, o->stopped ? 0 : CHILDREN_PATIENCE, &o->children);
unmap:
	free(told);
	hd_ring_unmap(ring);
	close(ring_fd);
	return rc;
}

enum hd_err hd_launch_debugger(const struct hd_launch *l, char **debugger, const char *guide)
{
	struct inherited in;
	char env[16];
	enum hd_err rc = inherited_make(&in, l, -1, "none", NULL);
	int fd;

	if (rc != HD_OK)
		return rc;
	fd = memory_file("heddle-guide", guide, strlen(guide));
	snprintf(env, sizeof(env), "%d", fd);
	if (fd < 0 || setenv("HEDDLE_GUIDE_FD", env, 1) != 0)
		return hd_error(HD_ERR_SYSTEM, "cannot hand the schedule to the debugger: %s",
				strerror(errno));
	execvp(debugger[0], debugger);
	return hd_error(HD_ERR_REQUEST, "cannot run '%s': %s (Debian: apt-get install gdb)",
			debugger[0], strerror(errno));
}
