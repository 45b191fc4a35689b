/*
 * Blocks that were found torn, each pair of sites in a block with a site between them once.
 */
#ifndef HD_ANALYSIS_TORN_BLOCKS_H
#define HD_ANALYSIS_TORN_BLOCKS_H

#include "block_path.h"
#include "trace/found.h"

/* Do both access common bytes, and one of them writes? */
bool hd_accesses_conflict(const struct hd_event *a, const struct hd_event *b);
/* How many bytes an access accesses. */
uint64_t hd_access_bytes(const struct hd_event *ev);
/* R or W; 0: no access. */
char hd_access_letter(const struct hd_event *ev);

struct hd_torn;

struct hd_torn *hd_torn_new(const struct hd_paths *paths);
void hd_torn_free(struct hd_torn *t);

/*
 * @last, of a block, comes after @other (op 0: none is known, as for a thread's end), of another
 * thread, to which @path leads from an event of the same block. @within: an access of that
 * block to the same place before @other, to be told instead of the path (else NULL).
 *
 * @said belongs to the block, zero at its begin: a block that takes a lock twice, with an update
 * that was torn in between, is told by the accesses to memory, not by the lock as well.
 *
 * False: out of memory.
 */
struct hd_torn_said {
	uint32_t without_pattern[4]; /* numbers of findings, from 1; further ones are told */
};

bool hd_torn_add(struct hd_torn *t, struct hd_torn_said *said, uint32_t path,
		 const struct hd_seen *within, const struct hd_seen *other,
		 const struct hd_seen *last);

/* Deliver them, in the order in which they were found; with HD_NO_INDEX if not @numbered. */
void hd_torn_each(const struct hd_torn *t, bool numbered, hd_found_fn *found, void *arg);

#endif
