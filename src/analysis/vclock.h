/*
 * Vector clocks: for each thread number the latest of its times that is known.
 *
 * Arrays indexed by thread; what is beyond the length is 0. Thread numbers are those of events, so
 * entry 0 is unused. The first entries are dense, since they are asked for all the time. With thousands of
 * threads that would be memory and copying by the square of their number, so the others lie in pieces
 * that clocks share: of thousands of entries, two clocks mostly differ in a few.
 */
#ifndef HD_ANALYSIS_VCLOCK_H
#define HD_ANALYSIS_VCLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define HD_VC_DENSE 512u
#define HD_VC_PIECE 64u

struct hd_vc_piece;

struct hd_vclock {
	uint32_t *at;
	uint32_t len, cap;	     /* at most HD_VC_DENSE */
	uint32_t npieces;	     /* from entry HD_VC_DENSE on */
	struct hd_vc_piece **pieces; /* NULL in it: all zero */
};

uint32_t hd_vc_far(const struct hd_vclock *v, uint32_t thread);

static inline uint32_t hd_vc_get(const struct hd_vclock *v, uint32_t thread)
{
	return thread < v->len ? v->at[thread] : v->npieces ? hd_vc_far(v, thread) : 0;
}

static inline bool hd_vc_is_zero(const struct hd_vclock *v)
{
	return !v->len && !v->npieces;
}

/* These abort the analysis by returning false when memory runs out. */
bool hd_vc_set(struct hd_vclock *v, uint32_t thread, uint32_t time);
bool hd_vc_join(struct hd_vclock *into, const struct hd_vclock *from); /* pointwise maximum */
bool hd_vc_copy(struct hd_vclock *into, const struct hd_vclock *from);
/* Is @a pointwise at most @b? */
bool hd_vc_leq(const struct hd_vclock *a, const struct hd_vclock *b);
void hd_vc_clear(struct hd_vclock *v); /* to all zero, memory kept */
void hd_vc_free(struct hd_vclock *v);

#endif
