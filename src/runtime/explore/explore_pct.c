#include "explore_pct.h"

#include "runtime/memory/arena.h"
#include "runtime/sched/policy.h"

/*
 * Priorities, highest first: those of the beginning, those after a change (in random order, as
 * the places of the changes are), and those of threads that have waited in a loop for long.
 */
#define FIRST	(UINT64_C(1) << 33)
#define CHANGED (UINT64_C(1) << 32)
#define PATIENT 64 /* turns of waiting loops that do not yet cost the priority */

static uint64_t *change_at; /* numbers of decisions */
static uint32_t nchanges, yields;
static uint64_t decisions, lowest = CHANGED;

void hd_rt_explore_pct_begin(uint32_t depth, uint64_t length)
{
	nchanges = depth > 1 ? depth - 1 : 0;
	change_at = hd_rt_alloc(sizeof(*change_at) * (nchanges + 1));
	for (uint32_t i = 0; i < nchanges; i++)
		change_at[i] = 1 + hd_rng_below(&hd_rt_rng, length ? length : 1);
}

static bool is_among(const uint32_t *enabled, uint32_t n, uint32_t id)
{
	for (uint32_t i = 0; i < n; i++) {
		if (enabled[i] == id)
			return true;
	}
	return false;
}

static struct fiber *highest(const uint32_t *enabled, uint32_t n)
{
	struct fiber *best = NULL;

	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->state == HD_F_DONE || !is_among(enabled, n, f->id))
			continue;
		if (!f->policy.priority)
			f->policy.priority = FIRST + (hd_rng_next(&hd_rt_rng) >> 8);
		if (!best || f->policy.priority > best->policy.priority)
			best = f;
	}
	return best;
}

uint32_t hd_rt_explore_pct_choose(const uint32_t *enabled, uint32_t n)
{
	struct fiber *best = highest(enabled, n);

	decisions++;
	for (uint32_t i = 0; i < nchanges && best; i++) {
		if (change_at[i] != decisions)
			continue;
		best->policy.priority = CHANGED + i;
		best = highest(enabled, n);
	}
	return best ? best->id : enabled[0];
}

void hd_rt_explore_pct_yielded(struct fiber *f)
{
	if (++yields % PATIENT == 0)
		f->policy.priority = --lowest;
}
