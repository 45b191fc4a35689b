/*
 * The findings of a run, for a person and for a machine.
 */
#ifndef HD_REPORT_H
#define HD_REPORT_H

#include <stdio.h>

#include "judge.h"
#include "run_model.h"

/* A candidate that prediction has decided, as `patterns` of the JSON lists them. */
struct hd_report_pattern {
	uint64_t e1, f, e2;  /* numbers of events */
	const char *kind;    /* "RWW" */
	const char *verdict; /* "feasible", "infeasible", "unknown" */
	uint64_t us;	     /* microseconds that it took */
	/* Of kinds "race", "deadlock" and "goal", which are listed as `goals`, instead of e1, f, e2. */
	bool other;
	const uint64_t *order, *next;
	size_t norder, nnext;
	const char *text;  /* of a goal */
	bool run, reached; /* the program was run by its schedule, and came there */
	/* What is known beyond the verdict; `heddle predict` tells it. */
	bool detailed, relaxed;
	uint64_t window_first, window_end; /* events; equal: there is none */
	const char *proof;		   /* "run", "window" or NULL */
	const char *why, *plan;
};

/* A variable that was asked for, at the end of an execution. */
struct hd_report_value {
	const char *name;
	char *text;
	bool number; /* in JSON, too */
};

/* What an exploration did, by kind. */
/* What came of --suggest-orders. */
enum hd_orders_what {
	HD_ORDERS_UNASKED,
	HD_ORDERS_UNKNOWN,  /* explorations did not come to their end */
	HD_ORDERS_NO_HELP,  /* it fails whatever they are */
	HD_ORDERS_STRONGER, /* with these it does not */
	HD_ORDERS_WEAKER,   /* with these it comes to the same ends */
};

/* A memory order that is to be another, or a fence that is to be there. */
struct hd_report_order {
	const char *what;		      /* "load", "store", ... */
	const char *object, *file, *function; /* NULL: unknown */
	uint32_t line;
	bool fence;	       /* before it */
	const char *was, *now; /* "relaxed", ...; of a fence only now */
};

struct hd_report_orders {
	enum hd_orders_what what;
	bool smallest;
	const struct hd_report_order *list;
	size_t n;
	uint64_t explorations, executions;
};

struct hd_report_exploration {
	const char *strategy;
	unsigned rounds;
	uint64_t search, conflicts, bounded, pct, simpler; /* executions of each */
	uint64_t redundant, matched, cut;		   /* of `search` */
	uint64_t depth;
	int preemptions; /* all with at most so many were tried; -1: unknown */
	uint64_t estimate,
		before; /* executions of the whole search, now and when half were made; 0: unknown */
	const struct hd_report_found *found;
	size_t nfound;
	struct hd_report_orders orders;
};

/* Which way to choose schedules has found a fault, and in which execution. */
struct hd_report_found {
	const char *kind;
	char by[80];
	uint64_t execution;
};

/* What was tried of all that could be. */
struct hd_report_tries {
	uint64_t candidates, tried, partly; /* partly: of those tried, not in every way */
	uint64_t runs;			    /* that followed plans */
	uint64_t first; /* the number of the run that showed the first confirmed one; 0: none did */
};

/* A part of what was asked for: others do the rest, and `heddle report merge` puts it together. */
struct hd_report_part {
	unsigned number, of;
	bool complete;		   /* the part is */
	bool whole;		   /* it was not split: this is all of it */
	uint64_t split;		   /* how it was dealt out; alike in all parts but whole ones */
	uint64_t program, options; /* hashes of what it is a part of */
};

/* One of the ends that executions came to. */
struct hd_report_outcome {
	const char *end;     /* "exit", "signal", or the kind of the finding that ended it */
	int code;	     /* the status, the signal, or 0 */
	const char *text[2]; /* standard output and standard error */
	size_t len[2];
	struct hd_report_value *values;
	size_t nvalues;
	uint64_t executions;
	const char *schedule, *replay; /* as in struct hd_report_info */
};

/* What the trace itself does not know about the run. */
struct hd_report_info {
	const char *command;  /* "run", "replay", ... */
	const char *schedule; /* file that replays the run, or NULL */
	const char *replay;   /* command that replays the run, or NULL */
	const char *origin;   /* "seed 7", "replayed from bank.htr" */
	bool recorded;	      /* decisions were recorded, so their number is known */
	bool color;
	bool quiet; /* say nothing if there is nothing to say */
	double seconds;
	const char *const *notes; /* sentences, NULL at the end; may be NULL */
	struct hd_judgement judged;
	const char *checked_only; /* a sentence: of data, only some was checked; NULL: all of it */
	const struct hd_suppressions *suppressions; /* to tell of unused ones; may be NULL */
	bool all;				    /* candidates in full, too */
	bool gen_suppressions;			    /* lines that would suppress what is told */
	bool analysis;	     /* a trace was analysed: how long it is says how much that was */
	bool baseline;	     /* there was one: what is not known is new */
	bool predicted;	     /* candidates were decided: who asks lists them himself */
	bool checked;	     /* candidates were tried: they are counted by what became of them */
	bool by_plan;	     /* the run followed a plan: its goal was reached or not */
	uint64_t executions; /* of the program; 0: one */
	uint64_t assumed; /* of these, in which something that the program assumes did not hold */
	uint64_t states, transitions;	     /* that were gone through; 0: nobody counted */
	const struct hd_report_tries *tries; /* NULL: there were no candidates to try */
	bool cut_short;			     /* something was left untried */
	/*
	 * Why not everything was done that was asked for; NULL: it was. One of the words that
	 * hd_stopped_words() knows.
	 */
	const char *stopped;
	bool tell_stopped; /* no note says so */
	const struct hd_report_pattern *patterns;
	size_t npatterns;
	const struct hd_report_exploration *exploration; /* NULL: it was none */
	const struct hd_report_outcome *outcomes;	 /* NULL: nobody asked */
	const struct hd_report_part *part;		 /* NULL: it is all */
	size_t noutcomes;
	const char *root; /* folder that SARIF's paths are relative to; NULL: none */
};

/* What the reports list: all faults and, with info->all, the candidates. */
bool hd_is_listed(const struct hd_report_info *info, const struct hd_finding *f);

/* A clause for people about a reason to stop: "--time ran out". */
const char *hd_stopped_words(const char *stopped);
/* Were faults met that no run could show? Then nobody says "no findings", though none are listed. */
bool hd_stopped_unshown(const char *stopped);

/* "heddle: the replay left its schedule: ..." is the first line if it did. */
enum hd_err hd_report_text(FILE *out, const struct hd_run *run, const struct hd_report_info *info);

/* One finding's part of it, without colour. */
enum hd_err hd_report_finding(FILE *out, const struct hd_run *run,
			      const struct hd_report_info *info, const struct hd_finding *f);

/* One document as docs/reference/findings.schema.json describes it. */
enum hd_err hd_report_json(FILE *out, const struct hd_run *run, const struct hd_report_info *info);

#endif
