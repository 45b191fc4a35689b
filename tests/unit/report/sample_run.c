#include "sample_run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Handmade traces that cannot be made are a broken test, not a result. */
static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "sample_run: cannot %s\n", what);
	abort();
}

void sample_put(struct sample *s, struct hd_event ev)
{
	must(hd_trace_put(s->writer, &ev) == HD_OK, "write an event");
}

uint32_t sample_string(struct sample *s, const char *text)
{
	must(hd_trace_put_string(s->writer, ++s->strings, text, strlen(text)) == HD_OK,
	     "write a string");
	return s->strings;
}

void sample_begin(struct sample *s)
{
	static const char *const argv[] = { "./bank", "two words" };
	static const char *const keys[] = { "policy", "seed", "expect-exit" };
	static const char *const values[] = { "random", "7", "4,9" };
	const struct hd_trace_meta meta = {
		.argc = 2, .argv = argv, .keys = keys, .values = values, .nkeys = 3
	};
	int fd = memfd_create("sample", MFD_CLOEXEC);

	*s = (struct sample){ .read_fd = dup(fd) };
	must(fd >= 0 && s->read_fd >= 0, "make a file");
	must(hd_trace_create_fd(&s->writer, fd, "sample", &meta, NULL) == HD_OK, "make a trace");
	sample_put(s, (struct hd_event){ .op = HD_OP_MODULE,
					 .thread = 1,
					 .addr = 0x1000,
					 .value = 0x7000,
					 .value2 = sample_string(s, "/home/u/bank") });
	sample_put(s, (struct hd_event){ .op = HD_OP_THREAD_BEGIN, .thread = 1 });
}

void sample_fork(struct sample *s, uint32_t parent, uint32_t child, const char *name)
{
	sample_put(s,
		   (struct hd_event){
			   .op = HD_OP_FORK, .thread = parent, .value = child, .pc = PC_CREATE });
	sample_put(s, (struct hd_event){ .op = HD_OP_THREAD_BEGIN, .thread = child });
	if (name)
		sample_put(s, (struct hd_event){ .op = HD_OP_THREAD_NAME,
						 .thread = child,
						 .value = child,
						 .value2 = sample_string(s, name) });
}

void sample_choice(struct sample *s, uint32_t thread, uint32_t next)
{
	sample_put(s, (struct hd_event){
			      .op = HD_OP_CHOICE, .thread = thread, .value = next, .value2 = 2 });
}

void sample_state(struct sample *s, uint32_t thread, unsigned state, uint64_t addr)
{
	sample_put(s, (struct hd_event){ .op = HD_OP_STATE,
					 .thread = 1,
					 .value = thread,
					 .arg = (uint16_t)state,
					 .addr = addr });
}

void sample_frames(struct sample *s, const uint64_t *pcs)
{
	for (; *pcs; pcs++)
		sample_put(s, (struct hd_event){ .op = HD_OP_FRAME, .thread = 1, .value = *pcs });
}

/* The pc of a HOLDS is where the finding was noticed: reports must not take it for more. */
void sample_holds(struct sample *s, uint32_t thread, uint64_t addr, uint16_t mode)
{
	sample_put(s, (struct hd_event){ .op = HD_OP_HOLDS,
					 .thread = 1,
					 .value = thread,
					 .addr = addr,
					 .arg = mode,
					 .pc = PC_IN_MAIN });
}

static void open_cut(struct sample *s, int exited, int code, long bytes)
{
	const struct hd_trace_end end = { .exited = exited, .code = code };
	char path[64];

	must(hd_trace_finish(s->writer, &end, NULL) == HD_OK, "finish a trace");
	s->writer = NULL;
	must(ftruncate(s->read_fd, lseek(s->read_fd, 0, SEEK_END) - bytes) == 0, "cut a file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->read_fd);
	must(hd_trace_open(&s->trace, path, NULL) == HD_OK, "open a trace");
}

void sample_read(struct sample *s)
{
	open_cut(s, 1, 0, 0);
	must(hd_run_read(&s->run, s->trace, NULL, NULL, NULL) == HD_OK, "read a run");
}

void sample_complete(struct sample *s)
{
	must(hd_run_complete(&s->run, NULL) == HD_OK, "complete a run");
	s->judged = hd_judge(&s->run, NULL, NULL, false);
}

void sample_end_cut(struct sample *s, int exited, int code, long bytes)
{
	open_cut(s, exited, code, bytes);
	must(hd_run_gather(&s->run, s->trace, NULL) == HD_OK, "gather a run");
	s->judged = hd_judge(&s->run, NULL, NULL, false);
}

void sample_end(struct sample *s, int exited, int code)
{
	sample_end_cut(s, exited, code, 0);
}

void sample_free(struct sample *s)
{
	hd_run_free(&s->run);
	hd_trace_close(s->trace);
	close(s->read_fd);
}

void sample_abba(struct sample *s, const char *worker_name)
{
	sample_begin(s);
	sample_fork(s, 1, 2, worker_name);
	sample_choice(s, 2, 1);
	sample_put(s, (struct hd_event){
			      .op = HD_OP_ACQUIRE, .thread = 1, .addr = LOCK_A, .pc = PC_LOCK_A });
	sample_choice(s, 1, 2);
	sample_put(s, (struct hd_event){
			      .op = HD_OP_ACQUIRE, .thread = 2, .addr = LOCK_B, .pc = PC_LOCK_A });
	sample_put(s,
		   (struct hd_event){ .op = HD_OP_FINDING, .thread = 2, .arg = HD_KIND_DEADLOCK });
	sample_state(s, 1, HD_TS_MUTEX, LOCK_B);
	sample_frames(s, (uint64_t[]){ PC_RUNTIME, PC_INTERPOSED, PC_LOCK_B, PC_IN_MAIN, 0 });
	sample_holds(s, 1, LOCK_A, HD_LOCK_MUTEX);
	sample_state(s, 2, HD_TS_MUTEX, LOCK_A);
	sample_frames(s, (uint64_t[]){ PC_RUNTIME, PC_LOCK_B, PC_IN_WORKER, PC_START, 0 });
	sample_holds(s, 2, LOCK_B, HD_LOCK_MUTEX);
	sample_put(s, (struct hd_event){ .op = HD_OP_FINDING_END, .thread = 2 });
	sample_end(s, 1, 66);
}

static void sample_abba_hostile(struct sample *s)
{
	sample_abba(s, "w\x1b[2J\xff\"\n");
}

static void sample_clean(struct sample *s)
{
	sample_begin(s);
	sample_put(s, (struct hd_event){ .op = HD_OP_OUTSIDE,
					 .thread = 1,
					 .value = sample_string(s, "time(2)") });
	must(hd_trace_put_drop(s->writer, "call stack too deep", 3) == HD_OK, "count a drop");
	sample_end(s, 1, 4);
}

static void sample_guessed_crash(struct sample *s)
{
	sample_begin(s);
	sample_end(s, 0, SIGSEGV);
}

static void sample_diverged(struct sample *s)
{
	sample_begin(s);
	sample_put(s, (struct hd_event){ .op = HD_OP_FINDING,
					 .thread = 1,
					 .arg = HD_KIND_DIVERGENCE,
					 .value2 = sample_string(s, "T2 is not runnable") });
	sample_end(s, -1, 0);
}

static void sample_others(struct sample *s)
{
	static const unsigned kinds[] = { HD_KIND_LIVELOCK, HD_KIND_ASSERTION, HD_KIND_MISUSE };

	sample_begin(s);
	for (size_t i = 0; i < 3; i++) {
		sample_put(s, (struct hd_event){ .op = HD_OP_FINDING,
						 .thread = 1,
						 .arg = (uint16_t)kinds[i],
						 .value2 = sample_string(s, "x == 1") });
		sample_state(s, 1, HD_TS_RUNNING, 0);
		sample_frames(s, (uint64_t[]){ PC_NO_LINES, PC_IN_MAIN, 0 });
		sample_put(s, (struct hd_event){ .op = HD_OP_FINDING_END, .thread = 1 });
	}
	sample_end(s, 1, 0);
}

void sample_contexts(struct sample *s)
{
	must(hd_trace_put_context(s->writer, CTX_WORKER, 0, PC_IN_WORKER) == HD_OK &&
		     hd_trace_put_context(s->writer, CTX_MAIN, 0, PC_IN_MAIN) == HD_OK,
	     "write a context");
}

static void tell_access(struct sample *s, const struct sample_race *r, bool second)
{
	uint32_t thread = second ? r->second : r->first;

	sample_put(s, (struct hd_event){ .op = HD_OP_ACCESS,
					 .thread = r->second,
					 .addr = r->addr,
					 .size = 4,
					 .value = thread,
					 .arg = second,
					 .value2 = second ? r->second_op : r->first_op,
					 .pc = second ? r->second_pc : r->first_pc,
					 .ctx = thread == 1 ? CTX_MAIN : CTX_WORKER });
}

void sample_tell_race(struct sample *s, const struct sample_race *r)
{
	sample_put(s, (struct hd_event){ .op = HD_OP_FINDING,
					 .thread = r->second,
					 .addr = r->addr,
					 .value = 4,
					 .arg = (uint16_t)r->kind,
					 .pc = r->second_pc });
	tell_access(s, r, false);
	tell_access(s, r, true);
	sample_holds(s, r->second, LOCK_A, HD_LOCK_MUTEX);
	sample_put(s, (struct hd_event){ .op = HD_OP_FINDING_END, .thread = r->second });
}

static void race_on(struct sample *s, uint64_t addr, uint64_t pc, const char *name)
{
	struct sample_race r = { .kind = HD_KIND_RACE,
				 .addr = addr,
				 .first = 1,
				 .second = 2,
				 .first_op = HD_OP_WRITE,
				 .second_op = HD_OP_READ,
				 .first_pc = PC_WRITE,
				 .second_pc = pc };

	sample_begin(s);
	sample_contexts(s);
	sample_fork(s, 1, 2, name);
	sample_put(s, (struct hd_event){ .op = HD_OP_WRITE,
					 .thread = 1,
					 .addr = addr,
					 .size = 4,
					 .value = 5,
					 .pc = PC_WRITE,
					 .ctx = CTX_MAIN });
	sample_put(s, (struct hd_event){
			      .op = HD_OP_ACQUIRE, .thread = 2, .addr = LOCK_A, .pc = PC_LOCK_A });
	sample_tell_race(s, &r);
	sample_put(s, (struct hd_event){ .op = HD_OP_READ,
					 .thread = 2,
					 .addr = addr,
					 .size = 4,
					 .value = 5,
					 .pc = pc,
					 .ctx = CTX_WORKER });
	sample_put(s, (struct hd_event){
			      .op = HD_OP_RELEASE, .thread = 2, .addr = LOCK_A, .pc = PC_LOCK_B });
	r = (struct sample_race){ .kind = HD_KIND_LOCKSET,
				  .addr = LOCK_B, /* something else, or it would be told there */
				  .first = 1,
				  .second = 2,
				  .first_op = HD_OP_WRITE,
				  .second_op = HD_OP_WRITE,
				  .first_pc = PC_READ,
				  .second_pc = PC_WRITE };
	sample_tell_race(s, &r);
	must(hd_trace_put_drop(s->writer, "call stack too deep", 3) == HD_OK, "count a drop");
	sample_end(s, 1, 0);
}

void sample_race(struct sample *s)
{
	race_on(s, COUNTER, PC_READ, "worker");
}

void sample_hostile_race(struct sample *s)
{
	race_on(s, HOSTILE, PC_HOSTILE, "]]>\x1b[2J\xff\"<&\n");
}

bool sample_by_number(struct sample *s, unsigned number)
{
	static void (*const makers[])(struct sample *) = {
		sample_abba_hostile, sample_clean, sample_guessed_crash, sample_diverged,
		sample_others,	     sample_race,  sample_hostile_race,
	};

	if (number >= sizeof(makers) / sizeof(makers[0]))
		return false;
	makers[number](s);
	return true;
}
