/*
 * What one run did, gathered from its trace: threads, findings, notes.
 *
 * A trace is read once for the findings and, only if they mention memory, a
 * second time for where that memory came from; so the memory needed follows the
 * findings and the threads, never the number of events.
 */
#ifndef HD_REPORT_RUN_MODEL_H
#define HD_REPORT_RUN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "symbols/symbols.h"
#include "trace/event.h"
#include "trace/trace_reader.h"

#define HD_RUN_SWITCHES 8u    /* last switches kept for a finding */
#define HD_RUN_FINDINGS 1000u /* more are counted, not kept */

/* Where an event happened; frames are filled in by symbolisation. */
struct hd_stack {
	uint64_t *pcs; /* innermost first */
	size_t npcs, cap;
	struct hd_frame *frames; /* without the runtime's and libc's thread start */
	size_t nframes;
};

struct hd_run_thread {
	uint32_t id;
	uint32_t creator; /* 0: the first thread, or unknown */
	uint64_t name;    /* string number, 0: none */
	uint64_t fork_pc;
	uint32_t fork_ctx;
	bool ended;
};

struct hd_holding {
	uint32_t thread;
	uint64_t addr;
	uint16_t mode; /* enum hd_lock_mode */
	uint64_t pc;   /* where it was taken; 0: not recorded */
};

/* One thread at the moment of a finding. */
struct hd_standing {
	uint32_t thread;
	unsigned state; /* enum hd_thread_state */
	uint64_t addr;  /* what it waits for; for a join, the thread */
	uint64_t text;  /* string number, 0: none */
	bool in_cycle;  /* part of the circle in f->cycle */
	struct hd_stack stack;
};

/* The run went from one thread to another; @last is what the former did last. */
struct hd_switch {
	uint32_t from, to;
	struct hd_event last;
};

struct hd_finding {
	unsigned kind; /* enum hd_finding_kind */
	uint32_t thread;
	uint64_t addr, value;
	uint64_t text; /* string number, 0: none */
	uint64_t pc;   /* where it was noticed, 0: unknown */
	uint32_t ctx;
	bool guessed;  /* not told by the runtime: concluded from how the program ended */
	struct hd_standing *threads;
	size_t nthreads, threads_cap;
	struct hd_holding *held;
	size_t nheld, held_cap;
	size_t *cycle; /* a deadlock's circle: indices of threads, each waiting for the next */
	size_t ncycle;
	struct hd_switch switches[HD_RUN_SWITCHES]; /* oldest first */
	size_t nswitches;
	uint64_t choices; /* scheduling decisions before it */
};

/* Who took a lock last, by thread. */
struct hd_taker {
	uint32_t thread;
	uint64_t pc;
};

/* Memory or an object that a finding mentions, and where it came from. */
struct hd_place {
	uint64_t addr;
	struct hd_event alloc; /* the block around it; op 0: none known */
	struct hd_event freed; /* its end; op 0: still alive */
	struct hd_event init;  /* LOCK_INIT of exactly this address */
	struct hd_taker *takers;
	size_t ntakers, takers_cap;
};

struct hd_run_module {
	uint64_t base, len;
	uint64_t path; /* string number */
};

struct hd_run {
	struct hd_trace *trace;     /* borrowed */
	struct hd_symbols *symbols; /* NULL: there was nothing to symbolise */
	struct hd_run_thread *threads; /* by id */
	size_t nthreads, threads_cap;
	struct hd_finding *findings;
	size_t nfindings, findings_cap;
	size_t findings_left_out;
	struct hd_place *places; /* by address */
	size_t nplaces, places_cap;
	struct hd_run_module *modules;
	size_t nmodules, modules_cap;
	uint64_t *outside; /* string numbers, each once */
	size_t noutside, outside_cap;
	uint64_t events, choices;
	int exited; /* as in struct hd_trace_end */
	int code;
	uint64_t start_time;
	char damage[512]; /* what stopped the reading before the end, or "" */
};

/* Read @trace to its end. Damage in it is not an error: see @damage. */
enum hd_err hd_run_gather(struct hd_run *run, struct hd_trace *trace, struct hd_errbuf *eb);
void hd_run_free(struct hd_run *run);

const struct hd_run_thread *hd_run_thread(const struct hd_run *run, uint32_t id);
const struct hd_place *hd_run_place(const struct hd_run *run, uint64_t addr);
const struct hd_run_module *hd_run_module_at(const struct hd_run *run, uint64_t addr);
const struct hd_standing *hd_finding_standing(const struct hd_finding *f, uint32_t thread);

/* Findings that are faults of the program: all but divergences. */
size_t hd_run_faults(const struct hd_run *run);
/* The first divergence of a replay, or NULL. */
const struct hd_finding *hd_run_divergence(const struct hd_run *run);

/*
 * The innermost frame at @pc that a person should look at, false if nothing is
 * known of it.
 */
bool hd_run_frame(const struct hd_run *run, uint64_t pc, struct hd_frame *frame);

/* The stack of an event at @pc in calling context @ctx; the caller frees it. */
enum hd_err hd_run_stack(const struct hd_run *run, uint64_t pc, uint32_t ctx, struct hd_stack *out);
void hd_stack_free(struct hd_stack *stack);

/* The frame of a stack that is the program's own: not libc's, with a source line. */
const struct hd_frame *hd_stack_top(const struct hd_stack *stack);

/* The build id of the program itself, or NULL. */
const char *hd_run_build_id(const struct hd_run *run);

#endif
