/*
 * What the tasks of a run did to each location: sets of steps, two of which stand for all.
 *
 * A location is a stretch of bytes within eight that no access tears apart: where accesses overlap
 * in part it is split, and both parts inherit what was known. For each there are sets of steps by what
 * they did and under which locks (a word of lock_word.h):
 *
 *   READ, WRITE              they did that, once or more (ATOMIC_: by atomic operations)
 *   PAIR                     they did two accesses with such a gap in between
 *   STALE                    the same, of which the first reads and the second writes
 *   WRITES                   they did two writes with such a gap in between
 *   PAIR_DECLARED, ...       the same within one declared block
 *
 * A set keeps two steps a, b. The invariant: for every step t to come, some step ever put into the
 * set is parallel to t iff a or b is. That holds for the tree. Where other order is about
 * (task_steps.h) up to HD_SET_MAX steps are kept, none of which must come before another.
 */
#ifndef HD_ANALYSIS_TASK_CELLS_H
#define HD_ANALYSIS_TASK_CELLS_H

#include "analysis/locks/lock_word.h"
#include "analysis/slab.h"
#include "task_steps.h"

enum hd_did {
	HD_DID_READ,
	HD_DID_WRITE,
	HD_DID_ATOMIC_READ,
	HD_DID_ATOMIC_WRITE,
	HD_DID_PAIR,
	HD_DID_STALE,
	HD_DID_PAIR_DECLARED,
	HD_DID_WRITES,
	HD_DID_WRITES_DECLARED,
	HD_DID_COUNT
};

#define HD_DID(kind) (1u << (kind))
#define HD_DID_PAIRS (HD_DID(HD_DID_PAIR) | HD_DID(HD_DID_STALE) | HD_DID(HD_DID_PAIR_DECLARED))
#define HD_DID_WW    (HD_DID(HD_DID_WRITES) | HD_DID(HD_DID_WRITES_DECLARED))

/* An access, as much as reports need: a site (interned by the owner) and an event number. */
struct hd_did_at {
	uint32_t site;
	uint32_t index;	 /* + 1; 0: unknown */
	uint32_t moment; /* of its task: task_values.h */
};

#define HD_DID_ANYWHERE 8

/* The same before it is interned. */
struct hd_did_site {
	uint64_t pc;
	uint32_t ctx, size;
	uint32_t held;	/* hd_lock_log_note() */
	int16_t offset; /* of the access from the eight bytes; or HD_DID_ANYWHERE in them */
	uint8_t op;
	uint8_t padding; /* 0: compared as bytes */
};

struct hd_did_raw {
	struct hd_did_site site;
	uint32_t index, moment;
};

struct hd_did_step {
	hd_dpst_id step;		/* 0: none */
	struct hd_did_at first, second; /* second is 0 for single accesses */
};

struct hd_did_set {
	uint32_t next;
	hd_word word;
	uint32_t kind;
	struct hd_did_step steps[2];
};

#define HD_SET_MAX   16
#define HD_CELL_PAGE 9 /* log of the granules of a page of 4 KiB */

/* What a step that still runs did to a location so far. */
struct hd_doing {
	uint32_t next;
	hd_dpst_id step;
	uint32_t task;
	uint32_t free;	 /* enum hd_did as bits: told of, with no locks: nothing more to tell ... */
	uint32_t moment; /* ... at this moment */
	bool accessed, wrote, last_writes;
	uint32_t block, write_block; /* the declared block of the last access, of the last write */
	uint64_t at, write_at;	     /* lock positions of these */
	uint64_t told_at[2];	     /* positions + 1 at which a read, a write was told of */
	uint64_t paired_at;	     /* position + 1 at which these kinds of pairs were told of */
	uint32_t paired;
	struct hd_did_raw last, last_write;
};

struct hd_task_cell {
	uint32_t next; /* in the same eight bytes */
	uint32_t sets, doing;
	uint8_t mask;
};

struct hd_task_cells {
	struct hd_addr_map granules; /* address / 8 + 1 -> number of the first cell */
	struct hd_addr_map pages; /* granule >> HD_CELL_PAGE, + 1: there are some; for forgetting */
	struct hd_slab cells, sets, doing;
	struct hd_steps *steps;
	uint64_t ncells, peak_bytes;
	uint64_t crowded; /* steps that a full set had no room for */
	bool keep_all;	  /* there is order beside the tree */
	bool failed;
};

bool hd_task_cells_init(struct hd_task_cells *c, struct hd_steps *steps);
void hd_task_cells_free(struct hd_task_cells *c);

/*
 * Call @fn for each location in @mask of the eight bytes @granule (an address / 8), made where they
 * are new.
 */
typedef void hd_task_cell_fn(void *arg, uint64_t granule, struct hd_task_cell *cell);
void hd_task_cells_each(struct hd_task_cells *c, uint64_t granule, uint8_t mask,
			hd_task_cell_fn *fn, void *arg);

/* The memory was given out or back. */
void hd_task_cells_forget(struct hd_task_cells *c, uint64_t addr, uint64_t len);

/* What @task in @step did at @cell so far. */
struct hd_doing *hd_task_doing(struct hd_task_cells *c, struct hd_task_cell *cell,
			       const struct hd_task *task);

/* Put @who into the set of @kind under @word. */
void hd_task_cells_add(struct hd_task_cells *c, struct hd_task_cell *cell, enum hd_did kind,
		       hd_word word, const struct hd_did_step *who);

/* That set, made where it is new; NULL: out of memory. */
struct hd_did_set *hd_task_cells_set(struct hd_task_cells *c, struct hd_task_cell *cell,
				     enum hd_did kind, hd_word word);

uint64_t hd_task_cells_bytes(const struct hd_task_cells *c);

#endif
