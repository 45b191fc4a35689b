/*
 * explore: the explorer's choices, then the default, with the threads left out that are asleep.
 */
#include "policy_explore.h"

#include <sys/mman.h>

#include "await.h"
#include "explore.h"
#include "explore_memory.h"
#include "explore_pct.h"
#include "one_step.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/record.h"
#include "runtime/sched/policy.h"
#include "runtime/sys.h"
#include "runtime/thread/thread.h"
#include "state.h"
#include "state_exact.h"

#define SHARED_AT 0x0b8000000000ul
#define KNOWN_AT  0x0b9000000000ul

struct hd_xshared *hd_rt_xsh;
#define sh hd_rt_xsh
static uint32_t step_thread; /* who was chosen to make this step; 0: nobody was */
static uint32_t
	step_node; /* so many decisions with the one that chose it; 0: nobody else could run */
static struct hd_xknown *known; /* NULL: none */
static uint32_t spent;		/* preemptions so far */

/* Memory of the explorer's, at a place of its own; the descriptor is closed. */
static void *map_shared(int fd, uintptr_t at, size_t size, int prot)
{
	long p = hd_sys(SYS_mmap, at, size, prot, MAP_SHARED, fd, 0);

	hd_sys(SYS_close, fd);
	if (p < 0 && p > -4096)
		hd_sys(SYS_exit_group, 125);
	return (void *)p;
}

static void init(void)
{
	sh = map_shared(hd_rt.opt.explore_fd, SHARED_AT, sizeof(*sh), PROT_READ | PROT_WRITE);
	hd_rt_claim(sh, sizeof(*sh));
	if (hd_rt.opt.known_fd > 0)
		known = map_shared(hd_rt.opt.known_fd, KNOWN_AT, sizeof(*known), PROT_READ);
	sh->nchoices = 0; /* constructors come to points, too: their replay does */
	hd_rt.exploring = true;
	hd_rt_pulse = &sh->pulse;
	hd_rt.opt.any_time = true;
	if (hd_rt.opt.states)
		hd_rt_state_start();
}

/* ---- decisions -------------------------------------------------------------- */

/* The state of this decision is known: what can come of it was tried. */
static void __attribute__((noreturn)) stop_at(struct hd_xnode *node, uint32_t any)
{
	node->chosen = any;
	sh->nthreads += node->nenabled;
	sh->nnodes++;
	hd_rt_explore_stop_untold(HD_X_END_MATCHED);
}

static void log_state(struct hd_xnode *node)
{
	node->state = hd_rt_state();
	if (!hd_rt_exact)
		return;
	node->first_exact = sh->nexact;
	node->nexact = (uint32_t)hd_rt_exact_write(sh->exact + sh->nexact, HD_X_EXACT - sh->nexact);
	if (!node->nexact)
		hd_rt_explore_stop(HD_X_END_LOST);
	sh->nexact += node->nexact;
}

static bool would_look_in_vain(uint32_t thread)
{
	const struct fiber *f = hd_rt_fiber_by_id(thread);

	return f && hd_rt_await_in_vain(f);
}

static bool is_known_late(uint32_t thread)
{
	const struct fiber *f = hd_rt_fiber_by_id(thread);

	return f && hd_rt_await_is_known_late(f);
}

/* Who was asked for can do nothing here that makes a difference; that was not known when it was asked for. */
static void __attribute__((noreturn)) stop_in_vain(struct hd_xnode *node)
{
	sh->nthreads += node->nenabled;
	sh->nnodes++;
	hd_rt_op_thread = 0;
	hd_rt_tell_await(hd_rt_fiber_by_id(node->chosen));
	hd_rt_explore_stop_untold(HD_X_END_REDUNDANT);
}

static void begin_anew(void)
{
	hd_rt_sleep_forget();
	hd_rt_follow_anew();
}

/* A decision among @n enabled threads, which are at the end of the log. */
static uint32_t decide(enum hd_pick why, uint32_t n, uint32_t current)
{
	const uint32_t *enabled = sh->threads + sh->nthreads;
	struct hd_xnode *node = &sh->nodes[sh->nnodes];
	bool possible = false;

	if (hd_rt_explore_stay())
		begin_anew(); /* those asleep were the other request's */
	if (sh->nnodes == HD_X_NODES || sh->nnodes == sh->max_nodes)
		hd_rt_explore_stop(HD_X_END_BOUND);
	*node = (struct hd_xnode){ .first_enabled = sh->nthreads,
				   .nenabled = n,
				   .first_op = sh->nops,
				   .first_choice = sh->nchoices,
				   .uses = sh->uses,
				   .why = why == HD_PICK_RUN ? HD_X_RUN : HD_X_PICK };
	if (hd_rt.opt.states && why == HD_PICK_RUN && sh->nnodes >= sh->nprefix)
		log_state(node);
	if (node->state && hd_rt_left_out) /* what can come of a state depends on it */
		node->state = (node->state ^ hd_rt_left_out) | 1;
	for (uint32_t i = 0; i < n; i++) {
		if (enabled[i] == current)
			node->current = current;
	}
	if (node->state && sh->match && known &&
	    hd_xknown_has(known, hd_x_state_key(node, sh->bounded), spent))
		stop_at(node, enabled[0]);
	if (sh->nnodes < sh->nprefix)
		node->chosen = sh->prefix[sh->nnodes];
	else if (why != HD_PICK_RUN && sh->random)
		node->chosen = enabled[hd_rng_below(&hd_rt_rng, n)];
	else if (why != HD_PICK_RUN)
		node->chosen = enabled[0];
	else if (!(node->chosen = hd_rt_follow(enabled, n)))
		node->chosen = hd_rt_choose_awake(enabled, n, current);
	for (uint32_t i = 0; i < n; i++)
		possible |= enabled[i] == node->chosen;
	if (!possible && !would_look_in_vain(node->chosen))
		hd_rt_explore_stop(HD_X_END_DIVERGED);
	if (sh->nnodes + 1 == sh->nprefix && (!possible || is_known_late(node->chosen)))
		stop_in_vain(node); /* elsewhere it was not known at the time */
	spent += hd_x_is_preemption(node);
	sh->nthreads += n;
	if (++sh->nnodes == sh->nprefix) {
		hd_rt_sleep_begin();
		spent = sh->preemptions;
	}
	return node->chosen;
}

static unsigned index_of(struct fiber *const *cand, unsigned n, uint32_t id)
{
	for (unsigned i = 0; i < n; i++) {
		if (cand[i]->id == id)
			return i;
	}
	return 0;
}

/*
 * With regions, a thread that stands at none, nor before anything else whose order matters, is on
 * its own: what it does up to its next such place concerns nobody, so it may as well be done at
 * once. 0: for all of them order matters.
 *
 * That this is sound, also with states that are matched: as long as no execution has a data race,
 * what threads do between these places commutes, and what they do there that is calm commutes and
 * is seen by nobody who does not wait for it (who does is counted among HD_X_USES_PEEKS, and not
 * explored like this). If some execution has a race, one of those with the fewest steps
 * before it has the two accesses in the stretches of two threads that follow each other, the
 * first of which has not synchronised with anybody since; so it is noticed in whichever way the
 * state before was come to.
 */
static uint32_t outside(struct fiber *const *cand, unsigned n, int cur)
{
	uint32_t lowest = 0;

	if (cur >= 0 && cand[cur]->explore.calm && !hd_rt_would_wait(cand[cur]))
		return cand[cur]->id;
	for (unsigned i = 0; i < n; i++) {
		if (cand[i]->explore.calm && !hd_rt_would_wait(cand[i]) &&
		    (!lowest || cand[i]->id < lowest))
			lowest = cand[i]->id;
	}
	return lowest;
}

/*
 * @member of a cycle finds out now, or later: what others do until the end that it makes is not known without
 * them. @n of these are at the end of the log.
 */
static uint32_t decide_end(uint32_t member, uint32_t n)
{
	uint32_t *out = sh->threads + sh->nthreads, k = n;

	if (n == 0)
		return member;
	for (uint32_t i = 0; i < n; i++) {
		if (out[i] == member)
			return decide(HD_PICK_RUN, n, member);
	}
	if (sh->nthreads + n + 1 > HD_X_THREADS)
		hd_rt_explore_stop(HD_X_END_FULL);
	for (; k > 0 && out[k - 1] > member; k--)
		out[k] = out[k - 1];
	out[k] = member;
	return decide(HD_PICK_RUN, n + 1, member);
}

/* Whoever comes first: who that is has been decided, and others that come are in an order with it. */
static unsigned pick_first(unsigned n)
{
	if (sh->nchoices < HD_X_THREADS)
		sh->choices[sh->nchoices++] = hd_rt.cur->id;
	return n - 1;
}

/* The current fiber makes another operation in the same step. */
static void go_on_together(struct fiber *me)
{
	if (sh->nchoices < HD_X_THREADS)
		sh->choices[sh->nchoices++] = me->id;
	me->explore.waited_in_loop |= hd_rt_op_thread == me->id && sh->ops[sh->nops - 1].resumed;
}

static unsigned pick(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur)
{
	uint32_t enabled, before, chosen, alone;
	unsigned at;

	if (hd_rt_explore_is_tried())
		hd_rt_suppose_end(); /* it did something else than to look */
	if (why == HD_PICK_RUN && cur >= 0 && cand[cur]->explore.look.stands &&
	    cand[cur]->explore.look.together) {
		go_on_together(cand[cur]);
		return (unsigned)cur;
	}
	hd_rt_together_watch();
	if (why == HD_PICK_GRANT)
		return pick_first(n);
	before = sh->nnodes;
	enabled = hd_rt_log_enabled(why, cand, n);
	if (why == HD_PICK_RUN && !enabled)
		enabled = hd_rt_enabled_after_rounds(cand, n);
	if (why == HD_PICK_RUN && step_thread && !hd_rt_op_thread)
		hd_rt_tell_op(step_thread, HD_X_STEP, 0, 0xff, false);
	if (why == HD_PICK_RUN && enabled < n && (alone = hd_rt_of_wait_cycle(cand, n))) {
		chosen = decide_end(alone, enabled);
		enabled = 0;
	} else if (enabled == 0) { /* a deadlock: let them find out */
		chosen = cand[hd_rt_pick_default(why, cand, n, cur)]->id;
	} else if (why == HD_PICK_RUN && hd_rt.opt.regions && (alone = outside(cand, n, cur))) {
		chosen = alone;
	} else if (enabled + hd_rt_in_vain >
		   1) { /* who is known to look in vain counts as before */
		chosen = decide(why, enabled, cur >= 0 ? cand[cur]->id : 0);
	} else {
		chosen = sh->threads[sh->nthreads];
	}
	if (sh->nnodes == before && why == HD_PICK_RUN) {
		if (enabled == 1 && hd_rt_sleep_has(chosen))
			hd_rt_explore_redundant();
		if (enabled <= 1)
			hd_rt_follow(&chosen, 1);
	}
	if (sh->nchoices < HD_X_THREADS)
		sh->choices[sh->nchoices++] = chosen;
	at = index_of(cand, n, chosen);
	if (why == HD_PICK_RUN) {
		step_thread = chosen;
		step_node = sh->nnodes == before ? 0 : sh->nnodes;
		hd_rt_op_thread = 0;
	}
	/* And somebody has made a difference since. */
	cand[at]->explore.waited_in_loop |= cand[at]->spin.cycle;
	hd_rt_await_goes_on(cand[at]);
	return at;
}

/* The decision for the current step is unmade: its thread is asleep, as it can do nothing that was not tried. */
static void unmake_step(void)
{
	const struct hd_xnode *node = &sh->nodes[sh->nnodes - 1];

	hd_rt_sleep_again(hd_rt.cur->id);
	spent -= hd_x_is_preemption(node);
	sh->nops = node->first_op;
	sh->nthreads = node->first_enabled;
	sh->nchoices = node->first_choice;
	sh->nnodes--;
	hd_rt_tell_forget();
	step_thread = step_node = 0;
}

void hd_rt_explore_put_off(uintptr_t addr, unsigned size, bool writes)
{
	/* Who was asked for, or has nobody beside it, is done. */
	if (sh->nnodes != step_node || step_node <= sh->nprefix)
		hd_rt_explore_redundant();
	unmake_step();
	hd_rt_explore_point_at(addr, size, true, writes);
}

static uint64_t
	tried; /* possibilities of the next choice that are tried elsewhere: a bit for each */

void hd_rt_explore_tried(uint64_t which, unsigned n)
{
	if (which == (UINT64_C(1) << n) - 1) /* what is left is older than a loop may go on with */
		hd_rt_explore_redundant();
	tried = which;
}

/* As decisions among threads are, but the numbers are those of possibilities, from 1. */
static unsigned number(unsigned n)
{
	uint32_t chosen, left = 0;

	if (sh->nthreads + n > HD_X_THREADS)
		hd_rt_explore_stop(HD_X_END_FULL);
	for (uint32_t i = 0; i < n; i++) {
		if (!(tried >> i & 1))
			sh->threads[sh->nthreads + left++] = i + 1;
	}
	tried = 0;
	chosen = decide(HD_PICK_NUMBER, left, 0);
	if (sh->nchoices < HD_X_THREADS)
		sh->choices[sh->nchoices++] = chosen;
	return chosen - 1;
}

static void yielded(struct fiber *f)
{
	if (sh->random && sh->pct_depth)
		hd_rt_explore_pct_yielded(f);
}

const struct hd_policy hd_rt_policy_explore = {
	.name = "explore",
	.init = init,
	.pick = pick,
	.number = number,
	.yielded = yielded,
};
