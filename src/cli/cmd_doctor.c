/*
 * heddle doctor: does everything work here that heddle needs, and how is it mended if not?
 *
 * What can be tried is tried (compiling and running a program with threads), rather than guessed
 * from versions.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "cli_options.h"
#include "common/addresses.h"
#include "predict/predict.h"
#include "correlate_reader/valgrind_version.h"
#include "launch/own_files.h"

enum state {
	OK,
	LESS, /* heddle works, but without or slower at something */
	BAD,  /* it does not */
};

struct doctor {
	unsigned bad, less;
};

static int help(void)
{
	fputs("usage: heddle doctor\n\n"
	      "Checks whether everything that heddle needs is present (compiler, runtime, valgrind,\n"
	      "gdb, kernel features, limits) and says how to fix what is not. It compiles and runs a\n"
	      "small program with two threads.\n\n"
	      "example:\n"
	      "  heddle doctor\n\n"
	      "Exit status: 0 heddle works here, 1 something that it needs does not work, 2 the command\n"
	      "was wrong, 3 heddle itself failed.\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

/* One line for people; @fix, if there is anything to fix, below it. */
static void __attribute__((format(printf, 4, 5)))
tell(struct doctor *d, enum state state, const char *fix, const char *fmt, ...)
{
	static const char *const words[] = { "ok", "limited", "broken" };
	va_list ap;

	printf("%-8s ", words[state]);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (state != OK && fix)
		printf("         to fix it: %s\n", fix);
	d->bad += state == BAD;
	d->less += state == LESS;
}

/* ---- trying things ------------------------------------------------------------------- */

/* Run @argv without a word to anybody; its status, or -1 if it did not get to an exit. */
static int try_command(char *const argv[])
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (!freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout) ||
		    !freopen("/dev/null", "w", stderr))
			_exit(127);
		unsetenv("HEDDLE_OPTIONS");
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Writing and reading one variable in two threads, in order: nothing to report. */
static const char trial[] = "#include <pthread.h>\n"
			    "static int seen;\n"
			    "static void *f(void *arg) { seen = 1; return arg; }\n"
			    "int main(void)\n"
			    "{\n"
			    "\tpthread_t t;\n"
			    "\tif (pthread_create(&t, 0, f, 0) || pthread_join(t, 0))\n"
			    "\t\treturn 7;\n"
			    "\treturn seen - 1;\n"
			    "}\n";

struct bench { /* a folder with the trial in it */
	char dir[64], source[96], program[96];
};

static bool set_up(struct bench *b)
{
	const char *tmp = getenv("TMPDIR");
	FILE *out;

	if (!tmp || strlen(tmp) > sizeof(b->dir) - 24)
		tmp = "/tmp";
	snprintf(b->dir, sizeof(b->dir), "%s/heddle-doctor-XXXXXX", tmp);
	if (!mkdtemp(b->dir))
		return false;
	snprintf(b->source, sizeof(b->source), "%s/trial.c", b->dir);
	snprintf(b->program, sizeof(b->program), "%s/trial", b->dir);
	out = fopen(b->source, "w");
	if (!out)
		return false;
	fputs(trial, out);
	return fclose(out) == 0;
}

static void clear_up(const struct bench *b)
{
	unlink(b->source);
	unlink(b->program);
	rmdir(b->dir);
}

/* ---- what is looked at --------------------------------------------------------------- */

static void look_at_files(struct doctor *d)
{
	const char *fix = "build heddle again, or install it again as a whole";

	if (!hd_path_libdir())
		tell(d, BAD, fix, "libheddle.so is not where this command looks for it");
	else if (!hd_path_include())
		tell(d, BAD, fix, "heddle/heddle.h is not where this command looks for it");
	else
		tell(d, OK, NULL, "heddle " HD_VERSION ", its library and headers are in place");
}

static void tell_compiled(struct doctor *d)
{
	char how[PATH_MAX + 128];

	hd_cc_describe(how, sizeof(how));
	tell(d, OK, NULL, "`heddle cc` compiles and links; %s", how);
}

static void look_at_compilers(struct doctor *d, const struct bench *b)
{
	char *self = (char *)hd_path_self();
	char *const c[] = { self,	  (char *)"cc",	      (char *)"-g", (char *)b->source,
			    (char *)"-o", (char *)b->program, NULL };
	char *const cxx[] = {
		self,	      (char *)"c++",	  (char *)"-x", (char *)"c++", (char *)b->source,
		(char *)"-o", (char *)b->program, NULL
	};

	if (try_command(cxx) == 0)
		tell(d, OK, NULL, "`heddle c++` compiles and links");
	else
		tell(d, LESS, "apt-get install g++, or HEDDLE_CXX=clang++ in the environment",
		     "`heddle c++` cannot compile a small program; C programs do not need it");
	unlink(b->program);
	if (try_command(c) == 0)
		tell_compiled(d);
	else
		tell(d, BAD,
		     "apt-get install gcc libc6-dev, or HEDDLE_CC=clang in the environment; "
		     "`heddle cc -v FILE.c` shows the compiler's messages",
		     "`heddle cc` cannot compile a small program");
}

static void look_at_run(struct doctor *d, const struct bench *b)
{
	char *const argv[] = { (char *)hd_path_self(), (char *)"run",	   (char *)"-q",
			       (char *)"--",	       (char *)b->program, NULL };
	int status;

	if (access(b->program, X_OK) != 0)
		return; /* was told already */
	status = try_command(argv);
	if (status == HD_EXIT_CLEAN)
		tell(d, OK, NULL, "`heddle run` runs a program with two threads");
	else
		tell(d, BAD,
		     "run it by hand (`heddle run -- PROGRAM`) and read the messages; "
		     "a temporary folder that forbids execution is one cause",
		     "`heddle run` ended with status %d on a small program", status);
}

static void look_at_kernel(struct doctor *d)
{
	enum { FSGSBASE = 2 }; /* of AT_HWCAP2 */

	if (hd_addresses_can_be_fixed())
		tell(d, OK, NULL, "address randomisation can be switched off");
	else
		tell(d, LESS,
		     "in a container, allow personality(2): docker run --security-opt "
		     "seccomp=unconfined",
		     "address randomisation cannot be switched off: `heddle cc` links programs at fixed "
		     "addresses here (-no-pie); shared libraries and programs from elsewhere differ "
		     "from run to run");
	if (getauxval(AT_HWCAP2) & FSGSBASE)
		tell(d, OK, NULL, "threads are switched without system calls (FSGSBASE)");
	else
		tell(d, LESS, "a kernel from 5.9 on, started without nofsgsbase",
		     "no FSGSBASE: each switch of threads takes a system call, about 0.2 us more");
}

static void look_at_solver(struct doctor *d)
{
	if (hd_solver_available(HD_SOLVER_SAT))
		tell(d, OK, NULL, "`heddle predict --solver sat` is built in (CaDiCaL)");
	else
		tell(d, LESS, "apt-get install libcadical-dev g++, then build heddle again (make)",
		     "`heddle predict --solver sat` and `both` are not built: there was no CaDiCaL");
}

static void look_at_valgrind(struct doctor *d)
{
	char version[64];

	if (!hd_path_valgrind())
		tell(d, LESS, "apt-get install valgrind, then build heddle again (make)",
		     "`heddle correlate` is not built: there was no suitable valgrind");
	else if (!hd_valgrind_version(version, sizeof(version)))
		tell(d, LESS, "apt-get install valgrind",
		     "`heddle correlate` needs valgrind, and there is none in PATH");
	else if (strcmp(version, HD_VALGRIND_VERSION) != 0)
		tell(d, LESS, "build heddle again (make)",
		     "`heddle correlate` was built for " HD_VALGRIND_VERSION ", and this is %s",
		     version);
	else
		tell(d, OK, NULL, "`heddle correlate` works with %s", version);
}

static void look_at_gdb(struct doctor *d)
{
	char *const plain[] = { (char *)"gdb", (char *)"--version", NULL };
	char *const python[] = { (char *)"gdb",
				 (char *)"-nx",
				 (char *)"-batch",
				 (char *)"-ex",
				 (char *)"python exit(7)",
				 NULL };

	if (try_command(plain) != 0)
		tell(d, LESS, "apt-get install gdb",
		     "there is no gdb, which `heddle replay --gdb` needs");
	else if (try_command(python) != 7)
		tell(d, LESS, "apt-get install gdb (in place of gdb-minimal)",
		     "gdb has no Python: `heddle replay --gdb` cannot guide through a run");
	else
		tell(d, OK, NULL, "gdb works, with Python");
}

static void look_at_limits(struct doctor *d)
{
	struct rlimit space, processes;
	struct statvfs disk;
	unsigned before = d->bad + d->less;
	char overcommit = '0';
	FILE *in = fopen("/proc/sys/vm/overcommit_memory", "r");

	if (in) {
		overcommit = (char)fgetc(in);
		fclose(in);
	}
	if (overcommit == '2')
		tell(d, LESS, "sysctl vm.overcommit_memory=0",
		     "memory is never overcommitted: heddle may fail to reserve shadow memory");
	if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
		tell(d, LESS, "ulimit -v unlimited",
		     "address space is limited to %llu MB; shadow memory needs far more, reserved "
		     "and not used",
		     (unsigned long long)space.rlim_cur >> 20);
	if (getrlimit(RLIMIT_NPROC, &processes) == 0 && processes.rlim_cur < 1024)
		tell(d, LESS, "ulimit -u 4096", "only %llu processes and threads are allowed",
		     (unsigned long long)processes.rlim_cur);
	if (statvfs(".", &disk) == 0 && disk.f_bavail * disk.f_frsize < (64u << 20))
		tell(d, LESS, "free some space, or use --output and --record elsewhere",
		     "less than 64 MB are free in this folder: recordings may not fit");
	if (d->bad + d->less == before)
		tell(d, OK, NULL, "limits of memory, processes and disk are high enough");
}

int hd_cmd_doctor(int argc, char **argv)
{
	struct doctor d = { 0 };
	struct bench b;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return help();
	if (argc > 1)
		return hd_usage("`heddle doctor` takes no arguments, but got '%s'", argv[1]);
	if (!hd_path_self() || !set_up(&b))
		return hd_failed("cannot make a temporary folder: %s", strerror(errno));
	look_at_files(&d);
	look_at_compilers(&d, &b);
	look_at_run(&d, &b);
	look_at_kernel(&d);
	look_at_solver(&d);
	look_at_valgrind(&d);
	look_at_gdb(&d);
	look_at_limits(&d);
	clear_up(&b);
	if (d.bad)
		puts("\nheddle does not work here yet.");
	else
		puts(d.less ? "\nheddle works here, with the limits above."
			    : "\nheddle works here.");
	return d.bad ? HD_EXIT_FINDINGS : HD_EXIT_CLEAN;
}
