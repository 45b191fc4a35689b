/*
 * What an analysis found: the vocabulary between analyses and reports.
 *
 * Everything is in terms of events; names, source lines and wording are the
 * report's. A struct hd_found is valid during the call that delivers it.
 */
#ifndef HD_TRACE_FOUND_H
#define HD_TRACE_FOUND_H

#include <stdbool.h>
#include <stddef.h>

#include "event.h"

#define HD_NO_INDEX UINT64_MAX

/* A lock held at an access, and where it was taken. */
struct hd_found_lock {
	uint64_t addr;
	uint64_t pc;
	uint32_t ctx;
	uint16_t mode; /* enum hd_lock_mode */
};

/* The construct that an access happened in: see CONSTRUCT in events.def. */
struct hd_within {
	uint64_t place, region;
	uint64_t number;
	uint64_t kind; /* enum hd_construct; HD_IN_NONE: not known */
};

#define HD_NO_PART UINT64_MAX

struct hd_found_access {
	bool tears;	  /* it tears a block, though the block's own thread may have run it */
	const char *role; /* "e1", "f", "e2", "first", "second", "holds", "wants", ...: static */
	uint64_t index;	  /* of the event in the trace, from 0; HD_NO_INDEX: online */
	struct hd_event event;
	const struct hd_found_lock *locks; /* held by event.thread at the event */
	size_t nlocks;
	struct hd_within within;
};

struct hd_found {
	enum hd_kind kind;
	const char *pattern; /* "RWR" ...; NULL: none */
	uint64_t addr;	     /* the location (or the lock) that it is about */
	uint32_t size;
	int group;	 /* number of the group of locations, -1: a single location */
	uint64_t merged; /* how many more of the same sites this one stands for */
	/*
	 * What a task read under a lock may be why no schedule has it: only a run in such an order decides.
	 */
	bool doubtful;
	/*
	 * On two variables that the run uses together, and of how many percent of their uses that is so: that
	 * they are meant as one is a guess. 0: it is on one variable, or on a group.
	 */
	unsigned together;
	const char *goal;     /* HD_KIND_GOAL: as the user has written it */
	const char *why;      /* one sentence of detail, or NULL */
	const char *parallel; /* why two tasks can run at the same time, a sentence; or NULL */
	bool units; /* parallel as parts of work that one thread did here, and others could have done */
	const struct hd_found_access *accesses; /* in the order in which they break the program */
	size_t naccesses;
};

/* Three accesses and more that must not come in this order, at least not everywhere. */
static inline bool hd_found_is_pattern(const struct hd_found *f)
{
	return f->kind == HD_KIND_PATTERN || f->kind == HD_KIND_TASK_ATOMICITY;
}

typedef void hd_found_fn(void *arg, const struct hd_found *found);

#endif
