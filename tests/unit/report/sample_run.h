/*
 * Handmade traces for the tests of reports: written with the real writer, read
 * back with the real reader. The code and variables that they mention are those
 * of an imaginary bank.c, known to fake_symbols.c.
 */
#ifndef SAMPLE_RUN_H
#define SAMPLE_RUN_H

#include "report/report.h"
#include "trace/trace_writer.h"

/* Return addresses in the imaginary program. */
enum {
	PC_LOCK_A = 0x1010,	   /* transfer bank.c:13 */
	PC_LOCK_B = 0x1020,	   /* transfer bank.c:14 */
	PC_IN_WORKER = 0x1030,	   /* worker bank.c:22 */
	PC_IN_MAIN = 0x1040,	   /* main bank.c:30 */
	PC_CREATE = 0x1050,	   /* main bank.c:28 */
	PC_ALLOC = 0x1060,	   /* make_account inlined into main: account.h:5, bank.c:27 */
	PC_RECURSE = 0x1070,	   /* descend bank.c:40 */
	PC_NO_LINES = 0x1080,	   /* in the program, but nothing is known of it */
	PC_READ = 0x1090,	   /* audit bank.c:41 */
	PC_READ_MORE = 0x1098,	   /* audit bank.c:43 */
	PC_WRITE = 0x10a0,	   /* deposit bank.c:18 */
	PC_HOSTILE = 0x10b0,	   /* a function and a file whose names are an attack, line 7 */
	PC_RUNTIME = 0x9010,	   /* hd_rt_mutex_lock, in the runtime */
	PC_INTERPOSED = 0x9020,	   /* pthread_mutex_lock, in the runtime */
	PC_START = 0xa010,	   /* start_thread, in libc */
	PC_ABORT = 0xa020,	   /* abort, in libc */
	PC_SIGNAL_RETURN = 0xa030, /* in libc, without a name */
};

/* Its variables. */
enum {
	LOCK_A = 0x5000,
	LOCK_B = 0x5040,
	COND_READY = 0x5080,
	COUNTER = 0x50c0,      /* int, declared at bank.c:3 */
	HOSTILE = 0x5100,      /* a variable with such a name */
	NAMELESS = 0x60000000, /* in no module and no block */
	HEAP = 0x70000000,
};

/* As if lines had been added at the top of every file; 0 at first. */
extern uint32_t fake_line_shift;

struct sample {
	struct hd_trace_writer *writer;
	int read_fd;
	uint32_t strings;
	struct hd_trace *trace;
	struct hd_run run;
	struct hd_judgement judged;
};

/* A trace that begins with its modules and thread T1. */
void sample_begin(struct sample *s);
uint32_t sample_string(struct sample *s, const char *text);
void sample_put(struct sample *s, struct hd_event ev);
void sample_fork(struct sample *s, uint32_t parent, uint32_t child, const char *name);
/* Among two that could run, @next goes on after @thread. */
void sample_choice(struct sample *s, uint32_t thread, uint32_t next);
void sample_state(struct sample *s, uint32_t thread, unsigned state, uint64_t addr);
/* Frames, innermost first, 0 at the end. */
void sample_frames(struct sample *s, const uint64_t *pcs);
void sample_holds(struct sample *s, uint32_t thread, uint64_t addr, uint16_t mode);
/* End the trace and gather the run; @exited and @code as in struct hd_trace_end. */
void sample_end(struct sample *s, int exited, int code);
/* The same, but the last @bytes of the file are lost. */
void sample_end_cut(struct sample *s, int exited, int code, long bytes);
/* For analyses: end the trace and read it; then, when their findings were added, complete it. */
void sample_read(struct sample *s);
void sample_complete(struct sample *s);
void sample_free(struct sample *s);

/* T1 holds a and waits for b, T2 "worker" holds b and waits for a. */
void sample_abba(struct sample *s, const char *worker_name);

/* Calling contexts: deposit or audit called by worker bank.c:22, or by main bank.c:30. */
enum { CTX_WORKER = 1, CTX_MAIN = 2 };
void sample_contexts(struct sample *s);
/* What the runtime tells of a race: an access each of @first and @second, who holds a. */
struct sample_race {
	unsigned kind; /* enum hd_kind */
	uint64_t addr;
	uint32_t first, second; /* threads */
	unsigned first_op, second_op;
	uint64_t first_pc, second_pc;
};
void sample_tell_race(struct sample *s, const struct sample_race *r);
/*
 * T1 writes 5 to counter, then T2 "worker" takes a, reads it and releases a. The runtime tells of
 * the race, of a candidate of the same kind, and of three drops.
 */
void sample_race(struct sample *s);
/* The same with names that are attacks. */
void sample_hostile_race(struct sample *s);

/* Every sample by number, for the check of the JSON; false: no more. */
bool sample_by_number(struct sample *s, unsigned number);

#endif
