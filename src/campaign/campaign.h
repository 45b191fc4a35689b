/*
 * A campaign: many runs of one program, what is normal for it, how a run fails, the smallest
 * schedule that still fails, and the report. `heddle check` and `heddle explore` choose the runs.
 *
 *   pool.c, trial.c    runs, several at a time
 *   behaviour.c        what is normal, and how a run departs from that
 *   failures.c         whether a run fails, and how
 *   kept_runs.c        runs that were learnt from, and those that show something
 *   minimise.c         a failing run with few preemptions, and its file
 *   blame.c            whether the order of some accesses is the reason
 *   conclusions.c      everything as findings of one run
 *   consequences.c     what races do, in both orders of their accesses
 *   campaign_report.c  the report
 */
#ifndef HD_CAMPAIGN_CAMPAIGN_H
#define HD_CAMPAIGN_CAMPAIGN_H

#include "common/err.h"
#include "findings/analyses.h"
#include "findings/candidates.h"
#include "findings/predictor.h"
#include "findings/units.h"
#include "predict/goal_text.h"
#include "heddle/engine/campaign_config.h"
#include "kept_trials.h"
#include "trial.h"
#include "ranks/crew.h"
#include "findings/outputs.h"

/* A run that was learnt from. */
struct hd_observation {
	struct hd_trial *trial;
	struct hd_candidates candidates;
	struct hd_lost_wakeup lost; /* a wake-up that may be; its wait has op 0: none */
	struct hd_predictor predictor;
	char *words; /* "seed 2": how to come by it */
};

/* How a run fails. */
struct hd_failure {
	enum {
		HD_FAIL_NONE,
		HD_FAIL_FINDING,
		HD_FAIL_EXIT,
		HD_FAIL_OUTPUT,
		HD_FAIL_ODD, /* output that no orderly run has, but some with preemptions do */
		HD_FAIL_ORACLE
	} what;
	unsigned kind; /* HD_FAIL_FINDING: of the finding */
	char id[17];
	char place[17]; /* what tells it from others of its kind: where it is, not how it is told;
			   of a race hd_fault_key() */
	int code;	/* HD_FAIL_EXIT: how it ended */
	char words[400];
};

/* A run that shows something, and its file. */
struct hd_witness {
	struct hd_trial *trial;
	struct hd_failure failure;
	uint64_t preemptions;
	bool steady; /* it failed in the same way again and again */
	/* One that fails so, by its waits, and does not show what this one is of; NULL: none is known. */
	struct hd_trial *without;
	char *file, *replay;
	struct hd_remedy remedy; /* of its finding, where one is known already */
};

/* A set of identities. */
struct hd_ids {
	char (*list)[17];
	size_t n, room;
};

bool hd_ids_have(const struct hd_ids *ids, const char *id);
/* Add it, if it is new; false: no memory. */
bool hd_ids_add(struct hd_ids *ids, const char *id);

/* A candidate and what became of it. */
struct hd_attempt {
	struct hd_observation *from;
	const struct hd_candidate *candidate;
	struct hd_prediction prediction;
	bool predicted;
	uint64_t asked; /* the crew's number of the job; 0: nobody was asked */
	bool hard;	/* a short time was not enough to predict it */
	struct hd_plan plan;
	bool planned;
	unsigned tried;	      /* ways to go on after the goal that were made ready */
	unsigned taken;	      /* of these, runs that were judged */
	uint64_t failing_try; /* which of all tries failed */
	bool reached, diverged, decided;
	bool covered;	/* a run that tried another candidate came to its goal, and did not fail */
	bool partly;	/* it has a verdict, but not all ways to go on were tried */
	unsigned round; /* in which it was decided */
	bool by_output; /* it failed only by what it wrote, as an operation was torn apart */
	bool odd;	/* so it did, but that may be what it is to write */
	bool survived;	/* it came to the goal in another run, and that did not fail */
	enum hd_verdict verdict;
	char why[600];
	struct hd_trial *failing;   /* the first run that failed; NULL: none */
	struct hd_trial *realising; /* the first that came there, if that alone is a finding */
	struct hd_failure failure;
	struct hd_witness witness; /* CONFIRMED, or REALISED if that is a finding */
	struct hd_finding *shown;  /* in the witness's run; NULL: it is told of as observed */
};

#define HD_CAMPAIGN_NOTES 32

struct hd_campaign {
	struct hd_ranks ranks;	      /* size 0: there are no others */
	struct hd_crew *crew;	      /* of these; NULL: the same */
	bool told_runs;		      /* they know the observations */
	struct hd_kept_trials *kept;  /* what is done, in a file; NULL: nowhere */
	const char *command;	      /* that the report is of */
	uint64_t states, transitions; /* gone through, where somebody counts them */
	bool incomplete;	      /* not everything was looked for */
	const struct hd_campaign_config *config;
	struct hd_user_goals goals; /* in place of candidates; none: those that analyses find */
	struct hd_units *units;	    /* the only candidates; NULL: those that analyses find */
	struct hd_run_config base;  /* what all runs here are told */
	struct hd_program program;
	struct hd_pool pool;
	struct hd_outputs outputs;
	struct hd_observation *observations;
	size_t nobservations;
	struct hd_normal normal;
	bool begins_orderly;	  /* the first observation is of an orderly run */
	struct hd_ids known;	  /* failures of orderly runs, by kind and place: none of others */
	struct hd_ids told;	  /* faults of runs that the report tells of */
	struct hd_witness *extra; /* runs besides the first that show something by themselves */
	size_t nextra, extra_room;
	struct hd_witness *harm; /* runs that fail by a race */
	size_t nharm, harm_room;
	size_t weighed; /* findings of the report whose consequences are known, if they are races */
	struct hd_attempt *attempts;
	size_t nattempts, attempts_room;
	struct hd_candidates *reasons; /* found in runs that failed before anything was tried */
	size_t nreasons, reasons_room;
	size_t decided;	     /* attempts that are, and need no more runs */
	size_t partly;	     /* that came about in some run, and could be run in more ways */
	uint64_t tries;	     /* runs that followed plans */
	uint64_t first_try;  /* the one that showed the first confirmed candidate; 0: none is */
	uint64_t executions; /* of the program, that something was learnt from */
	double began, swept; /* when everything did, and when candidates were first tried */
	char *notes[HD_CAMPAIGN_NOTES + 1];
	size_t nnotes;
	bool out_of_time, interrupted, out_of_memory, analysed;
	bool first_unfinished; /* the run that was observed did not come to its end */
	uint64_t stalls;       /* longest that a thread may be held up in a failure that counts */
	size_t stalled;	       /* failures that do not count for that */
	char stall_words[300]; /* of the first of them */
	size_t unfinished;     /* runs that were ended for taking too long */
	unsigned
		odd_in_vain; /* times that only the output was unusual, and nothing prevents that */
	size_t odd_runs;     /* that wrote what no ordinary run does, and did nothing else wrong */
	size_t assumed;	     /* runs in which something that the program assumes did not hold */
	const struct hd_report_exploration *exploration; /* as in struct hd_report_info */
	const struct hd_report_outcome *outcomes;	 /* the same */
	size_t noutcomes;
	const char *stopped; /* as in struct hd_report_info, if somebody knows already */
	struct hd_report_part
		part;	       /* what --part asks for, once it is known; number 0: nobody asks */
	enum hd_status status; /* of the report */
	char *saved;	       /* the first file that was written; NULL: none */
	struct hd_errbuf
		unwritten; /* why the first that could not be was not; code HD_OK: all were */
};

/*
 * Make it ready. It is zeroed but for the config and the program, and is to be torn down whatever this
 * says. After HD_OK the outputs are open.
 */
enum hd_err hd_campaign_set_up(struct hd_campaign *c);
void hd_campaign_tear_down(struct hd_campaign *c);

/* Once it knows the program's input: the file in which what is done is kept, if there is to be one. */
enum hd_err hd_campaign_open_state(struct hd_campaign *c);

/* The program, its arguments and its input: equal only if these are. */
uint64_t hd_campaign_program(const struct hd_campaign *c);

/* A sentence for the report; more than there is room for are dropped. */
void hd_campaign_note(struct hd_campaign *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A run of the program that something is learnt from, by how it ended. */
void hd_campaign_count(struct hd_campaign *c, const struct hd_trial *t);
/* Seconds until the time for everything is over; 0: there is no such limit. */
double hd_campaign_time_left(const struct hd_campaign *c);
/* A run ended early for one of these reasons: remember it. True: it did. */
bool hd_campaign_ended_early(struct hd_campaign *c, enum hd_pool_why why);

/* No run came to anything before the budget ended: there is nothing to make a report of. */
enum hd_err hd_campaign_has_nothing(const struct hd_campaign *c);

/* Something was left out; if the budget is over, that is why. */
void hd_campaign_look_at_budget(struct hd_campaign *c);

/* A trial with everything that runs of this campaign have in common. */
struct hd_trial hd_campaign_trial(const struct hd_campaign *c);
/* The same where decisions are made before every access, as plans and minimal schedules do. */
struct hd_trial hd_campaign_fine_trial(const struct hd_campaign *c);
/* Does it fail only because a thread is held up for too long? If so, that is counted. */
bool hd_campaign_stalled(struct hd_campaign *c, const struct hd_trial *t);
/* The same without counting. */
bool hd_campaign_is_stalled(const struct hd_campaign *c, const struct hd_trial *t);
/* A failure of the run, as opposed to a race, which is one of the program. */
bool hd_finding_is_failure(const struct hd_finding *f);
/* Kind and place of a failure, of which all wordings are one. */
void hd_failure_place(const struct hd_finding *f, char out[17]);
/*
 * What tells a fault from those of other runs: its fingerprint, and the line where that is one
 * thread's doing, or the functions of a race. The lines of a race or a deadlock change with the
 * schedule.
 */
void hd_fault_key(const struct hd_finding *f, char out[17]);
/* Does the run fail, in a way that ordinary runs do not, and worse than orderly ones? */
struct hd_failure hd_campaign_failure(const struct hd_campaign *c, const struct hd_trial *t);
/* The same, and else whether it writes what orderly runs never do: nothing to go by alone. */
struct hd_failure hd_campaign_oddness(const struct hd_campaign *c, const struct hd_trial *t);
/* The first failure that the run shows itself, whether or not others do; @exits: or a bad status. */
struct hd_failure hd_trial_failure(const struct hd_trial *t, bool exits);
/* @t is an orderly run: what fails in it is no failure of others; false: no memory. */
bool hd_campaign_know(struct hd_campaign *c, const struct hd_trial *t);
/* What it is, in a word: the kind of a finding, "output" or "oracle". */
const char *hd_failure_word(const struct hd_failure *f);
/* A deadlock or livelock: its own finding says why, by what the threads wait for. */
bool hd_failure_is_wait(const struct hd_failure *f);
/* Does the run fail as @was says? */
bool hd_campaign_fails_alike(const struct hd_campaign *c, const struct hd_failure *was,
			     const struct hd_trial *t);
bool hd_same_failure(const struct hd_failure *a, const struct hd_failure *b);
/* Keep @t, which is then empty, as a run that was learnt from; false: no memory. */
bool hd_campaign_keep_observation(struct hd_campaign *c, struct hd_trial *t);
/* Keep @t, which is then empty, if it shows something that no run so far has; false: no memory. */
bool hd_campaign_keep_extra(struct hd_campaign *c, struct hd_trial *t);

/*
 * From a run that fails as @w says (in w->trial) to one with few preemptions. @wanted: what it must
 * show as well; NULL: nothing.
 */
enum hd_err hd_campaign_minimise(struct hd_campaign *c, struct hd_witness *w,
				 const struct hd_found *wanted);
/* Only replay it: is it steady? */
enum hd_err hd_campaign_repeat(struct hd_campaign *c, struct hd_witness *w);
/* The folder for schedules, which is made if need be; NULL: it cannot be (hd_last_error). */
char *hd_campaign_folder(const struct hd_campaign *c);
/* The last error is one of writing a file: the report comes first, and then it is told. */
void hd_campaign_not_written(struct hd_campaign *c);
/*
 * Write it to a file named after @kind and @name, and say how to replay it. Where that fails, there is no
 * file, and the replay command does without.
 */
enum hd_err hd_campaign_save(struct hd_campaign *c, struct hd_witness *w, const char *kind,
			     const char *name);
void hd_witness_free(struct hd_witness *w);

/* All that was found becomes findings of the first observation's run, with files that replay them. */
enum hd_err hd_campaign_conclude(struct hd_campaign *c);
/* The accesses of @wanted as they come in the run of @t, as a finding of it; NULL: they do not. */
enum hd_err hd_campaign_find(const struct hd_found *wanted, struct hd_trial *t,
			     struct hd_finding **out, struct hd_errbuf *eb);
/* @f is what the run shows of @wanted: it may have ended before the thread that was torn apart came to its last access. */
void hd_campaign_note_missing(struct hd_finding *f, const struct hd_found *wanted);
/* What its run shows by itself into the report, with a file that replays it, unless it is there. */
enum hd_err hd_campaign_adopt_run(struct hd_campaign *c, struct hd_witness *w);
/* Save the witness under @word and @name (NULL: the fingerprint of @f), with the marks of @f. */
enum hd_err hd_campaign_save_finding(struct hd_campaign *c, struct hd_witness *w, const char *word,
				     const struct hd_finding *f, const char *name,
				     const struct hd_run *run);
/* Then: try both orders of every race's accesses, and tell what comes of that. Again, for new ones. */
enum hd_err hd_campaign_weigh_races(struct hd_campaign *c);
/* Then: make the report of it. */
enum hd_err hd_campaign_report(struct hd_campaign *c);

#endif
