/*
 * What the search for three-access patterns remembers: accesses and pairs of accesses, each
 * once per kind, and the patterns that they make.
 *
 * Of equal ones (same variable, thread, sites, locks, history, moment) only the first and the
 * last are kept, and how many there were: whatever is possible with one is with the others.
 */
#ifndef HD_ANALYSIS_PATTERN_STORE_H
#define HD_ANALYSIS_PATTERN_STORE_H

#include "analysis/intern.h"
#include "analysis/locks/lock_state.h"
#include "common/err.h"

/* One access as it happened. */
struct hd_spot {
	uint64_t index;
	struct hd_event event;
	uint32_t locks; /* held: in hd_pattern_store.held; 0: none */
};

/* Keys are compared as bytes: they have no padding. */
struct hd_access_key {
	uint64_t site;
	uint64_t addr, len; /* within the variable */
	uint32_t var, thread;
	hd_acq acq;
	hd_moment moment;
	uint32_t write;
	uint32_t begins; /* the access begins in this variable, not in one before it */
};

struct hd_pair_key {
	uint64_t site1, site2;
	uint64_t addr1, len1, addr2, len2;
	uint32_t var, thread;
	uint32_t gap; /* where the thread can be interrupted: in hd_pattern_store.gaps */
	uint8_t write1, write2, begins, declared;
};

/* A point at which a thread may stand between two accesses, or a stretch of such points. */
struct hd_gap_point {
	hd_acq acq;
	hd_moment first, last;
};

struct hd_link {
	uint32_t hash;
	uint32_t next_in_bucket, next_in_var; /* 0: none */
};

struct hd_access_entry {
	struct hd_link link;
	struct hd_access_key key;
	struct hd_spot first, last;
	uint64_t count;
};

struct hd_pair_entry {
	struct hd_link link;
	struct hd_pair_key key;
	struct hd_spot first[2], last[2];
	uint64_t count;
};

/* A hash table of entries that begin with struct hd_link. */
struct hd_link_table {
	char *entries; /* [0] is unused */
	size_t entry_size, key_offset, key_size;
	uint32_t count, room, free;
	uint32_t *buckets;
	uint32_t nbuckets;
};

/* A memory word of 8 bytes, or a group of locations. */
struct hd_variable {
	uint64_t key;			  /* address / 8, or the number of the group */
	int32_t group;			  /* -1: a word */
	uint32_t owners, accesses, pairs; /* heads of lists; 0: empty */
};

struct hd_pattern_key {
	uint64_t site1, site2, sitef;
	int32_t group;
	uint32_t kind;
};

/* An instance of a pattern: the nearest together of its kind. */
struct hd_pattern_way {
	struct hd_spot e1, f, e2;
	uint64_t distance;
	bool known;
};

/* Where f came in the observed run: before e1, between the two, after e2. */
#define HD_PATTERN_WAYS 3

struct hd_pattern {
	struct hd_link link;
	struct hd_pattern_key key;
	struct hd_pattern_way ways[HD_PATTERN_WAYS];
	uint64_t count;
	bool declared;
};

struct hd_pattern_store {
	struct hd_link_table accesses, pairs, patterns;
	struct hd_intern held; /* arrays of struct hd_found_lock */
	struct hd_intern gaps; /* arrays of struct hd_gap_point */
	bool failed;
};

void hd_pattern_store_init(struct hd_pattern_store *s);
void hd_pattern_store_free(struct hd_pattern_store *s);

/* The number of the entry with that key, made where it is new; 0: out of memory. */
uint32_t hd_store_access(struct hd_pattern_store *s, struct hd_variable *v,
			 const struct hd_access_key *key, const struct hd_spot *spot);
uint32_t hd_store_pair(struct hd_pattern_store *s, struct hd_variable *v,
		       const struct hd_pair_key *key, const struct hd_spot *e1,
		       const struct hd_spot *e2);
/* One more of an entry that is known by number. */
void hd_store_access_again(struct hd_pattern_store *s, uint32_t entry, const struct hd_spot *spot);
void hd_store_pair_again(struct hd_pattern_store *s, uint32_t entry, const struct hd_spot *e1,
			 const struct hd_spot *e2);

/* Put @v's accesses and pairs together to patterns, then forget them. */
void hd_store_retire(struct hd_pattern_store *s, struct hd_lock_state *ls, struct hd_variable *v);

/* Tell of the patterns, in the order of their first events; @several: of all ways of each. */
enum hd_err hd_store_tell(struct hd_pattern_store *s, bool only_declared, bool several,
			  hd_found_fn *fn, void *arg);

#endif
