/*
 * Who is asleep: what it would do next was tried elsewhere, as long as nobody does what depends on that.
 */
#include "policy_explore.h"

#include "explore.h"
#include "explore_memory.h"
#include "runtime/thread/thread.h"

#define sh hd_rt_xsh

static bool asleep[HD_X_ASLEEP];	  /* as in sh->sleepers */
static uint32_t awake_since[HD_X_ASLEEP]; /* the same: their since */
static uint32_t nasleep;		  /* of these were set */

void hd_rt_sleep_wake(const struct hd_xop *op)
{
	if (sh->nnodes < sh->nprefix)
		return;
	for (uint32_t i = 0; i < sh->nsleepers; i++) {
		const struct hd_xsleeper *s = &sh->sleepers[i];
		enum hd_xwake wake;

		if (s->thread == op->thread) {
			awake_since[i] = 0; /* it was its next operation that this is about */
			continue;
		}
		if (!asleep[i] && !awake_since[i])
			continue;
		wake = hd_xop_wake(op, sh->sleep_ops + s->first_op, s->nops);
		if (wake == HD_X_WAKES)
			awake_since[i] = 0;
		else if (wake == HD_X_WAKES_PARTLY && asleep[i])
			awake_since[i] = (uint32_t)(op - sh->ops) + 1;
		asleep[i] &= wake == HD_X_SLEEPS_ON;
	}
}

bool hd_rt_sleep_has(uint32_t thread)
{
	for (uint32_t i = 0; i < sh->nsleepers; i++) {
		if (asleep[i] && sh->sleepers[i].thread == thread)
			return true;
	}
	return false;
}

uint32_t hd_rt_explore_since(void)
{
	for (uint32_t i = 0; sh->nnodes >= sh->nprefix && i < sh->nsleepers; i++) {
		if (awake_since[i] && sh->sleepers[i].thread == hd_rt.cur->id)
			return awake_since[i];
	}
	return 0;
}

void hd_rt_sleep_begin(void)
{
	for (uint32_t i = 0; i < sh->nsleepers; i++) {
		asleep[i] = !sh->sleepers[i].since;
		awake_since[i] = sh->sleepers[i].since;
	}
	nasleep = sh->nsleepers;
}

void hd_rt_sleep_forget(void)
{
	for (uint32_t i = 0; i < nasleep; i++) {
		asleep[i] = false;
		awake_since[i] = 0;
	}
	nasleep = 0;
}

void hd_rt_sleep_again(uint32_t thread)
{
	for (uint32_t i = 0; i < sh->nsleepers; i++) {
		if (awake_since[i] && sh->sleepers[i].thread == thread) {
			asleep[i] = true;
			awake_since[i] = 0;
		}
	}
}
