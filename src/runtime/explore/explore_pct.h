/*
 * Probabilistic concurrency testing for the explorer (Burckhardt and others, 2010): of those who
 * can run the one with the highest random priority runs; at depth - 1 random decisions the one
 * that would have run gets a priority below all others.
 *
 * Only decisions count as steps: where just one thread can go on, no priority matters, and whom
 * it is too early to lower there can be lowered at the next decision. So a bug of depth d is found
 * with a probability of at least 1 / (n k^(d-1)), for n threads and k decisions.
 */
#ifndef HD_RUNTIME_EXPLORE_PCT_H
#define HD_RUNTIME_EXPLORE_PCT_H

#include "runtime/rt.h"

/* An execution begins; random numbers come from hd_rt_rng. */
void hd_rt_explore_pct_begin(uint32_t depth, uint64_t length);
/* One of the @n threads, by number. */
uint32_t hd_rt_explore_pct_choose(const uint32_t *enabled, uint32_t n);
/* @f makes way, or seems to wait in a loop. */
void hd_rt_explore_pct_yielded(struct fiber *f);

#endif
