/*
 * The search for three-access patterns from within.
 *
 *   patterns.c       events: what they do to memory, blocks and locks
 *   pattern_pairs.c  an access to a variable: the pairs that it makes with earlier ones
 *   pattern_words.c  variables: words of memory and groups of them, which come and go
 *   pattern_store.c  what is remembered of accesses and pairs, and the patterns they make
 *   pattern_walk.c   where a thread can be interrupted between two accesses
 */
#ifndef HD_ANALYSIS_PATTERN_IMPL_H
#define HD_ANALYSIS_PATTERN_IMPL_H

#include "analysis/sharing.h"
#include "analysis/slab.h"
#include "call_sites.h"
#include "pattern_walk.h"
#include "patterns.h"

#define HD_PATTERN_WORD_SHIFT                                                                      \
	3 /* variables are words of 8 bytes; smaller accesses keep their own bytes */
#define HD_PATTERN_CACHE 256 /* owners by variable, for each thread */

struct hd_pattern_walker {
	struct hd_walk walk;
	uint64_t depth, block; /* of declared blocks; block 0: none */
	struct {
		uint32_t var, owner;
	} cache[HD_PATTERN_CACHE];
};

struct hd_pattern_member {
	uint64_t addr, len;
	uint32_t var;
	uint32_t next; /* of the same word; 0: none */
};

struct hd_patterns {
	struct hd_patterns_options options;
	hd_found_fn *fn;
	void *arg;
	struct hd_lock_state locks;
	struct hd_pattern_store store;
	struct hd_pattern_walker **walkers; /* by the number of the thread */
	size_t nwalkers, walkers_room;
	struct hd_map var_of, group_var; /* word, group -> variable */
	struct hd_variable *vars;	 /* [0] is unused */
	size_t nvars, vars_room;
	struct hd_map member_of;	   /* word -> membership */
	struct hd_pattern_member *members; /* [0] is unused */
	size_t nmembers, members_room;
	struct hd_slab owners, recents, firsts; /* see pattern_pairs.c */
	struct hd_sharing *learning;		/* NULL: it is not, or not any more */
	struct hd_map shared;			/* learnt: words that matter */
	bool learnt, failed;
	uint64_t nblocks;
	unsigned nunsited;
	struct hd_call_sites sites;
};

/* Memory that an event is about. */
struct hd_pattern_touch {
	uint64_t addr, len;
	bool write;
};

/* One access on its way into the tables. */
struct hd_pattern_visit {
	struct hd_pattern_walker *w;
	uint32_t var;
	struct hd_mark mark;
	uint64_t addr, len; /* within the variable */
	uint32_t begins;
};

static inline bool hd_pattern_overlap(uint64_t a, uint64_t alen, uint64_t b, uint64_t blen)
{
	return a < b ? b - a < alen : a - b < blen;
}

/* ---- patterns.c ---- */

/* What @ev does to memory; false: nothing that counts. */
bool hd_pattern_touches(const struct hd_patterns *p, const struct hd_event *ev,
			struct hd_pattern_touch *t);

/* ---- pattern_words.c ---- */

/* The variable of @key, a word or the number of a @group; 0: out of memory. */
uint32_t hd_pattern_variable(struct hd_patterns *p, struct hd_map *map, uint64_t key,
			     int32_t group);
/* Is the word shared and written? Yes, if nobody has looked. */
bool hd_patterns_use_learnt(struct hd_patterns *p);
bool hd_pattern_matters(const struct hd_patterns *p, uint64_t word);
/* Memory that is given away or handed out: what comes there next is another variable. */
void hd_pattern_retire_range(struct hd_patterns *p, uint64_t addr, uint64_t len);

/* ---- pattern_pairs.c ---- */

bool hd_pattern_pairs_init(struct hd_patterns *p);
void hd_pattern_pairs_free(struct hd_patterns *p);
/* Pair @v with the thread's accesses before, and remember it. */
void hd_pattern_visit_variable(struct hd_patterns *p, const struct hd_pattern_visit *v);
/* No more accesses to @var come: put its patterns together, and forget the rest. */
void hd_pattern_retire(struct hd_patterns *p, uint32_t var);

#endif
