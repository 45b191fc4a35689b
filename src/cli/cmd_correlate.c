/*
 * heddle correlate: run a program, as it is, under the Valgrind tool of src/correlate.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli_options.h"
#include "correlate_confirm.h"
#include "common/budget.h"
#include "common/clock.h"
#include "correlate_reader/correlate_input.h"
#include "correlate_reader/correlate_model.h"
#include "launch/launch.h"
#include "launch/program_file.h"
#include "findings/outputs.h"
#include "correlate_reader/valgrind_version.h"
#include "launch/own_files.h"

#define ARGS_MAX 16
#define LOOK	 20  /* milliseconds between looks at whether it has ended */
#define PATIENCE 1.2 /* seconds for the tool to write its result when it has to end */

static int help(void)
{
	fputs("usage: heddle correlate [options] [--] PROGRAM [ARGUMENTS]...\n\n"
	      "Runs any native program with POSIX threads under Valgrind; it need not be built for\n"
	      "heddle. Finds variables that belong together and operations on them. Reports races on\n"
	      "single variables and on such groups: no common lock, a lock released in between,\n"
	      "different locks for variables that belong together.\n",
	      stdout);
	hd_cli_options_help(HD_FOR_CORRELATE, stdout);
	fputs("\nExit status: 0 nothing found, 1 findings, 2 the command or the program was wrong,\n"
	      "3 heddle itself failed.\n\n"
	      "example:\n"
	      "  heddle correlate --groups bank.groups -- ./bank\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

/* ---- valgrind ------------------------------------------------------------------------ */

static int check_valgrind(void)
{
	char version[64];

	if (!hd_path_valgrind())
		return hd_usage("this heddle was built without `correlate`: install "
				"valgrind (Debian: apt-get install valgrind) and build it again");
	if (!hd_valgrind_version(version, sizeof(version)))
		return hd_usage("`correlate` needs valgrind, and there is none in PATH "
				"(Debian: apt-get install valgrind)");
	if (strcmp(version, HD_VALGRIND_VERSION))
		return hd_usage("`correlate` was built for " HD_VALGRIND_VERSION
				", and this is %s: build heddle again",
				version);
	return HD_EXIT_CLEAN;
}

struct job {
	const struct hd_cli_options *o;
	int argc;
	char **argv;
	char dir[64], result[96], log[96];
	bool built; /* with `heddle cc` */
	int status; /* of wait() */
	double seconds;
};

/* What `heddle cc` has built finds a libheddle.so there that does nothing; all others where they were. */
static void put_quiet_library_first(void)
{
	const char *before = getenv("LD_LIBRARY_PATH");
	char *path = NULL;

	if (asprintf(&path, "%s%s%s", hd_path_valgrind(), before && *before ? ":" : "",
		     before ? before : "") < 0)
		_exit(127);
	setenv("LD_LIBRARY_PATH", path, 1);
	free(path);
}

static bool is_paper(const struct hd_cli_options *o)
{
	return !strcmp(o->value[HD_OPT_CORRELATE_ALGORITHM], "paper");
}

static void exec_valgrind(const struct job *j)
{
	char result[128], log[128], **args = calloc((size_t)j->argc + ARGS_MAX, sizeof(*args));
	int n = 0;

	if (!args)
		_exit(127);
	snprintf(result, sizeof(result), "--result=%s", j->result);
	snprintf(log, sizeof(log), "--log-file=%s", j->log);
	args[n++] = (char *)"valgrind";
	args[n++] = (char *)"--tool=heddle";
	args[n++] = (char *)"-q";
	args[n++] = (char *)"--fair-sched=try";
	args[n++] = (char *)"--vgdb=no";
	args[n++] = (char *)"--max-threads=5000";
	args[n++] = result;
	args[n++] = log;
	if (j->o->value[HD_OPT_ADDRESS_DEPS])
		args[n++] = (char *)"--address-deps=yes";
	if (j->o->value[HD_OPT_FLAG_LOOPS])
		args[n++] = (char *)"--flag-loops=yes";
	if (is_paper(j->o))
		args[n++] = (char *)"--paper=yes";
	if (j->o->value[HD_OPT_GROUPS_OUT])
		args[n++] = (char *)"--all-sets=yes";
	for (int i = 0; i < j->argc; i++)
		args[n++] = j->argv[i];
	setenv("VALGRIND_LIB", hd_path_valgrind(), 1);
	if (j->built)
		put_quiet_library_first();
	execvp("valgrind", args);
	_exit(127);
}

/* Past the budget the program is asked to end, upon which the tool writes what it has. */
static void wait_for(struct job *j, pid_t pid)
{
	double asked = 0;

	while (waitpid(pid, &j->status, WNOHANG) == 0) {
		poll(NULL, 0, LOOK);
		if (!asked && hd_budget_over()) {
			asked = hd_now();
			kill(pid, SIGTERM);
		} else if (asked > 0 && hd_now() > asked + PATIENCE) {
			kill(pid, SIGKILL);
		}
	}
}

/* The program gets the terminal's signals; we wait for what it makes of them. */
static int run_valgrind(struct job *j)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
	double began = hd_now();
	pid_t pid;

	fflush(NULL);
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	pid = fork();
	if (pid == 0) {
		sigaction(SIGINT, &interrupt, NULL);
		sigaction(SIGQUIT, &quit, NULL);
		exec_valgrind(j);
	}
	if (pid > 0)
		wait_for(j, pid);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	j->seconds = hd_now() - began;
	return pid < 0 ? hd_failed("cannot start a process for valgrind: %s", strerror(errno))
		       : HD_EXIT_CLEAN;
}

/* ---- the result ------------------------------------------------------------------------- */

/* What valgrind itself had to say, if anything. */
static void first_log_line(const struct job *j, char *buf, size_t len)
{
	FILE *log = fopen(j->log, "r");

	buf[0] = 0;
	while (log && fgets(buf, (int)len, log) && strspn(buf, "\n") == strlen(buf))
		;
	buf[strcspn(buf, "\n")] = 0;
	if (log)
		fclose(log);
}

/* Some of what clang writes with DWARF 5 is more than this version of valgrind reads; it gives up then. */
static bool is_debug_info_unread(const struct job *j)
{
	FILE *log = fopen(j->log, "r");
	char line[512];
	bool is = false;

	while (log && !is && fgets(line, sizeof(line), log))
		is = strstr(line, "debuginfo reader") || strstr(line, "dwarf2 abbrev");
	if (log)
		fclose(log);
	return is;
}

static int no_result(const struct job *j, const char *why)
{
	char line[256];

	if (hd_budget_told())
		return hd_usage("%s before the tool had a result", hd_budget_told() == HD_STOP_TIME
									   ? "--time ran out"
									   : "interrupted");
	first_log_line(j, line, sizeof(line));
	if (WIFEXITED(j->status) && WEXITSTATUS(j->status) == 127)
		return hd_failed("valgrind could not be started");
	if (is_debug_info_unread(j))
		return hd_failed(
			HD_VALGRIND_VERSION
			" cannot read the program's debug information: "
			"build it with -gdwarf-4, or remove it with `strip -g` (reports then "
			"name functions, but no lines)");
	if (line[0])
		return hd_failed("valgrind has no result: %s", line);
	return hd_failed("there is no result: %s (a program that calls exec, or is "
			 "killed with SIGKILL, leaves none)",
			 why);
}

static int write_groups(const struct job *j, const struct hd_run *run, const struct hd_cr_result *r)
{
	const char *path = j->o->value[HD_OPT_GROUPS_OUT];
	struct hd_groups groups;
	FILE *out;
	int rc = HD_EXIT_CLEAN;

	if (!path)
		return rc;
	if (hd_cr_groups(&groups, run, r) != HD_OK) {
		hd_groups_free(&groups);
		return hd_failed("out of memory for groups");
	}
	out = !strcmp(path, "-") ? stdout : fopen(path, "w");
	if (out)
		hd_groups_write(&groups, out);
	if (!out || fflush(out) != 0 || (out != stdout && fclose(out) != 0))
		rc = hd_failed("the groups could not be written to '%s': %s", path,
			       strerror(errno));
	hd_groups_free(&groups);
	return rc;
}

static bool is_to_confirm(const struct hd_cli_options *o)
{
	return o->value[HD_OPT_CONFIRM] || o->value[HD_OPT_BUILD];
}

static int confirm(const struct job *j, struct hd_run *run, const struct hd_cr_result *r)
{
	double until = hd_budget_until(), left = until > 0 ? until - hd_now() : 0;

	if (!is_to_confirm(j->o) || !run->nfindings || hd_budget_over())
		return HD_EXIT_CLEAN;
	return hd_confirm(run, r, j->argv, left);
}

static int report(const struct job *j, struct hd_outputs *outputs, const struct hd_cr_result *r)
{
	const struct hd_trace_meta meta = { .argc = j->argc, .argv = (const char *const *)j->argv };
	const struct hd_trace_end end = {
		.exited = WIFEXITED(j->status) ? 1 : 0,
		.code = WIFEXITED(j->status) ? WEXITSTATUS(j->status) : WTERMSIG(j->status),
	};
	struct hd_report_info info = { .command = "correlate",
				       .seconds = j->seconds,
				       .quiet = j->o->value[HD_OPT_QUIET] != NULL };
	struct hd_errbuf eb = { 0 };
	struct hd_trace *trace;
	enum hd_status status = HD_STATUS_CLEAN;
	struct hd_run run;
	int rc;

	if (hd_cr_run(&run, &trace, r, &meta, &end, &eb) != HD_OK)
		rc = hd_failed("%s", eb.text);
	else
		rc = write_groups(j, &run, r);
	if (rc == HD_EXIT_CLEAN)
		rc = confirm(j, &run, r);
	if (rc == HD_EXIT_CLEAN)
		rc = hd_exit_with(hd_outputs_write(outputs, &run, &info, &status), &status);
	hd_run_free(&run);
	if (trace)
		hd_trace_close(trace);
	return rc;
}

static void keep_raw(const struct job *j)
{
	const char *to = j->o->value[HD_OPT_RAW];
	char buf[65536];
	ssize_t n;
	int in, out;

	if (!to)
		return;
	in = open(j->result, O_RDONLY | O_CLOEXEC);
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	while (in >= 0 && out >= 0 && (n = read(in, buf, sizeof(buf))) > 0) {
		if (write(out, buf, (size_t)n) != n)
			break;
	}
	if (in < 0 || out < 0)
		hd_say("the tool's result could not be copied to '%s'", to);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
}

static int correlate(struct job *j, struct hd_outputs *outputs)
{
	struct hd_errbuf eb = { 0 };
	struct hd_cr_result r;
	int rc = run_valgrind(j);

	if (rc != HD_EXIT_CLEAN)
		return rc;
	if (hd_cr_read(&r, j->result, &eb) != HD_OK) {
		rc = no_result(j, eb.text);
	} else {
		keep_raw(j);
		rc = report(j, outputs, &r);
	}
	hd_cr_free(&r);
	return rc;
}

/* Only what `heddle cc` has built can be run in other orders. */
static int check_program(struct job *j)
{
	const char *command = j->o->value[HD_OPT_BUILD];
	int rc = command ? hd_confirm_build(command) : HD_EXIT_CLEAN;
	char built[HD_BUILT_MAX], *path;

	if (rc == HD_EXIT_CLEAN)
		rc = hd_exit_for(hd_find_program(j->argv[0]));
	if (rc != HD_EXIT_CLEAN)
		return rc;
	path = hd_program_path(j->argv[0]);
	j->built = path && hd_program_kind(path, built) == HD_PROGRAM_BUILT;
	free(path);
	return is_to_confirm(j->o) && !j->built
		       ? hd_usage(
				 "--confirm runs '%s' in other orders, so it must be built with `heddle "
				 "cc`; or give the command that does so with --build",
				 j->argv[0])
		       : HD_EXIT_CLEAN;
}

static int run(const struct hd_cli_options *o, int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	struct job j = { .o = o, .argc = argc, .argv = argv };
	struct hd_output_config config;
	struct hd_outputs outputs;
	int rc = check_program(&j);

	hd_cli_options_outputs(o, &config);
	if (rc == HD_EXIT_CLEAN)
		rc = check_valgrind();
	if (rc == HD_EXIT_CLEAN)
		rc = hd_exit_for(hd_outputs_open(&outputs, &config));
	if (rc != HD_EXIT_CLEAN)
		return rc;
	snprintf(j.dir, sizeof(j.dir), "%s/heddle-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	if (!mkdtemp(j.dir))
		return hd_close_outputs(
			&outputs,
			hd_failed("cannot make a folder for the result: %s", strerror(errno)));
	snprintf(j.result, sizeof(j.result), "%s/result", j.dir);
	snprintf(j.log, sizeof(j.log), "%s/log", j.dir);
	rc = correlate(&j, &outputs);
	unlink(j.result);
	unlink(j.log);
	rmdir(j.dir);
	return hd_close_outputs(&outputs, rc);
}

int hd_cmd_correlate(int argc, char **argv)
{
	struct hd_cli_options o;
	bool dashes = false;
	int next = 1;
	int rc = hd_cli_options_init(&o, HD_FOR_CORRELATE);

	if (rc == HD_GO_ON)
		rc = hd_cli_options_parse(&o, argc, argv, &next, &dashes);
	if (rc == HD_GO_ON && o.value[HD_OPT_HELP])
		rc = help();
	if (rc == HD_GO_ON && next == argc)
		rc = hd_usage("which program? `heddle correlate [options] -- PROGRAM ...`");
	if (rc == HD_GO_ON && is_paper(&o) && is_to_confirm(&o))
		rc = hd_usage(
			"--confirm needs an order that tears an operation; --algorithm paper knows none");
	if (rc == HD_GO_ON)
		rc = run(&o, argc - next, argv + next);
	hd_cli_options_free(&o);
	return rc;
}
