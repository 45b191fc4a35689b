#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/undo_files.h"
#include "common/interrupts.h"
#include "common/budget.h"
#include "launch/launch.h"
#include "report/judge.h"
#include "launch/watch.h"
#include "far_trials.h"
#include "kept_trials.h"
#include "common/listener.h"
#include "common/transfer.h"

#define PATIENCE 3000 /* milliseconds for the first byte of standard input */

/* ---- standard input ----------------------------------------------------------- */

/*
 * A pipe that nobody writes to or closes is what many a build server gives its jobs: who has
 * input comes up with the beginning of it soon.
 */
static bool nobody_writes(void)
{
	struct pollfd wait = { .fd = STDIN_FILENO, .events = POLLIN };

	if (poll(&wait, 1, PATIENCE) != 0)
		return false;
	hd_warn("nothing came from standard input for %d s: the program gets an empty one; "
		"redirect it from a file if that is wrong",
		PATIENCE / 1000);
	return true;
}

static bool copy_input(int to)
{
	static char buf[1 << 16];

	if (nobody_writes())
		return true;
	for (;;) {
		ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

		if (n < 0 && errno == EINTR && !hd_interrupted())
			continue;
		if (n <= 0)
			return n == 0 || errno == EBADF || errno == EISDIR;
		if (!hd_write_all(to, buf, (size_t)n))
			return false;
	}
}

enum hd_err hd_program_input(struct hd_program *p, bool standard)
{
	p->input = memfd_create("heddle-input", MFD_CLOEXEC);
	if (p->input < 0)
		return hd_error(HD_ERR_SYSTEM, "cannot keep the program's input in memory: %s",
				strerror(errno));
	if (!standard || isatty(STDIN_FILENO) || copy_input(p->input))
		return HD_OK;
	if (hd_interrupted())
		return hd_error(HD_ERR_REQUEST, "interrupted before the program was run");
	return hd_error(HD_ERR_REQUEST, "standard input cannot be read: %s", strerror(errno));
}

/* ---- a trial ------------------------------------------------------------------- */

/* Output may be long: it goes to a file without a name rather than to memory. */
static int output_file(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : memfd_create("heddle-output", MFD_CLOEXEC);
}

bool hd_trial_prepare(struct hd_trial *t)
{
	t->trace_fd = memfd_create("heddle-trace", MFD_CLOEXEC);
	t->files = hd_journal_make();
	t->children_fd = hd_children_file();
	for (int i = 0; i < HD_STREAMS; i++)
		t->text_fd[i] = output_file();
	t->told = mmap(NULL, sizeof(*t->told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (t->told == MAP_FAILED)
		t->told = NULL;
	if (t->trace_fd >= 0 && t->text_fd[0] >= 0 && t->text_fd[1] >= 0 && t->told) {
		*t->told = (struct hd_trial_told){ .rc = HD_ERR_SYSTEM, .oracle = -1 };
		return true;
	}
	hd_error(HD_ERR_SYSTEM, "cannot make files for a run: %s", strerror(errno));
	hd_trial_free(t);
	return false;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void hd_trial_free(struct hd_trial *t)
{
	if (t->trace) {
		hd_run_free(&t->run);
		hd_trace_close(t->trace);
	}
	t->trace = NULL;
	hd_child_runs_free(&t->children);
	if (t->children_fd > 0)
		close(t->children_fd);
	t->children_fd = 0;
	hd_behaviour_free(&t->behaviour);
	t->behaviour = (struct hd_behaviour){ 0 };
	close_fd(&t->trace_fd);
	if (t->files > 0)
		close(t->files);
	t->files = 0;
	for (int i = 0; i < HD_STREAMS; i++)
		close_fd(&t->text_fd[i]);
	if (t->told)
		munmap(t->told, sizeof(*t->told));
	t->told = NULL;
}

static bool has_faults(const struct hd_run *run)
{
	for (size_t i = 0; i < run->nfindings; i++) {
		if (hd_finding_is_fault(&run->findings[i]))
			return true;
	}
	return false;
}

bool hd_trial_shows(const struct hd_trial *t)
{
	for (size_t i = 0; i < t->children.n; i++) {
		if (has_faults(&t->children.each[i].run))
			return true;
	}
	return has_faults(&t->run);
}

struct hd_trial *hd_trial_keep(struct hd_trial *t)
{
	struct hd_trial *kept = malloc(sizeof(*kept));

	if (!kept)
		return NULL;
	*kept = *t;
	*t = (struct hd_trial){ .trace_fd = -1, .text_fd = { -1, -1 } };
	return kept;
}

bool hd_trial_was_ended(const struct hd_trial *t)
{
	return t->timed_out || (t->trace && t->run.stopped);
}

/* A place of its own in the input, whoever else reads it. */
static int open_input(const struct hd_program *p)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", p->input);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 ? fd : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void name_file(const char *variable, int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	setenv(variable, path, 1);
}

/* The user's command, which sees how the program ended and what it wrote. */
static int ask_oracle(const struct hd_trial *t, const struct hd_program *p,
		      const struct hd_trace_end *end)
{
	char number[16];
	int status;

	snprintf(number, sizeof(number), "%d", end->code);
	setenv("HEDDLE_EXIT", end->exited == 1 ? number : "", 1);
	setenv("HEDDLE_SIGNAL", end->exited == 0 ? number : "", 1);
	name_file("HEDDLE_STDOUT", t->text_fd[HD_STDOUT]);
	name_file("HEDDLE_STDERR", t->text_fd[HD_STDERR]);
	unsetenv("HEDDLE_CONFIG_FD");
	dup2(STDERR_FILENO, STDOUT_FILENO); /* what it says is no report */
	status = system(p->oracle);
	if (status == -1)
		return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* How the program ended, from the trace that was just written. */
static struct hd_trace_end end_of(const struct hd_trial *t)
{
	struct hd_trace_end end = { .exited = -1 };
	const struct hd_event *events;
	struct hd_trace *trace;
	char path[64];
	size_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", t->trace_fd);
	if (hd_trace_open(&trace, path, NULL) != HD_OK)
		return end;
	while (hd_trace_next(trace, &events, &n, NULL) == HD_OK && n)
		;
	hd_trace_ended(trace, &end.exited, &end.code, &end.start_time);
	hd_trace_close(trace);
	return end;
}

int hd_trial_work(struct hd_trial *t, const struct hd_program *p)
{
	const struct hd_redirect files = { .in = open_input(p),
					   .out = t->text_fd[HD_STDOUT],
					   .err = t->text_fd[HD_STDERR],
					   .trace = t->trace_fd };
	struct hd_run_config run = t->run_as;
	struct hd_launch l = {
		.argv = p->argv,
		.run = &run,
		.follow = t->follow,
		.whole = true,
		.redirect = &files,
		.choices = t->choices,
		.nchoices = t->nchoices,
		.segments = t->segments,
		.nsegments = t->nsegments,
		.unbounded = true, /* the pool says when it has to end */
	};
	struct hd_trial_told *told = t->told;
	struct hd_outcome o;

	run.after = t->after;
	run.files_fd = t->files > 0 ? t->files : -1;
	hd_journal_pass_on(t->files);
	if (t->plan) {
		l.plan = t->plan->entries;
		l.nplan = t->plan->n;
	}
	hd_watch_tell_to(told->stuck, sizeof(told->stuck));
	told->rc = hd_launch(&l, &o);
	hd_children_save(t->children_fd, &o.children);
	told->error = *hd_last_error();
	told->attached = o.attached;
	told->random_addresses = o.random_addresses;
	told->seconds = o.seconds;
	told->write_error = o.write_error;
	if (told->rc == HD_OK && o.attached && p->oracle && !o.stopped) {
		struct hd_trace_end end = end_of(t);

		told->oracle = ask_oracle(t, p, &end);
	}
	return 0;
}

/* ---- what came of it -------------------------------------------------------------- */

static enum hd_badness badness(const struct hd_run *run)
{
	enum hd_badness bad = HD_WENT_WELL;

	for (size_t i = 0; i < run->nfindings; i++) {
		if (hd_finding_ends_run(&run->findings[i]))
			return HD_CAME_TO_GRIEF;
		if (run->findings[i].kind == HD_KIND_EXIT)
			bad = HD_ENDED_BADLY;
	}
	return bad;
}

static enum hd_err read_children(struct hd_trial *t, struct hd_errbuf *eb)
{
	struct hd_child_list list;
	enum hd_err err = hd_children_load(t->children_fd, &list);

	if (!err)
		err = hd_child_runs_read(&t->children, &list, eb);
	hd_child_list_free(&list);
	return err;
}

static enum hd_err read_trace(struct hd_trial *t)
{
	struct hd_errbuf eb = { 0 };
	enum hd_err err;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", t->trace_fd);
	err = hd_trace_open(&t->trace, path, &eb);
	if (err) {
		t->trace = NULL;
		/* One that was killed may not have got to write anything. */
		return t->timed_out ? HD_OK
				    : hd_error(HD_ERR_SYSTEM,
					       "a run's trace cannot be read back: "
					       "%s",
					       eb.text);
	}
	if (t->keep)
		hd_trace_keep(t->trace, t->keep);
	err = hd_run_gather(&t->run, t->trace, &eb);
	if (err)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	err = read_children(t, &eb);
	if (err)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	hd_identify(&t->run);
	t->behaviour.exited = t->timed_out ? -1 : t->run.exited;
	t->behaviour.code = t->run.code;
	t->behaviour.bad = badness(&t->run);
	return HD_OK;
}

enum hd_err hd_trial_read(struct hd_trial *t, const struct hd_task_end *end)
{
	const struct hd_trial_told *told = t->told;
	struct hd_errbuf eb = { 0 };

	t->timed_out = end->timed_out;
	t->behaviour.exited = -1;
	t->behaviour.oracle = told->oracle;
	hd_watch_keep(told->stuck);
	if (!end->timed_out && end->status != 0)
		return hd_error(HD_ERR_SYSTEM, "the process that runs the program failed");
	if (!end->timed_out && told->rc != HD_OK)
		return hd_error(told->rc, "%s", told->error.text);
	if (!end->timed_out && !told->attached)
		return hd_error(HD_ERR_REQUEST,
				"the program did not start heddle's runtime: was it "
				"built with `heddle cc`? (Static programs and ones started with an "
				"empty environment cannot be controlled.)");
	if (told->write_error.code)
		return hd_error(HD_ERR_SYSTEM, "a run's trace is incomplete: %s",
				told->write_error.text);
	for (int i = 0; i < HD_STREAMS; i++) {
		if (hd_text_read(&t->behaviour.text[i], t->text_fd[i], &eb) != HD_OK)
			return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	}
	return read_trace(t);
}

/* ---- several ---------------------------------------------------------------------- */

struct series {
	struct hd_trials *trials;
	struct hd_trial slots[HD_POOL_JOBS]; /* trial i is in slot i % HD_POOL_JOBS */
	struct hd_kept_trials *keep;	     /* NULL: nothing is kept */
	struct hd_kept_trial kept[HD_POOL_JOBS];
};

static bool series_prepare(void *arg, size_t i)
{
	struct series *s = arg;
	struct hd_trial *t = &s->slots[i % HD_POOL_JOBS];

	*t = (struct hd_trial){ .trace_fd = -1, .text_fd = { -1, -1 } };
	if (!s->trials->next(s->trials->arg, i, t))
		return false;
	hd_kept_ask(s->keep, t, &s->kept[i % HD_POOL_JOBS]);
	if (hd_trial_prepare(t))
		return true;
	hd_kept_drop(s->keep, &s->kept[i % HD_POOL_JOBS]);
	s->trials->rc = HD_ERR_SYSTEM;
	return false;
}

static bool series_known(void *arg, size_t i, struct hd_task_end *end)
{
	struct series *s = arg;

	return hd_kept_take(s->keep, &s->kept[i % HD_POOL_JOBS], &s->slots[i % HD_POOL_JOBS], end);
}

static int series_work(void *arg, size_t i)
{
	struct series *s = arg;

	return hd_trial_work(&s->slots[i % HD_POOL_JOBS], s->trials->program);
}

static bool series_take(void *arg, size_t i, const struct hd_task_end *end)
{
	struct series *s = arg;
	struct hd_trial *t = &s->slots[i % HD_POOL_JOBS];
	struct hd_kept_trial *kept = &s->kept[i % HD_POOL_JOBS];
	bool more = false;

	t->changed_files |= hd_journal_undo(t->files);
	if (s->trials->rc == HD_OK && !kept->brief)
		s->trials->rc = hd_trial_read(t, end);
	if (s->trials->rc == HD_OK)
		hd_kept_keep(s->keep, kept, t, end);
	if (s->trials->rc == HD_OK)
		more = s->trials->take(s->trials->arg, i, t);
	hd_kept_end(kept);
	hd_trial_free(t);
	return more && s->trials->rc == HD_OK;
}

static void series_drop(void *arg, size_t i)
{
	struct series *s = arg;

	hd_journal_undo(s->slots[i % HD_POOL_JOBS].files);
	hd_kept_drop(s->keep, &s->kept[i % HD_POOL_JOBS]);
	hd_trial_free(&s->slots[i % HD_POOL_JOBS]);
}

/* The traces of runs that go on are memory that no process has. */
static void count_traces(const struct series *s)
{
	uint64_t bytes = 0;
	struct stat st;

	for (size_t i = 0; i < HD_POOL_JOBS; i++) {
		if (s->slots[i].told && fstat(s->slots[i].trace_fd, &st) == 0)
			bytes += (uint64_t)st.st_size;
	}
	hd_budget_uses(bytes);
}

static void series_idle(void *arg)
{
	struct series *s = arg;

	count_traces(s);
	if (s->trials->idle)
		s->trials->idle(s->trials->arg);
}

/* ---- one -------------------------------------------------------------------------- */

struct single {
	struct hd_trial *t;
	const struct hd_program *program;
	struct hd_task_end *end;
	bool done;
};

static bool single_prepare(void *arg, size_t i)
{
	(void)arg;
	return i == 0;
}

static int single_work(void *arg, size_t i)
{
	const struct single *s = arg;

	(void)i;
	return hd_trial_work(s->t, s->program);
}

static bool single_take(void *arg, size_t i, const struct hd_task_end *end)
{
	struct single *s = arg;

	(void)i;
	*s->end = *end;
	return s->done = true;
}

static void single_drop(void *arg, size_t i)
{
	(void)arg, (void)i;
}

bool hd_trial_run(struct hd_trial *t, const struct hd_program *p, double limit,
		  struct hd_task_end *end)
{
	const struct hd_pool_ops ops = { .prepare = single_prepare,
					 .work = single_work,
					 .take = single_take,
					 .drop = single_drop };
	const struct hd_pool pool = { .jobs = 1, .limit = limit };
	struct single s = { .t = t, .program = p, .end = end };

	hd_pool_run(&pool, &ops, &s);
	t->changed_files = hd_journal_undo(t->files);
	return s.done;
}

/* ---- all of them ------------------------------------------------------------------ */

enum hd_pool_why hd_trials_run(struct hd_trials *t, const struct hd_pool *pool)
{
	const struct hd_pool_ops ops = { .prepare = series_prepare,
					 .known = pool->kept ? series_known : NULL,
					 .work = series_work,
					 .take = series_take,
					 .drop = series_drop,
					 .idle = series_idle };
	struct series *s = calloc(1, sizeof(*s));
	enum hd_pool_why why = HD_POOL_FAILED;

	if (pool->crew && pool->jobs > 1 && !pool->unfinished) {
		free(s);
		return hd_far_trials_run(t, pool);
	}
	t->rc = HD_OK;
	if (s) {
		s->trials = t;
		s->keep = pool->kept;
		why = hd_pool_run(pool, &ops, s);
	}
	if (why == HD_POOL_FAILED && t->rc == HD_OK)
		t->rc = hd_error(HD_ERR_SYSTEM, "cannot start a process: %s",
				 s ? strerror(errno) : "out of memory");
	free(s);
	return why;
}
