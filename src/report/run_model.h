/*
 * What one run did: threads, findings, notes. Findings come from the trace itself,
 * where the runtime has put them, and from analyses of the trace; both have one form.
 *
 * A trace is read once for what is in it (hd_run_read). Analyses may then add what
 * they found (found_model.h). hd_run_complete reads it again, only if there are findings,
 * for where memory came from and what happened around the accesses; so the memory
 * needed follows the findings and the threads, never the number of events.
 */
#ifndef HD_REPORT_RUN_MODEL_H
#define HD_REPORT_RUN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "symbols/symbols.h"
#include "symbols/unhooked.h"
#include "trace/event.h"
#include "trace/found.h"
#include "trace/trace_reader.h"

#define HD_RUN_SWITCHES	  8u	/* last switches kept for a finding */
#define HD_RUN_CANDIDATES 1000u /* more of one rule are counted, not kept; findings all are */

/* What became of something predicted when the program was run accordingly. */
enum hd_verdict {
	HD_VERDICT_NONE,       /* it was not: observed, or predicted only (candidate) */
	HD_VERDICT_CONFIRMED,  /* it came about and the program visibly failed */
	HD_VERDICT_REALISED,   /* it happened without visible failure */
	HD_VERDICT_INFEASIBLE, /* proved: it cannot come about */
	HD_VERDICT_UNKNOWN,    /* neither */
	HD_VERDICT_PREDICTED,  /* there is a schedule for it, and it was not run */
	HD_VERDICTS
};

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
	uint64_t name;	  /* string number, 0: none */
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
struct hd_finding_thread {
	uint32_t thread;
	unsigned state; /* enum hd_thread_state */
	uint64_t addr;	/* what it waits for; for a join, the thread */
	uint64_t text;	/* string number, 0: none */
	bool in_cycle;	/* part of the cycle in waiting.cycle */
	struct hd_stack stack;
};

/* The run went from one thread to another; @last is what the former did last. */
struct hd_switch {
	uint32_t from, to;
	struct hd_event last;
};

/* An access (or the taking of a lock) that a finding is about. */
struct hd_access {
	const char *role;      /* "first", "e1", "holds", ...: static */
	uint64_t index;	       /* of the event in the trace; HD_NO_INDEX: not recorded */
	struct hd_event event; /* its value is known only if has_value */
	bool has_value;
	struct hd_within within; /* the construct of OpenMP that it is in */
	struct hd_holding *held;
	size_t nheld, held_cap;
	struct hd_stack stack;
};

/* Of a predicted interleaving, not all steps have happened. */
enum hd_step_when {
	HD_STEP_DONE,
	HD_STEP_NEXT,	 /* about to happen */
	HD_STEP_TO_COME, /* not yet, at the end of what is shown */
};

/* Is the interleaving of a finding that of the run? */
enum hd_reordered {
	HD_AS_OBSERVED,
	HD_REORDERED,	      /* predicted: another order of the same events */
	HD_REORDERED_LOOSELY, /* the same without regard to values: the program may leave it */
	HD_WOULD_TEAR,	      /* nobody has tried it; values are not known */
};

/* A location that belongs to what a finding is about. */
struct hd_member {
	uint64_t addr;
	uint32_t size;
};

/* A line of the interleaving around a finding's accesses. */
struct hd_step {
	enum hd_step_when when;
	bool may_differ; /* a read at the goal of a prediction */
	bool valueless;	 /* what is read or written is not known */
	struct hd_event event;
	uint64_t skipped; /* events of interest that were left out before it */
	bool is_access;	  /* one of the finding's own */
	bool switched;	  /* another thread ran before */
	size_t older;	  /* it read an older value: the moment's, + 1; else 0 */
};

/* Memory or an object that a finding mentions, and where it came from. */
struct hd_origin {
	struct hd_event alloc; /* the block around it; op 0: none known */
	struct hd_event freed; /* its end; op 0: still alive */
	struct hd_event init;  /* LOCK_INIT of exactly this address */
	struct hd_event
		locals; /* LOCALS of the function that has it on its stack; op 0: none known */
	struct hd_event shared; /* LOCALS of a region that shares it; op 0: none known */
	bool reused;		/* other variables were there later, in findings too */
};

/* How a run left its plan; see HD_OP_EXPECTED in events.def. */
struct hd_divergence {
	unsigned why; /* enum hd_plan_why; 0: it was a schedule that was left */
	struct hd_event did, planned, differs; /* op 0 and pc 0: none */
	uint64_t got, want;		       /* what the read that differs saw, and was to see */
};

/* Permission regions that would cover an access: where they should be opened and closed. */
struct hd_annotation {
	size_t access;		 /* of the finding */
	char *acquire, *release; /* the calls */
	char *file;		 /* NULL: unknown */
	uint32_t first, last;	 /* before the first line, after the last */
	struct hd_annotation *next;
};

/* How sure it is, and by what. */
struct hd_finding_certainty {
	bool candidate; /* predicted, not established: a note, no finding */
	enum hd_verdict verdict;
	const char *established; /* a race: "happens-before" or "lockset"; else NULL */
	bool analysed;		 /* from an analysis, not from the run itself */
	bool guessed;		 /* not told by the runtime: concluded from how the program ended */
	bool by_race; /* the program fails so if the accesses of a race come in one order, and only then */
};

/* What tells it from others, and whether it is known by that; set by judge.h. */
struct hd_finding_identity {
	char id[17];
	uint64_t sites;		 /* hash of the lines that it is about */
	bool known;		 /* in the baseline */
	bool tolerated;		 /* harmless, as far as was tried, which is enough by --fail-on */
	const char *suppression; /* the line that suppresses it, or NULL */
	uint64_t subject;	 /* hash of the variable or block; 0: neither is known */
	uint32_t subject_line;	 /* of the block: where it was allocated */
};

/* The memory or the object that it is about. */
struct hd_finding_location {
	uint64_t addr;
	uint32_t size;
	int group;		   /* of locations; -1: none */
	struct hd_member *members; /* if it is about several that belong together: all of them */
	size_t nmembers, members_cap;
	struct hd_origin origin; /* at that time */
};

/* An atomic operation that read an older value. */
struct hd_older {
	struct hd_event read;
	uint64_t index;		/* of that event */
	struct hd_event from;	/* that wrote it; no op: what was there before all others */
	struct hd_event newest; /* the last that had been written by then; no op: not known */
};

/* When and where it was noticed. */
struct hd_finding_moment {
	uint64_t index; /* of the event by which it was complete */
	uint32_t thread;
	uint64_t pc; /* 0: unknown */
	uint32_t ctx;
	uint64_t choices;			    /* scheduling decisions before it */
	struct hd_switch switches[HD_RUN_SWITCHES]; /* oldest first */
	size_t nswitches;
	struct hd_older older[HD_RUN_SWITCHES]; /* the last before it, oldest first */
	size_t nolder;
};

/* What the threads did then, who held what, and who waited for whom. */
struct hd_finding_waiting {
	struct hd_finding_thread *threads;
	size_t nthreads, threads_cap;
	struct hd_holding *held;
	size_t nheld, held_cap;
	size_t *cycle; /* a deadlock's: indices of threads, each waiting for the next */
	size_t ncycle;
};

/* What happened around its accesses, or could. */
struct hd_finding_interleaving {
	struct hd_step *steps;
	size_t nsteps, steps_cap;
	enum hd_reordered reordered;
};

/* What comes of a race when its accesses happen in one order and in the other. */
enum hd_harm {
	HD_HARM_UNTOLD,	 /* nobody looked */
	HD_HARM_UNKNOWN, /* it could not be tried */
	HD_HARM_NONE,	 /* no difference */
	HD_HARM_VALUES,	 /* other values, and nothing that fails */
	HD_HARM_FAILS,
};

struct hd_consequence {
	enum hd_harm harm;
	const char *word; /* "crash", ..., "output", "values", "none", "unknown": static */
	unsigned orders;  /* that were run */
	char *text;	  /* how it fails, which values differ, why it is not known */
};

/* What would mend it, as far as running the program can tell. */
struct hd_remedy {
	char *text;	    /* a sentence; NULL: nobody looked */
	bool found;	    /* else the sentence says what was tried */
	unsigned schedules; /* in which it was tried */
};

/* The run that shows it. */
struct hd_finding_witness {
	char *outcome;		 /* what it did, a sentence; or NULL */
	const char *word;	 /* the same as that of a consequence; NULL: it did not fail */
	char *schedule, *replay; /* file and command for it alone; NULL: the report's */
};

struct hd_finding {
	enum hd_kind kind;	    /* one that is told as itself */
	const struct hd_run *home;  /* the run that it tells of; NULL: the one that lists it */
	char pattern[8];	    /* "RWW"; "": none */
	uint64_t value, text;	    /* by kind; text: string number, 0: none */
	char *goal;		    /* HD_KIND_GOAL: as the user has written it; else NULL */
	char *why;		    /* a sentence of detail, or NULL */
	uint64_t merged;	    /* how many more this one stands for */
	struct hd_access *accesses; /* in the order in which they happened */
	size_t naccesses, accesses_cap;
	/* The instruction that the torn thread was to come to, and did not, as the run ended before; 0: none. */
	uint64_t missing;
	struct hd_annotation *annotations; /* NULL: none */
	struct hd_finding_certainty certainty;
	struct hd_finding_identity identity;
	struct hd_finding_location location;
	struct hd_finding_moment moment;
	struct hd_finding_waiting waiting;
	struct hd_finding_interleaving interleaving;
	struct hd_finding_witness witness;
	struct hd_consequence consequence; /* of a race */
	struct hd_remedy remedy;
	struct hd_divergence divergence; /* HD_KIND_DIVERGENCE */
	struct hd_finding
		*others; /* a race: more pairs of places on the same variable; with home */
	size_t nothers, others_cap;
};

/* Who took a lock last, by thread. */
struct hd_taker {
	uint32_t thread;
	uint64_t pc;
};

/* What findings mention, while the trace is read. */
struct hd_place {
	uint64_t addr;
	struct hd_origin origin;
	struct hd_event locals, shared; /* the last that were told of it */
	struct hd_event *told;		/* LOCALS about it, of each function one */
	size_t ntold, told_cap;
	bool settled, moved_on; /* a finding was about it; and LOCALS came after that */
	struct hd_taker *takers;
	size_t ntakers, takers_cap;
};

struct hd_run_module {
	uint64_t base, len;
	uint64_t path; /* string number */
};

struct hd_range {
	uint64_t addr, len;
};

/* A thread could have gone on, and time passed: see HD_OP_STALL. */
#define HD_RUN_STALLS 8

struct hd_stall {
	uint32_t thread;
	uint64_t ns, pc; /* where it stood */
};

struct hd_run {
	struct hd_trace *trace;	       /* borrowed */
	struct hd_symbols *symbols;    /* NULL: there was nothing to symbolise */
	struct hd_run_thread *threads; /* by id */
	size_t nthreads, threads_cap;
	struct hd_finding *findings;
	size_t nfindings, findings_cap;
	size_t candidates_kept[HD_RULES + 1], candidates_left_out;
	char process
		[64]; /* "2.1": of the first child of the program's second child; "": of the program */
	uint64_t children;	 /* processes besides that were followed */
	bool weak_orders;	 /* atomic operations with other orders than seq_cst */
	bool recorded;		 /* the trace has the run's events, not only its findings */
	bool openmp;		 /* there are constructs of OpenMP among these */
	struct hd_place *places; /* by address */
	size_t nplaces, places_cap;
	struct hd_run_module *modules;
	size_t nmodules, modules_cap;
	struct hd_unhooked
		unhooked; /* code that heddle does not see into, once somebody looked for it */
	bool unhooked_known;
	struct hd_range *named; /* data that is to be checked, by the program's own word */
	size_t nnamed, named_cap;
	uint64_t *outside; /* string numbers, each once */
	size_t noutside, outside_cap;
	uint64_t events, choices;
	bool goal;			       /* of the plan that was followed: reached */
	struct hd_stall stalls[HD_RUN_STALLS]; /* the longest first */
	size_t nstalls;
	const char *
		stopped; /* a limit at which the runtime ended it (hd_stopped_words()); NULL: none */
	bool assumed; /* a thread has stopped at an assumption that does not hold: the first of them */
	uint64_t assumed_pc;
	int exited; /* as in struct hd_trace_end */
	int code;
	uint64_t start_time;
	char damage[512]; /* what stopped the reading before the end, or "" */
};

/*
 * Read @trace to its end. Damage in it is not an error: see @damage. @watch (may be
 * NULL) is shown all events as they go by, @first is the number of the first.
 */
typedef enum hd_err hd_watch_fn(void *arg, const struct hd_event *events, size_t n, uint64_t first);
enum hd_err hd_run_read(struct hd_run *run, struct hd_trace *trace, hd_watch_fn *watch, void *arg,
			struct hd_errbuf *eb);
/* Then, when all findings are there: fill in what they need. */
enum hd_err hd_run_complete(struct hd_run *run, struct hd_errbuf *eb);
/* Both. */
enum hd_err hd_run_gather(struct hd_run *run, struct hd_trace *trace, struct hd_errbuf *eb);
void hd_run_free(struct hd_run *run);

/* Is @status in @list, "1,3", as --expect-exit has it? */
bool hd_status_is_listed(const char *list, unsigned long status);
/* Drop the finding that tells how the program ended: somebody else ended it, or knows. */
void hd_run_forget_exit(struct hd_run *run);

/*
 * Visit every event once more, from the start; where the trace is damaged, it ends. So it does when
 * the command's budget is used up, the time for reports included.
 */
enum hd_err hd_run_each(struct hd_run *run, hd_watch_fn *take, void *arg, struct hd_errbuf *eb);

/* A new finding, for those who add some; NULL: no memory. It may move the others. */
struct hd_finding *hd_run_new_finding(struct hd_run *run);
/* A finding of @kind (trace/kinds.def): what it is told as, how sure it is, by which criterion. */
/* Is one more candidate of @rule one too many? Else it is counted as kept. */
bool hd_run_too_many(struct hd_run *run, enum hd_rule rule);
void hd_finding_set_kind(struct hd_finding *f, unsigned kind);
void hd_finding_clear(struct hd_finding *f);
struct hd_access *hd_finding_add_access(struct hd_finding *f);
struct hd_finding_thread *hd_finding_add_thread(struct hd_finding *f, uint32_t thread,
						unsigned state);
bool hd_access_add_held(struct hd_run *run, struct hd_access *a, struct hd_holding h);
/* Remember to find out where @addr comes from; false: no memory. */
bool hd_run_know_place(struct hd_run *run, uint64_t addr);
/* The same for many, which get sorted. */
bool hd_run_know_places(struct hd_run *run, uint64_t *addrs, size_t n);

const struct hd_run_thread *hd_run_thread(const struct hd_run *run, uint32_t id);
/* The index of the first place at @addr or above. */
size_t hd_run_first_place(const struct hd_run *run, uint64_t addr);
const struct hd_place *hd_run_place(const struct hd_run *run, uint64_t addr);
/* Look for code without hooks in the program and its libraries: run->unhooked. */
void hd_run_find_unhooked(struct hd_run *run);
/* ": twice (plain.c), libz.so.1 and 3 more" for the end of a sentence. */
void hd_put_unhooked(FILE *out, const struct hd_unhooked *u);

const struct hd_run_module *hd_run_module_at(const struct hd_run *run, uint64_t addr);
const struct hd_finding_thread *hd_finding_thread(const struct hd_finding *f, uint32_t thread);
struct hd_finding_thread *hd_finding_find_thread(const struct hd_finding *f, uint32_t thread);

/* The run that @f, which @run lists, tells of: its threads, names and addresses. */
const struct hd_run *hd_finding_run(const struct hd_run *run, const struct hd_finding *f);
/* @run lists @f too, and @f tells of @home, which must live as long; false: no memory. */
bool hd_run_adopt(struct hd_run *run, const struct hd_run *home, struct hd_finding *f);

/* Is it about accesses or locks taken, rather than about threads in some state? */
bool hd_finding_has_accesses(const struct hd_finding *f);
/* Does it tell of the run, rather than of a replay that left its schedule? */
bool hd_finding_is_fault(const struct hd_finding *f);
/* Findings that set the exit status: no candidates, not suppressed, known or tolerated. */
size_t hd_run_faults(const struct hd_run *run);
/* Does it end the run? Others are noticed, and the program goes on. */
bool hd_finding_ends_run(const struct hd_finding *f);
/* The first divergence of a replay, or NULL. */
const struct hd_finding *hd_run_divergence(const struct hd_run *run);

/*
 * The innermost frame at @pc that a person should look at, false if nothing is
 * known of it.
 */
bool hd_run_frame(const struct hd_run *run, uint64_t pc, struct hd_frame *frame);

/* The same of an event; where that is in a library's header, the line of the program that came there. */
bool hd_run_came_from(const struct hd_run *run, const struct hd_event *ev, struct hd_frame *frame);

/* The same instruction, or the same line of the program, which may be in code twice. */
bool hd_run_same_line(const struct hd_run *run, uint64_t a, uint64_t b);

/* The stack of an event at @pc in calling context @ctx; the caller frees it. */
enum hd_err hd_run_stack(const struct hd_run *run, uint64_t pc, uint32_t ctx, struct hd_stack *out);
void hd_stack_free(struct hd_stack *stack);

/* The frame of a stack that is the program's own: not libc's or a system header's, with a source line. */
const struct hd_frame *hd_stack_top(const struct hd_stack *stack);

/* The build id of the program itself, or NULL. */
const char *hd_run_build_id(const struct hd_run *run);

#endif
