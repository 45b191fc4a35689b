/*
 * heddle explore, in parts: what they share.
 *
 *   exploration.c    the rounds of an exploration, and what is learnt from each
 *   explore_report.c runs that show what was found, and what is proved
 *   explore_sample.c programs that do not do the same again
 *   split_search.c   a search that other processes help with; split.c, ranks.c, launched_ranks.c
 *   search.c         a short exploration for heddle check
 *   explore_file.c   an exploration that is not over, in a file
 *   explore_regions.c, explore_advice.c  races and permission regions
 *   portfolio.c      what is tried besides
 *   outcomes.c       the different ends of its executions
 *   suggest_orders.c which memory orders the program needs; order_sites.c, hitting_set.c help
 *   explore_infer.c  permission regions that nobody has written down
 *   executors.c      programs that execute on request
 */
#ifndef HD_EXPLORE_EXPLORATION_H
#define HD_EXPLORE_EXPLORATION_H

#include "common/err.h"
#include "estimate.h"
#include "campaign/campaign.h"
#include "heddle/engine/explore_config.h"
#include "launch/executors.h"
#include "portfolio.h"
#include "position.h"
#include "ranks/ranks.h"
#include "split.h"
#include "refinement.h"
#include "seen_states.h"
#include "explore_infer.h"
#include "explore_regions.h"
#include "outcomes.h"

/* Seconds that a run may take, and if executions were cut off: then it has no end. */
#define HD_RUN_LIMIT 20.0
#define HD_CUT_LIMIT 0.5

/* Where threads could be preempted in an execution. */
struct hd_where {
	enum hd_switch_at switch_at;
	const char *sites, *regions; /* as the runtime is told them */
};

static inline void hd_where_put(struct hd_run_config *run, const struct hd_where *at)
{
	run->switch_at = at->switch_at;
	run->switch_sites = at->sites;
	run->region_sites = at->regions;
}

/* A fault, and decisions that lead to it. */
struct hd_fault {
	struct hd_xfault what; /* HD_KIND_EXIT has the status as its site */
	uint32_t *choices;
	size_t nchoices;
	struct hd_where at;
	uint32_t preemptions;
	struct hd_worker by; /* who found it, in which execution */
	uint64_t number;
	bool rerun, shown; /* not kept: a run for the report was made by them, and shows it */
};

/* Other memory orders than the program asks for, and what comes of them: --suggest-orders. */
struct hd_orders {
	enum hd_orders_what what;
	bool smallest; /* STRONGER: no smaller set helps */
	struct hd_report_order *list;
	size_t n, room;
	uint64_t explorations, executions; /* that it took */
	struct hd_exploration *by;	   /* the one that is being made */
};

/* A search of which others search the rest, unknown to us (--part). */
struct hd_portion {
	bool dealt;	/* not kept: this round was */
	uint64_t split; /* not kept: how */
	/*
	 * What makes another round needed was learnt here alone: others do not know of it, so from now on all is
	 * searched here.
	 */
	bool alone;
	uint64_t places; /* that all of us have learnt of, before it was dealt out */
};

/* What explore_file.c does not keep is said; all else is, so a new member goes there too. */
struct hd_exploration {
	const struct hd_explore_config *config; /* not kept */
	struct hd_campaign c; /* of this: executions, notes, when the program's time starts */
	struct hd_executors executors,
		others;		       /* not kept: of the search, and for what is tried besides */
	struct hd_executors *using;    /* one of them */
	struct hd_portfolio portfolio; /* not kept: it begins anew */
	uint64_t nseen;		       /* executions so far */
	uint64_t simpler;	       /* not kept: executions that made a fault simpler */
	struct hd_estimate estimate;   /* not kept: of this round */
	struct hd_report_exploration told; /* not kept: for the report */
	struct hd_xoptions how;		   /* not kept: follows from the options and the strategy */
	enum hd_strategy strategy;
	bool choosing;		       /* the first execution decides which */
	struct hd_xstats stats;	       /* of all rounds that are over */
	struct hd_xposition *position; /* of the round that is not; NULL: there is none */
	struct hd_xsplit *split;       /* the same, where others help */
	uint64_t *
		lessons; /* with a position that was kept: what executions had taught, until they are told */
	size_t nlessons;
	struct hd_portion portion;
	uint64_t earlier_in_round; /* not kept: executions before the slice that is made here */
	struct hd_refinement refine;
	struct hd_regions regions;    /* not kept: found in the runs for the report */
	struct hd_inferred inferred;  /* not kept: found again in the first execution */
	bool infer, inferring;	      /* regions are to be inferred; they have been */
	struct hd_where at, first_at; /* in this round, and in the first execution */
	char **texts;		      /* not kept: what strings here may point to */
	size_t ntexts, texts_room;
	unsigned rounds;
	uint64_t in_round; /* executions */
	unsigned uses;	   /* enum hd_xuse, of all executions */
	uint32_t *first;   /* decisions of the first execution */
	size_t nfirst;
	bool first_cut; /* it had no end */
	struct hd_fault *faults;
	size_t nfaults, faults_room;
	struct hd_fault *minimised; /* not kept: while one is */
	uint32_t depth;		    /* not kept: an option, and so are jobs and keep_going */
	unsigned jobs;
	bool keep_going, no_memory;
	double limit; /* not kept: seconds for one execution, which is usually over in a millisecond */
	bool searching; /* not kept: for another campaign (search.h), so no file is left and nothing told */
	bool any_fault; /* not kept: one is enough, whatever it is, and however it is reached */
	struct hd_orders orders;     /* not kept: that are suggested */
	struct hd_outcomes outcomes; /* not kept: then there is no file */
	struct hd_where *wheres;     /* the same: where threads could be preempted, by round */
	size_t wheres_room;
	struct hd_seen_states graphs; /* not kept: distinct executions by the memory model */
	uint64_t sampled; /* not kept: runs in any order, as it cannot be explored; 0: it can */
	bool again;	  /* another round is needed */
	bool probed;	  /* because this one was of the wrong strategy */
	/* Not kept: */
	bool over;	/* the command's budget ended it */
	size_t unshown; /* faults that no run for the report shows */
	char *file;	/* that this was left in; NULL: it was not */
	char *saved; /* where it stood a while ago: that is kept until there is a report; NULL: nowhere */
	double from;			   /* since when progress is measured */
	uint64_t from_executions, earlier; /* earlier: before it was resumed */
};

/* @text for as long as the exploration; NULL: no memory. Equal ones are one. */
const char *hd_exploration_text(struct hd_exploration *x, const char *text);

/* For hd_explore(): executions by x->using, and what is seen in them. */
hd_xrun_fn hd_exploration_execute;
hd_xseen_fn hd_exploration_see;
/* Start x->using for x->how. */
enum hd_err hd_exploration_start(struct hd_exploration *x);
/* Is there no need to go on with this round? */
bool hd_exploration_is_over(const struct hd_exploration *x);
/* The same, but for budgets. */
bool hd_exploration_has_enough(const struct hd_exploration *x);

/* Infer regions from the first execution: for rounds from now on, and for the report. */
enum hd_err hd_exploration_infer(struct hd_exploration *x);

/*
 * Write an exploration that is not over to its file in the folder for schedules; *@name is that.
 */
enum hd_err hd_exploration_save(struct hd_exploration *x, char **name);

/* Go on with the one in @file: options and program are set already and must be the same. */
enum hd_err hd_exploration_resume(struct hd_exploration *x, const char *file);

/* What such a file has in it; NULL: no memory. And back from it; @file is for messages. */
char *hd_exploration_write(const struct hd_exploration *x, size_t *len);
enum hd_err hd_exploration_read(struct hd_exploration *x, const char *text, size_t len,
				const char *file);

/*
 * The rest of a round with the help of other ranks (split_search.c). @s: of the round until then, and after it. And
 * what they do, until nobody asks them any more.
 */
uint64_t hd_exploration_alone(void); /* executions of a round before others help */
bool hd_exploration_can_split(const struct hd_exploration *x);
/* After a search by ranks or in parts: if it could not be split, a sentence says why. */
void hd_exploration_say_if_whole(const struct hd_exploration *x);
enum hd_err hd_exploration_split(struct hd_exploration *x, struct hd_xstats *s,
				 struct hd_errbuf *eb);
/* To rank 0: why there will be no more slices from here. False: it cannot be told. */
bool hd_ranks_say_error(struct hd_ranks *r, const struct hd_errbuf *eb);
void hd_exploration_work(const struct hd_explore_config *config, const struct hd_program *program,
			 struct hd_ranks *ranks);

/* What ranks tell each other: what a round is like, and what a slice has shown. NULL, false: no memory. */
char *hd_exploration_brief(const struct hd_exploration *x, size_t *len);
bool hd_exploration_take_brief(struct hd_exploration *x, const char *text, size_t len);
char *hd_exploration_say(const struct hd_exploration *x, size_t *len);
bool hd_exploration_hear(struct hd_exploration *x, const char *text, size_t len);

/* Can the state of the search be kept in a file? */
bool hd_exploration_can_save(const struct hd_exploration *x);

/* x->how as x->strategy has it. */
void hd_exploration_apply_strategy(struct hd_exploration *x);

/* It explores the program of @c, as runs there are told, but makes no report. */
void hd_exploration_borrow(struct hd_exploration *x, const struct hd_campaign *c);

/* Make what @x->config asks for ready, and explore, until it is over or a budget ends. */
void hd_exploration_choose(struct hd_exploration *x);
enum hd_err hd_exploration_explore(struct hd_exploration *x);

/* Why it is no proof, as in struct hd_report_info; NULL: everything was tried and followed to its end. */
const char *hd_exploration_why_stopped(const struct hd_exploration *x);

/* A note of @to on what such a result holds for, and what it rests on. */
void hd_exploration_tell_proof(const struct hd_exploration *x, struct hd_campaign *to);

/* What it has, but not it itself. */
void hd_exploration_free(struct hd_exploration *x);

/*
 * Run a program that cannot be explored in many orders, within what is left of the budgets, if the
 * strategy that was asked for allows that.
 */
bool hd_exploration_may_sample(const struct hd_exploration *x);
enum hd_err hd_exploration_sample(struct hd_exploration *x);

/* Explore @argv (NULL at the end), to the report; *@status says what came of it. */
enum hd_err hd_explore_program(const struct hd_explore_config *config, char **argv,
			       enum hd_status *status);

/* Everything is over: make the report. */
enum hd_err hd_exploration_report(struct hd_exploration *x);

#endif
