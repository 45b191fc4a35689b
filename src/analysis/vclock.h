/*
 * Vector clocks: for each thread number the latest of its times that is known.
 *
 * Dense arrays indexed by thread; entries beyond the length are 0. Thread numbers are those of
 * events, so entry 0 is unused.
 */
#ifndef HD_ANALYSIS_VCLOCK_H
#define HD_ANALYSIS_VCLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct hd_vclock {
	uint32_t *at;
	uint32_t len, cap;
};

static inline uint32_t hd_vc_get(const struct hd_vclock *v, uint32_t thread)
{
	return thread < v->len ? v->at[thread] : 0;
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
