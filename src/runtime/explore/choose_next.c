/*
 * Whom an execution lets run where nothing else was asked for: steps that were asked for next, then the default, without those
 * who are asleep.
 */
#include "policy_explore.h"

#include "await.h"
#include "explore.h"
#include "explore_memory.h"
#include "explore_pct.h"
#include "runtime/memory/arena.h"
#include "runtime/sched/policy.h"
#include "runtime/thread/thread.h"

#define sh hd_rt_xsh

static uint32_t nfollowed; /* steps of sh->wakeup that were made */

uint32_t hd_rt_follow(const uint32_t *threads, uint32_t n)
{
	if (sh->nnodes < sh->nprefix || nfollowed >= sh->nwakeup)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		if (threads[i] == sh->wakeup[nfollowed] && !hd_rt_sleep_has(threads[i]))
			return sh->wakeup[nfollowed++];
	}
	nfollowed = sh->nwakeup;
	return 0;
}

void hd_rt_follow_anew(void)
{
	nfollowed = 0;
}

/* Where all are tired, they take turns. */
static uint32_t default_choice(const uint32_t *awake, uint32_t n, uint32_t current)
{
	for (uint32_t i = 0; i < n && hd_rt.cur->id == current && hd_rt_is_tired(hd_rt.cur); i++) {
		if (awake[i] > current)
			return awake[i];
	}
	if (hd_rt.cur->id == current && hd_rt_is_tired(hd_rt.cur))
		return awake[0];
	return hd_x_default(awake, n, current);
}

/* By default time is up only where nothing else can happen, and then for the first deadline. */
static uint32_t prefer_in_time(uint32_t *awake, uint32_t n)
{
	uint32_t count = 0;
	uint64_t first = HD_NEVER;

	for (uint32_t i = 0; i < n; i++) {
		const struct fiber *f = hd_rt_fiber_by_id(awake[i]);
		uint64_t until = !hd_rt_is_late(f)  ? 0
				 : f->run_index < 0 ? f->wait.deadline
						    : f->explore.wants_until;

		if (i > 0 && until > first)
			continue;
		if (until < first)
			count = 0;
		first = until;
		awake[count++] = awake[i];
	}
	return count;
}

static bool is_awaited(uint32_t thread)
{
	uintptr_t addr = hd_rt_fiber_by_id(thread)->explore.writes;

	return addr && (sh->await_bits & hd_rt_await_bit(addr));
}

/*
 * Who changes a variable that loops wait for comes last, so that others stand before these loops then, and it is
 * known that they had to wait.
 */
static uint32_t put_off_awaited(uint32_t *awake, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += !is_awaited(awake[i]);
	if (count == 0 || count == n)
		return n;
	count = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!is_awaited(awake[i]))
			awake[count++] = awake[i];
	}
	return count;
}

static unsigned reads_next(uint32_t thread)
{
	const struct hd_fiber_explore *e = &hd_rt_fiber_by_id(thread)->explore;

	return !e->reads ? 0 : e->writes ? 1 : 2;
}

/* Who reads comes after who writes: then it may read everything, and need not be tried in other places. */
static uint32_t put_off_reads(uint32_t *awake, uint32_t n)
{
	unsigned least = 2;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		least = reads_next(awake[i]) < least ? reads_next(awake[i]) : least;
	for (uint32_t i = 0; i < n; i++) {
		if (reads_next(awake[i]) == least)
			awake[count++] = awake[i];
	}
	return count;
}

uint32_t hd_rt_choose_awake(const uint32_t *enabled, uint32_t n, uint32_t current)
{
	uint32_t *awake = hd_rt_alloc(n * sizeof(*awake)), nawake = 0, chosen = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!hd_rt_sleep_has(enabled[i]))
			awake[nawake++] = enabled[i];
	}
	if (!sh->random)
		nawake = prefer_in_time(awake, nawake);
	if (sh->await_bits && !sh->random)
		nawake = put_off_awaited(awake, nawake);
	if (sh->by_graph && !sh->random)
		nawake = put_off_reads(awake, nawake);
	if (nawake && sh->random && sh->pct_depth)
		chosen = hd_rt_explore_pct_choose(awake, nawake);
	else if (nawake)
		chosen = sh->random ? awake[hd_rng_below(&hd_rt_rng, nawake)]
				    : default_choice(awake, nawake, current);
	hd_rt_free(awake, n * sizeof(*awake));
	if (!chosen)
		hd_rt_explore_redundant();
	return chosen;
}
