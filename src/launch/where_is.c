#include "where_is.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <time.h>
#include <unistd.h>

#include "common/path.h"
#include "report/printable.h"
#include "symbols/symbols.h"

#define STACK_WORDS 512 /* that are looked through for the program's own code */

/* ---- what /proc tells -------------------------------------------------------------- */

/* The fields of /proc/.../stat from the state on; the name before may have anything in it. */
static bool read_stat(const char *path, char *state, double *seconds)
{
	unsigned long user, system;
	char line[1024];
	FILE *in = fopen(path, "re");
	const char *at;
	bool ok;

	if (!in)
		return false;
	ok = fgets(line, sizeof(line), in) && (at = strrchr(line, ')')) &&
	     sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", state, &user,
		    &system) == 3;
	fclose(in);
	if (ok)
		*seconds = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
	return ok;
}

double hd_cpu_seconds(pid_t pid)
{
	double seconds = -1;
	char path[64], state;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return read_stat(path, &state, &seconds) ? seconds : -1;
}

static char state_of(pid_t pid, pid_t tid)
{
	char path[64], state = 0;
	double seconds;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	return read_stat(path, &state, &seconds) ? state : 0;
}

/* A kernel thread that computes; with carriers of their own it need not be the first. */
static pid_t find_running(pid_t pid)
{
	const struct dirent *entry;
	pid_t found = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);

		if (tid > 0 && state_of(pid, tid) == 'R')
			found = tid;
	}
	if (dir)
		closedir(dir);
	return found;
}

enum hd_doing hd_doing(pid_t pid, pid_t *tid)
{
	char state = state_of(pid, pid);

	*tid = pid;
	if (state == 'R')
		return HD_DOING_WORK;
	if (state != 'S' && state != 'D')
		return HD_DOING_UNKNOWN; /* stopped, or gone */
	*tid = find_running(pid);
	if (*tid)
		return HD_DOING_WORK;
	*tid = pid;
	return HD_DOING_WAIT;
}

static struct hd_symbols *symbols_of(pid_t pid)
{
	struct hd_symbols *s = NULL;
	char path[64], line[4400], name[4096], last[4096] = "";
	uint64_t low, high, offset, base = 0, end = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	in = fopen(path, "re");
	if (!in || hd_symbols_new(&s) != HD_OK) {
		if (in)
			fclose(in);
		return NULL;
	}
	while (fgets(line, sizeof(line), in)) {
		name[0] = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %4095[^\n]", &low,
			   &high, &offset, name) < 3 ||
		    name[0] != '/')
			continue;
		if (strcmp(name, last) != 0) {
			if (last[0])
				hd_symbols_add_module(s, last, base, end - base, NULL);
			strcpy(last, name);
			base = low - offset;
		}
		end = high;
	}
	if (last[0])
		hd_symbols_add_module(s, last, base, end - base, NULL);
	fclose(in);
	return s;
}

/* ---- a look at it ------------------------------------------------------------------ */

struct look {
	uint64_t pc;
	uint64_t stack[STACK_WORDS];
	size_t n;
};

/*
 * Is this behind a call instruction? What lies on a stack may be anything, or be left over from calls
 * that have returned.
 */
static bool is_return_address(pid_t tid, uint64_t at)
{
	unsigned char b[8];
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, tid, (void *)(at - 8), NULL);
	if (errno)
		return false;
	memcpy(b, &word, sizeof(b));
	return b[3] == 0xe8 || (b[2] == 0xff && b[3] == 0x15) ||
	       (b[6] == 0xff && (b[7] & 0xf8) == 0xd0) || (b[5] == 0xff && (b[6] & 0xf8) == 0x50) ||
	       (b[2] == 0xff && (b[3] & 0xf8) == 0x90);
}

static void read_stack(pid_t tid, uint64_t sp, struct look *l)
{
	for (size_t i = 0; i < STACK_WORDS; i++) {
		uint64_t word;

		errno = 0;
		word = (uint64_t)ptrace(PTRACE_PEEKDATA, tid, (void *)(sp + 8 * i), NULL);
		if (errno)
			return;
		if (word > 4096 && word >> 47 == 0 && is_return_address(tid, word))
			l->stack[l->n++] = word;
	}
}

/* A signal that was about to be delivered when it stopped must not get lost. */
static long pending_signal(pid_t tid)
{
	siginfo_t info = { 0 };

	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) != 0 ||
	    info.si_code >> 8 == PTRACE_EVENT_STOP)
		return 0;
	return info.si_signo;
}

/*
 * Stop it for a moment. Code that computes does not notice. False: it is not allowed (another
 * debugger, or a system that forbids it), or it has ended.
 */
static bool look_at(pid_t tid, struct look *l)
{
	struct user_regs_struct regs;
	bool stopped = false;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
		return false;
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	for (int i = 0; i < 2000 && !stopped; i++) {
		stopped = ptrace(PTRACE_GETREGS, tid, NULL, &regs) == 0;
		if (!stopped)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	if (stopped) {
		l->pc = regs.rip;
		read_stack(tid, regs.rsp, l);
	}
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(stopped ? pending_signal(tid) : 0));
	return stopped;
}

/* The same of one that waits in a system call, which a look at it might end early. */
static bool look_at_waiting(pid_t pid, pid_t tid, struct look *l)
{
	char path[64], line[512];
	uint64_t sp;
	FILE *in;
	bool ok;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
	in = fopen(path, "re");
	if (!in)
		return false;
	ok = fgets(line, sizeof(line), in) &&
	     sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %" SCNx64 " %" SCNx64, &sp, &l->pc) == 2;
	fclose(in);
	return ok;
}

/* ---- in words ------------------------------------------------------------------------ */

static void put_place(FILE *out, const struct hd_frame *f)
{
	hd_put_printable(out, f->file);
	fprintf(out, ":%" PRIu32, f->line);
}

/* Where the program's own code called what has no lines. */
static void put_caller(FILE *out, struct hd_symbols *s, const struct look *l)
{
	struct hd_frame f;

	for (size_t i = 0; i < l->n; i++) {
		if (hd_symbols_code(s, l->stack[i], &f, 1) && f.file && f.line &&
		    strncmp(hd_base_name(f.module), "libheddle", 9) != 0) {
			fputs(", called at ", out);
			put_place(out, &f);
			return;
		}
	}
}

static void put_where(FILE *out, struct hd_symbols *s, const struct look *l, const char *doing)
{
	struct hd_frame f = { 0 };

	if (!hd_symbols_code(s, l->pc + 1, &f, 1) || !f.module) { /* generated code, or the vdso */
		fprintf(out, "%s in code of no file, at %#" PRIx64, doing, l->pc);
		put_caller(out, s, l);
	} else if (f.file && f.line) {
		fprintf(out, "%s at ", doing);
		put_place(out, &f);
		fputs(" (", out);
		if (f.function) {
			fputs("in function ", out);
			hd_put_printable(out, f.function);
			fputs(", ", out);
		}
		fputs("inline assembler or code without hooks)", out);
	} else {
		fprintf(out, "%s in ", doing);
		if (f.function) {
			hd_put_printable(out, f.function);
			fputs(" of ", out);
		}
		hd_put_printable(out, hd_base_name(f.module));
		fputs(" (code without hooks)", out);
		put_caller(out, s, l);
	}
}

void hd_where_is(pid_t pid, pid_t tid, enum hd_doing doing, uint64_t last, char *text, size_t len)
{
	struct hd_symbols *s = symbols_of(pid);
	FILE *out = fmemopen(text, len, "w");
	struct look l = { 0 };
	struct hd_frame f;

	text[0] = 0;
	if (!s || !out) {
		snprintf(text, len, "it is not known where");
	} else if (doing == HD_DOING_WAIT && look_at_waiting(pid, tid, &l)) {
		put_where(out, s, &l, "waiting in the system");
		fputs(", and no other thread runs meanwhile", out);
	} else if (doing == HD_DOING_WORK && look_at(tid, &l)) {
		put_where(out, s, &l, "spinning");
		putc('?', out);
	} else if (last && hd_symbols_code(s, last, &f, 1) && f.file) {
		fputs("somewhere behind ", out);
		put_place(out, &f);
	} else {
		fputs("it is not known where", out);
	}
	if (out)
		fclose(out);
	hd_symbols_free(s);
}
