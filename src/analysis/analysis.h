/*
 * The one shape of an analysis: events of a run in, findings and notes out.
 *
 * An analysis is a line in analyses.def and a struct of operations. The driver (driver.h) calls
 * them; an analysis knows nothing of traces, options and reports.
 */
#ifndef HD_ANALYSIS_ANALYSIS_H
#define HD_ANALYSIS_ANALYSIS_H

#include "analysis/blocks/blocks.h"
#include "analysis/locks/lost_wakeup.h"
#include "analysis/tasks/task_check.h"
#include "common/err.h"
#include "trace/found.h"

enum hd_analysis {
#define HD_ANALYSIS(NAME, name, what) HD_DO_##NAME,
#include "analyses.def"
#undef HD_ANALYSIS
	HD_DO_COUNT
};

/* What all analyses are set up with. The driver's own, and valid as long as they are. */
struct hd_analysis_setup {
	hd_found_fn *found; /* is told what they find, some of it before the end */
	void *found_arg;
	struct hd_blocks_options blocks; /* functions that are to be atomic */
	struct hd_task_options tasks;
	bool several; /* tell of several candidates for the same places: each will be tried */
	bool groups;  /* of locations are going to be added */
	bool wanted[HD_DO_COUNT];
	/* Learnt by the driver, before `begin`. */
	bool has_tasks; /* it is a program of tasks */
};

/* What a report should say besides findings. */
struct hd_analysis_note {
	const char *text;	    /* a sentence, static; or NULL, and ... */
	struct hd_lost_wakeup lost; /* ... this may be */
};

typedef void hd_analysis_note_fn(void *arg, const struct hd_analysis_note *note);

struct hd_analyses_stats {
	uint64_t events;
	double seconds[HD_DO_COUNT];
	bool has_tasks; /* then what is below is known */
	struct hd_task_stats tasks;
};

/* Optional ones may be NULL. HD_ERR_NOMEM and the like end the analysis of the run. */
struct hd_analysis_ops {
	/* NULL: no memory. */
	void *(*new)(const struct hd_analysis_setup *setup);
	void (*free)(void *self);
	/* Optional first pass over all events. */
	enum hd_err (*learn)(void *self, const struct hd_event *events, size_t n);
	/* Optional, between the passes. HD_ERR_UNSUPPORTED: the run is none for this analysis. */
	enum hd_err (*begin)(void *self);
	/* The next events; @first is the number of the first of them in the trace. */
	enum hd_err (*feed)(void *self, const struct hd_event *events, size_t n, uint64_t first);
	/* Optional: @len bytes at @addr belong to a group of locations from now on. */
	enum hd_err (*add_group)(void *self, uint64_t addr, uint64_t len, uint32_t group);
	/* Optional: no more events come. Tell what was not told yet. */
	enum hd_err (*finish)(void *self);
	/* Optional, after finish. */
	void (*notes)(void *self, hd_analysis_note_fn *note, void *arg);
	void (*stats)(void *self, struct hd_analyses_stats *stats);
};

#define HD_ANALYSIS(NAME, name, what) extern const struct hd_analysis_ops hd_##name##_ops;
#include "analyses.def"
#undef HD_ANALYSIS

#endif
