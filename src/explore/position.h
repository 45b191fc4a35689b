/*
 * Where an exploration stands: all that it needs to go on, in memory and in a file.
 */
#ifndef HD_EXPLORE_POSITION_H
#define HD_EXPLORE_POSITION_H

#include <stdio.h>

#include "common/err.h"
#include "explorer.h"
#include "seen_states.h"

struct hd_xposition {
	struct hd_xtree tree;
	struct hd_seen_states states;
	struct hd_xstats stats;
};

/* False: it could not be written; errno says why. */
bool hd_xposition_write(const struct hd_xposition *p, FILE *out);
/* HD_ERR_CORRUPT: what is there is no position; HD_ERR_NOMEM. */
enum hd_err hd_xposition_read(FILE *in, struct hd_xposition **out);
void hd_xposition_free(struct hd_xposition *p);

/* One node; reading adds it to @t. */
bool hd_xnode_write(const struct hd_xtreenode *n, FILE *out);
bool hd_xnode_read(FILE *in, struct hd_xtree *t);

/* As they are in memory, but for why it stopped. False: they make no sense. */
bool hd_xstats_read(FILE *in, struct hd_xstats *stats);

/* @n items of @size bytes, for which memory is taken as they come; NULL: there are fewer, or none. */
void *hd_xread_many(FILE *in, uint64_t n, size_t size);

#endif
