/*
 * How one block came to be before something else: the accesses along the way.
 *
 * A path is a list of steps, last one first, shared and counted. Each step is a conflict:
 * an event of one thread (from) that comes before an event of another (to). Between a step
 * and the next lies the order within a thread or within a block. The first `from` is in
 * the block itself.
 */
#ifndef HD_ANALYSIS_BLOCK_PATH_H
#define HD_ANALYSIS_BLOCK_PATH_H

#include "analysis/slab.h"
#include "trace/event.h"

/* An event and its place in the run; op 0: none. */
struct hd_seen {
	struct hd_event event;
	uint64_t index;
};

struct hd_path_step {
	uint32_t refs;
	uint32_t before; /* the step before; HD_PATH_SELF at the start */
	uint16_t length;
	bool cut; /* steps before this one were left out: the path was too long */
	struct hd_seen from, to;
};

#define HD_PATH_SELF 1u	 /* of a block to itself: no steps */
#define HD_PATH_MAX  24u /* steps; a longer path keeps only its two ends */

struct hd_paths {
	struct hd_slab pool;
};

bool hd_paths_init(struct hd_paths *p);
void hd_paths_free(struct hd_paths *p);

static inline struct hd_path_step *hd_path_step(const struct hd_paths *p, uint32_t path)
{
	return hd_slab_at(&p->pool, path);
}

uint32_t hd_path_keep(struct hd_paths *p, uint32_t path);
void hd_path_drop(struct hd_paths *p, uint32_t path);

/* @path and one more step. The result is the caller's to drop; @path stays as it was. */
uint32_t hd_path_add(struct hd_paths *p, uint32_t path, const struct hd_seen *from,
		     const struct hd_seen *to);
/* @path and then the steps of @rest. The result is the caller's to drop. */
uint32_t hd_path_join(struct hd_paths *p, uint32_t path, uint32_t rest);
/* The first step; @path must have one. */
const struct hd_path_step *hd_path_first(const struct hd_paths *p, uint32_t path);

#endif
