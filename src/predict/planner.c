#include "predict/planner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/budget.h"
#include "common/clock.h"
#include "predict/pddl.h"
#include "predict/plan_text.h"

/* More than any plan for a problem that a planner can decide. */
#define OUTPUT_MAX ((size_t)64 << 20)

/* Exit statuses of the shell: the command could not be run. */
#define STATUS_NOT_RUN	 126
#define STATUS_NOT_FOUND 127

struct job {
	const struct hd_planner *planner;
	const struct hd_instance *in;
	const struct hd_step_goal *goal;
	char folder[PATH_MAX - 16];
	char domain[PATH_MAX], problem[PATH_MAX], plan[PATH_MAX], output[PATH_MAX];
	struct hd_errbuf *eb;
};

/* ---- files -------------------------------------------------------------------------- */

static enum hd_err make_folder(struct job *job)
{
	const char *base = getenv("TMPDIR");
	int n;

	if (!base || base[0] != '/')
		base = "/tmp";
	n = snprintf(job->folder, sizeof job->folder, "%s/heddle-plan-XXXXXX", base);
	if (n < 0 || (size_t)n >= sizeof job->folder || !mkdtemp(job->folder))
		return hd_fail(job->eb, HD_ERR_IO, "no folder for the planner in %.200s: %s", base,
			       strerror(errno));
	snprintf(job->domain, sizeof job->domain, "%s/domain.pddl", job->folder);
	snprintf(job->problem, sizeof job->problem, "%s/problem.pddl", job->folder);
	snprintf(job->plan, sizeof job->plan, "%s/plan", job->folder);
	snprintf(job->output, sizeof job->output, "%s/output", job->folder);
	return HD_OK;
}

/* The planner may have left files of its own beside ours, but no folders. */
static void remove_folder(const struct job *job)
{
	DIR *dir = opendir(job->folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(job->folder);
}

static enum hd_err write_problem(struct job *job)
{
	FILE *domain = fopen(job->domain, "we"), *problem = fopen(job->problem, "we");
	enum hd_err err = HD_ERR_IO;

	if (domain && problem)
		err = hd_pddl_write(job->in, job->goal, domain, problem);
	if (domain && fclose(domain) && !err)
		err = HD_ERR_IO;
	if (problem && fclose(problem) && !err)
		err = HD_ERR_IO;
	if (err)
		return hd_fail(job->eb, err,
			       "the planning problem could not be written to %.200s: %s",
			       job->folder, err == HD_ERR_IO ? strerror(errno) : hd_err_text(err));
	return HD_OK;
}

/* The text of a file with a NUL at its end, or NULL with the reason in errno. */
static char *read_text(const char *path)
{
	FILE *f = fopen(path, "re");
	size_t room = 4096, n = 0, got = 1;
	char *text = f ? malloc(room + 1) : NULL;

	while (text && got > 0) {
		got = fread(text + n, 1, room - n, f);
		n += got;
		if (n == room) {
			char *more = room < OUTPUT_MAX ? realloc(text, 2 * room + 1) : NULL;

			if (!more) {
				free(text);
				errno = room < OUTPUT_MAX ? ENOMEM : EFBIG;
			}
			text = more;
			room *= 2;
		}
	}
	if (text)
		text[n] = '\0';
	if (f) {
		int saved = errno;

		fclose(f);
		errno = saved;
	}
	return text;
}

/* ---- the command -------------------------------------------------------------------- */

/* As it is if the shell takes it for one word, so that it may stand inside quotes too. */
static void put_path(FILE *out, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._-+,:=@";

	if (path[strspn(path, plain)] == '\0') {
		fputs(path, out);
		return;
	}
	fputc('\'', out);
	for (; *path; path++) {
		if (*path == '\'')
			fputs("'\\''", out);
		else
			fputc(*path, out);
	}
	fputc('\'', out);
}

static enum hd_err expand_command(const struct job *job, char **command)
{
	const struct {
		const char *name, *path;
	} files[] = {
		{ "{domain}", job->domain },
		{ "{problem}", job->problem },
		{ "{plan}", job->plan },
	};
	const char *c = job->planner->command;
	size_t size;
	FILE *out;

	for (size_t i = 0; i < 2; i++)
		if (!strstr(c, files[i].name))
			return hd_fail(job->eb, HD_ERR_INVALID,
				       "the planner's command does not say where %s goes: %.200s",
				       files[i].name, c);
	out = open_memstream(command, &size);
	while (out && *c) {
		size_t i = 0;

		while (i < 3 && strncmp(c, files[i].name, strlen(files[i].name)) != 0)
			i++;
		if (i < 3) {
			put_path(out, files[i].path);
			c += strlen(files[i].name);
		} else {
			fputc(*c++, out);
		}
	}
	if (!out || fclose(out))
		return hd_fail(job->eb, HD_ERR_NOMEM, "out of memory for the planner's command");
	return HD_OK;
}

/* In the child: only what may be called between fork and exec. */
static void become_shell(const char *command, const char *output)
{
	int in = open("/dev/null", O_RDONLY);
	int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	setpgid(0, 0);
	if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(STATUS_NOT_RUN);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(STATUS_NOT_RUN);
}

/* For poll(2): rounded up, because one that ends early would only be repeated. */
static int milliseconds(double seconds)
{
	if (seconds <= 0)
		return 0;
	return seconds < 1e6 ? (int)(seconds * 1e3) + 1 : 1000000000;
}

#define LOOK 0.1 /* seconds between looks at the budget */

/* Wait until @pid has ended, but no longer than to @deadline (0: for ever). */
static bool wait_until(pid_t pid, double deadline)
{
	struct pollfd p = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	double left = 0;
	siginfo_t ended;
	int n = -1;

	/* Kernels before 5.3, and sandboxes that do not know the call: no limit, then. */
	if (p.fd < 0)
		return waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) == 0;
	for (;;) {
		left = deadline > 0 ? deadline - hd_now() : 0;
		n = poll(&p, 1, deadline > 0 && left < LOOK ? milliseconds(left) : LOOK * 1000);
		if (n > 0 || (n == 0 && deadline > 0 && left <= 0) || (n < 0 && errno != EINTR) ||
		    hd_budget_over())
			break;
	}
	close(p.fd);
	return n > 0;
}

/* @status as of waitpid(2); @killed if its time ran out. */
static enum hd_err run_command(const struct job *job, int *status, bool *killed)
{
	char *command = NULL;
	double seconds = job->planner->seconds;
	enum hd_err err = expand_command(job, &command);
	pid_t pid;

	if (err)
		return err;
	pid = fork();
	if (pid == 0)
		become_shell(command, job->output);
	free(command);
	if (pid < 0)
		return hd_fail(job->eb, HD_ERR_IO, "the planner could not be started: %s",
			       strerror(errno));
	setpgid(pid, pid); /* here too: whoever comes first */
	*killed = !wait_until(pid, seconds > 0 ? hd_now() + seconds : 0);
	/* Also what it left running, and before the wait: the group's id is still its own. */
	kill(-pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return hd_fail(job->eb, HD_ERR_IO, "cannot wait for the planner: %s",
				       strerror(errno));
	return HD_OK;
}

/* ---- what it found ------------------------------------------------------------------ */

/* The last line of @text that is not blank, in place. */
static const char *last_line(char *text)
{
	size_t n = strlen(text);
	char *line;

	while (n > 0 && strchr(" \t\r\n", text[n - 1]))
		n--;
	text[n] = '\0';
	line = strrchr(text, '\n');
	return line ? line + 1 : text;
}

/* Planners say with words (FF) or statuses (Fast Downward: 10 to 12) that they found none. */
static bool says_no_plan(const char *output, int code)
{
	static const char *const words[] = { "unsolvable",  "No plan will solve it",
					     "no solution", "No solution",
					     "no plan",	    "No plan" };

	if (code == 0 || (code >= 10 && code <= 12))
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(output, words[i]))
			return true;
	return false;
}

/* There is no plan: is that an answer or a failure? */
static enum hd_err explain_none(const struct job *job, char *output, int status,
				struct hd_solution *out)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	const char *line;

	if (code >= 0 && code != STATUS_NOT_RUN && code != STATUS_NOT_FOUND &&
	    says_no_plan(output, code)) {
		out->why = "the planner gave no plan";
		return HD_OK;
	}
	line = last_line(output);
	if (WIFSIGNALED(status))
		return hd_fail(job->eb, HD_ERR_IO,
			       "the planner was killed by signal %d (%s)%s%.200s", WTERMSIG(status),
			       strsignal(WTERMSIG(status)), *line ? ": " : "", line);
	if (code == STATUS_NOT_RUN || code == STATUS_NOT_FOUND)
		return hd_fail(job->eb, HD_ERR_NOT_FOUND, "the planner could not be run%s%.200s",
			       *line ? ": " : "", line);
	return hd_fail(job->eb, HD_ERR_IO, "the planner failed with status %d%s%.200s", code,
		       *line ? ": " : "", line);
}

/* The plan file's text: the last of plan.1, plan.2, ... for planners that go on improving. */
static char *read_plan_file(const struct job *job)
{
	char path[PATH_MAX + 16];
	char *text = read_text(job->plan), *better;

	for (int i = 1; i < INT_MAX; i++) {
		snprintf(path, sizeof path, "%s.%d", job->plan, i);
		better = read_text(path);
		if (!better)
			break;
		free(text);
		text = better;
	}
	return text;
}

static enum hd_err take_plan(const struct job *job, struct hd_planner_plan *plan,
			     struct hd_solution *out)
{
	struct hd_errbuf wrong = { .text = "" };

	if (job->planner->check(job->in, job->goal, plan->steps, plan->nsteps, &wrong))
		return hd_fail(job->eb, HD_ERR_INVALID, "the planner's plan is wrong: %.400s",
			       wrong.text);
	out->answer = HD_FEASIBLE;
	out->steps = plan->steps;
	out->nsteps = plan->nsteps;
	out->window_end = job->in->nsteps;
	plan->steps = NULL;
	return HD_OK;
}

static enum hd_err judge(const struct job *job, int status, struct hd_solution *out)
{
	char *output = read_text(job->output), *text = read_plan_file(job);
	struct hd_planner_plan plan = { 0 };
	enum hd_err err = HD_OK;

	if (!output) {
		err = hd_fail(job->eb, HD_ERR_IO, "what the planner wrote could not be read: %s",
			      strerror(errno));
		goto out;
	}
	err = hd_planner_plan_read(job->in, job->goal, text ? text : output,
				   text ? HD_PLANNER_FILE : HD_PLANNER_OUTPUT, &plan, job->eb);
	if (err)
		goto out;
	/* No action: an empty plan, if it does reach the goal, or none. */
	if (plan.nactions > 0 ||
	    !job->planner->check(job->in, job->goal, plan.steps, plan.nsteps, NULL))
		err = take_plan(job, &plan, out);
	else
		err = explain_none(job, output, status, out);
out:
	hd_planner_plan_free(&plan);
	free(text);
	free(output);
	return err;
}

enum hd_err hd_planner_run(const struct hd_planner *planner, const struct hd_instance *instance,
			   const struct hd_step_goal *goal, struct hd_solution *out,
			   struct hd_errbuf *eb)
{
	struct job job = { .planner = planner, .in = instance, .goal = goal, .eb = eb };
	double started = hd_now();
	bool killed = false;
	int status = 0;
	enum hd_err err;

	*out = (struct hd_solution){ .answer = HD_UNDECIDED };
	err = make_folder(&job);
	if (err)
		return err;
	err = write_problem(&job);
	if (!err)
		err = run_command(&job, &status, &killed);
	if (!err)
		err = judge(&job, status, out);
	/* One that goes on improving has a plan when its time is over; half a plan is none. */
	if (killed && out->answer != HD_FEASIBLE) {
		out->why = "the planner's time ran out";
		err = HD_OK;
	}
	remove_folder(&job);
	out->seconds = hd_now() - started;
	return err;
}
