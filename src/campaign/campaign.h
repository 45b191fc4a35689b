/*
 * heddle check, in parts: observe, predict, run, minimise, report. What they share.
 *
 *   check_observe.c  runs to learn from: observations, and what is normal
 *   check_sweep.c    candidates, their predictions, the runs that try them, verdicts
 *   check_causes.c   which of the confirmed candidates break the program
 *   check_witness.c  a failing run with few preemptions, and its file
 *   check_report.c   everything as findings of one report
 *
 * `heddle explore` finds its runs in another way and shares the rest.
 */
#ifndef HD_CAMPAIGN_CAMPAIGN_H
#define HD_CAMPAIGN_CAMPAIGN_H

#include "common/err.h"
#include "findings/analyses.h"
#include "findings/candidates.h"
#include "findings/predictor.h"
#include "heddle/engine/campaign_config.h"
#include "trial.h"
#include "findings/outputs.h"

/* A run that was learnt from. */
struct hd_observation {
	struct hd_trial *trial;
	struct hd_candidates candidates;
	struct hd_lost_wakeup lost;  /* a wake-up that may be; its wait has op 0: none */
	struct hd_predictor predictor;
	char *words;                 /* "seed 2": how to come by it */
};

/* How a run fails. */
struct hd_failure {
	enum { HD_FAIL_NONE, HD_FAIL_FINDING, HD_FAIL_EXIT, HD_FAIL_OUTPUT, HD_FAIL_ORACLE } what;
	unsigned kind; /* HD_FAIL_FINDING: of the finding */
	char id[17];
	char place[17]; /* what tells it from others of its kind: where it is, not how it is told */
	int code;      /* HD_FAIL_EXIT: how it ended */
	char words[400];
};

/* A run that shows something, and its file. */
struct hd_witness {
	struct hd_trial *trial;
	struct hd_failure failure;
	uint64_t preemptions;
	bool steady; /* it failed in the same way again and again */
	char *file, *replay;
};

/* A candidate and what became of it. */
struct hd_attempt {
	struct hd_observation *from;
	const struct hd_candidate *candidate;
	struct hd_prediction prediction;
	bool predicted;
	bool hard; /* a short time was not enough to predict it */
	struct hd_plan plan;
	bool planned;
	unsigned tried;  /* ways to go on after the goal that were made ready */
	bool reached, diverged, decided;
	bool survived; /* it came to the goal in another run, and that did not fail */
	enum hd_verdict verdict;
	char why[600];
	struct hd_trial *failing; /* the first run that failed; NULL: none */
	struct hd_trial *realising; /* the first that came there, if that alone is a finding */
	struct hd_failure failure;
	struct hd_witness witness; /* CONFIRMED, or REALISED if that is a finding */
	struct hd_finding *shown;  /* in the witness's run; NULL: it is told of as observed */
};

#define HD_CHECK_NOTES 32

struct hd_check {
	const char *command;        /* NULL: check */
	uint64_t states, transitions; /* gone through, where somebody counts them */
	bool incomplete;            /* it was explored, and not to the end */
	const struct hd_campaign_config *config;
	struct hd_run_config base; /* what all runs here are told */
	struct hd_program program;
	struct hd_pool pool;
	struct hd_outputs outputs;
	struct hd_observation *observations;
	size_t nobservations;
	struct hd_normal normal;
	char (*known)[17]; /* failures of orderly runs, by kind and place: none of others */
	size_t nknown, known_room;
	char (*told)[17];  /* faults of runs that the report tells of */
	size_t ntold, told_room;
	struct hd_witness *extra; /* runs besides the first that show something by themselves */
	size_t nextra, extra_room;
	struct hd_attempt *attempts;
	size_t nattempts, attempts_room;
	size_t decided;      /* attempts that are */
	uint64_t executions; /* of the program, that something was learnt from */
	double began, swept; /* when everything did, and when candidates were first tried */
	char *notes[HD_CHECK_NOTES + 1];
	size_t nnotes;
	bool out_of_time, interrupted, out_of_memory, analysed;
	bool first_unfinished; /* the run that was observed did not come to its end */
	uint64_t stalls;     /* longest that a thread may be held up in a failure that counts */
	size_t stalled;      /* failures that do not count for that */
	char stall_words[300]; /* of the first of them */
	size_t unfinished;   /* runs that were ended for taking too long */
	const char *stopped; /* as in struct hd_report_info, if somebody knows already */
	enum hd_status status; /* of the report */
	char *saved; /* the first file that was written; NULL: none */
};

/*
 * Make it ready. It is zeroed but for the config and the program, and is to be torn down whatever this
 * says. After HD_OK the outputs are open.
 */
enum hd_err hd_check_set_up(struct hd_check *c);
void hd_check_tear_down(struct hd_check *c);

/* A sentence for the report; more than there is room for are dropped. */
void hd_check_note(struct hd_check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A note of what was not looked for and may be there, with the command that looks for it. */
void hd_check_hint(struct hd_check *c);
/* Seconds until the time for everything is over; 0: there is no such limit. */
double hd_check_time_left(const struct hd_check *c);
/* A run ended early for one of these reasons: remember it. True: it did. */
bool hd_check_ended_early(struct hd_check *c, enum hd_pool_why why);

/* Something was left out; if the budget is over, that is why. */
void hd_check_look_at_budget(struct hd_check *c);

/* A trial of @o's, with everything that runs of this check have in common. */
struct hd_trial hd_check_trial(const struct hd_check *c);
/* The same where decisions are made before every access, as plans and minimal schedules do. */
struct hd_trial hd_check_fine_trial(const struct hd_check *c);
/* Keep @t, which is then empty; NULL: no memory. */
struct hd_trial *hd_trial_keep(struct hd_trial *t);

/* Was it ended before it had come to its end? It may only be slow. */
bool hd_check_was_ended(const struct hd_trial *t);
/* Does it fail only because a thread is held up for too long? If so, that is counted. */
bool hd_check_stalled(struct hd_check *c, const struct hd_trial *t);
/* The same without counting. */
bool hd_check_is_stalled(const struct hd_check *c, const struct hd_trial *t);
/* Kind and place of a failure, of which all wordings are one. */
void hd_failure_place(const struct hd_finding *f, char out[17]);
/* Does the run fail, in a way that ordinary runs do not, and worse than orderly ones? */
struct hd_failure hd_check_failure(const struct hd_check *c, const struct hd_trial *t);
bool hd_same_failure(const struct hd_failure *a, const struct hd_failure *b);
/* Keep @t, which is then empty, as a run that was learnt from; false: no memory. */
bool hd_check_keep_observation(struct hd_check *c, struct hd_trial *t);
/* Keep @t, which is then empty, if it shows something that no run so far has; false: no memory. */
bool hd_check_keep_extra(struct hd_check *c, struct hd_trial *t);

/* Is the first run that is observed an orderly one? Unless the user has said otherwise. */
bool hd_check_begins_orderly(const struct hd_check *c);
enum hd_err hd_check_observe(struct hd_check *c);
/* Start from the run in @path, whose schedule is @s, instead of observing one. */
enum hd_err hd_check_from_trace(struct hd_check *c, const struct hd_schedule *s, const char *path);
enum hd_err hd_check_normal(struct hd_check *c);
enum hd_err hd_check_candidates(struct hd_check *c);
enum hd_err hd_check_sweep(struct hd_check *c);
/*
 * The failing run of @a, a pattern: may its reason be another candidate, and is it one that was
 * confirmed and that the run shows as well?
 */
bool hd_check_may_be_companion(const struct hd_attempt *a);
bool hd_check_is_companion(const struct hd_check *c, const struct hd_attempt *a);

/*
 * From a run that fails as @w says (in w->trial) to one with few preemptions. @wanted: what it must
 * show as well; NULL: nothing.
 */
enum hd_err hd_check_minimise(struct hd_check *c, struct hd_witness *w, const struct hd_found *wanted);
/* The folder for schedules, which is made if need be; NULL: it cannot be (hd_last_error). */
char *hd_check_folder(const struct hd_check *c);
/* Write it to a file named after @kind and @id, and say how to replay it. */
enum hd_err hd_check_save(struct hd_check *c, struct hd_witness *w, const char *kind, const char *id);
void hd_witness_free(struct hd_witness *w);

enum hd_err hd_check_report(struct hd_check *c);

#endif
