/*
 * Who of those that could run can do something: not those who would only find that they have to wait.
 */
#include "policy_explore.h"

#include "await.h"
#include "common/hash.h"
#include "explore.h"
#include "explore_memory.h"
#include "runtime/sync/mutex.h"
#include "runtime/thread/thread.h"

#define sh hd_rt_xsh

uint32_t hd_rt_in_vain;
uint64_t hd_rt_left_out;

static bool go_round_again; /* nobody could do anything else: those who made rounds in vain go on */

bool hd_rt_stops_in_loop(const struct fiber *f)
{
	return !go_round_again && hd_rt_await_stops(f);
}

bool hd_rt_would_wait(const struct fiber *f)
{
	const pthread_rwlock_t *l = (const pthread_rwlock_t *)f->explore.wants_addr;
	const struct fiber *other;
	const uint32_t *word;

	if (hd_rt_await_stands(f))
		return hd_rt_stops_in_loop(f) || hd_rt_await_in_vain(f);
	switch (f->explore.wants) {
	case HD_TS_MUTEX:
		return hd_rt_mutex_locked((const pthread_mutex_t *)f->explore.wants_addr) &&
		       (uint32_t)((const pthread_mutex_t *)f->explore.wants_addr)->__data.__owner !=
			       f->id;
	case HD_TS_RWLOCK_READ:
		return l->__data.__cur_writer && (uint32_t)l->__data.__cur_writer != f->id;
	case HD_TS_RWLOCK_WRITE:
		return (l->__data.__cur_writer && (uint32_t)l->__data.__cur_writer != f->id) ||
		       l->__data.__readers;
	case HD_TS_SEM:
		return *(const uint32_t *)f->explore.wants_addr == 0 &&
		       (!f->cancel.pending || f->explore.wants_until != HD_NEVER);
	case HD_TS_ISOLATED: /* two numbers: who has it alone, and how many share it (bit 0: it shares) */
		word = (const uint32_t *)(f->explore.wants_addr & ~(uintptr_t)1);
		return word[0] || (!(f->explore.wants_addr & 1) && word[1]);
	case HD_TS_JOIN:
		other = hd_rt_thread_find((pthread_t)f->explore.wants_addr);
		return other && other != f && other->state != HD_F_DONE;
	default:
		return false;
	}
}

/*
 * Has @f gone round a loop so often without anything having happened that others, if there are
 * any, come first? A loop that is in the same state again is left by itself (spin.c); this is for those that
 * count, which would have a schedule for every number.
 */
bool hd_rt_is_tired(const struct fiber *f)
{
	return hd_rt.opt.spins && f->spin.count >= hd_rt.opt.spins && hd_rt_spins_on(f);
}

bool hd_rt_is_late(const struct fiber *f)
{
	return f->run_index < 0 || (f->explore.wants_until != HD_NEVER && !hd_rt_await_stands(f) &&
				    hd_rt_would_wait(f));
}

static bool can_run(const struct fiber *f, enum hd_pick why)
{
	return why != HD_PICK_RUN || hd_rt_is_late(f) || !hd_rt_would_wait(f);
}

/* Are some tired, and some not? */
static bool is_unfair(struct fiber *const *cand, unsigned n)
{
	bool tired = false, fresh = false;

	for (unsigned i = 0; i < n && !sh->random; i++) {
		if (can_run(cand[i], HD_PICK_RUN)) {
			tired |= hd_rt_is_tired(cand[i]);
			fresh |= !hd_rt_is_tired(cand[i]);
		}
	}
	return tired && fresh;
}

bool hd_rt_explore_stands_before(enum hd_thread_state why, uintptr_t addr)
{
	/* A replay of what an explorer has found has to find it, too. */
	for (const struct fiber *f = hd_rt.opt.any_time ? hd_rt.all : NULL; f; f = f->next) {
		if (f != hd_rt.cur && f->explore.wants == why && f->explore.wants_addr == addr &&
		    f->state != HD_F_DONE && hd_rt_would_wait(f))
			return true;
	}
	return false;
}

/* If it waits in a loop or for a semaphore, what it does next was made possible by others. */
static void note_await(struct fiber *f)
{
	if (f->explore.wants == HD_TS_SEM)
		f->explore.resumed_at = f->explore.wants_addr;
	if (!f->explore.look.stands)
		return;
	if (hd_rt_stops_in_loop(f)) {
		f->explore.waited_in_loop |= !f->explore.round.in_vain;
		hd_rt_in_vain +=
			hd_rt_await_is_known_late(f); /* when that was not known, it could go on */
		return;
	}
	hd_rt_in_vain++;
	f->explore.waited_in_loop = true;
	sh->awaited |= hd_rt_await_bit(f->explore.look.addr);
}

uint32_t hd_rt_log_enabled(enum hd_pick why, struct fiber *const *cand, unsigned n)
{
	uint32_t *out = sh->threads + sh->nthreads, count = 0;
	bool unfair = why == HD_PICK_RUN && is_unfair(cand, n);

	if (sh->nthreads + n > HD_X_THREADS)
		hd_rt_explore_stop(HD_X_END_FULL);
	hd_rt_left_out = hd_rt_in_vain = 0;
	for (unsigned i = 0; i < n; i++) {
		uint32_t k = count;

		if (!can_run(cand[i], why)) {
			note_await(cand[i]);
			continue;
		}
		if (unfair && hd_rt_is_tired(cand[i])) {
			hd_rt_left_out += hd_hash_number(cand[i]->id);
			sh->uses |= HD_X_USES_PATIENCE;
			continue;
		}
		for (; k > 0 && out[k - 1] > cand[i]->id; k--)
			out[k] = out[k - 1];
		out[k] = cand[i]->id;
		count++;
	}
	return count;
}

static bool left_in_loops; /* the execution ends because some were */

/*
 * Nobody of @cand can do anything. If some have stopped after rounds in vain: would these end in the same way
 * again? Then they go on, to be found in a livelock. Else what would happen next is tried elsewhere.
 */
uint32_t hd_rt_enabled_after_rounds(struct fiber *const *cand, unsigned n)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		if (!hd_rt_stops_in_loop(cand[i]))
			continue;
		any = true;
		left_in_loops |= hd_rt_await_would_differ(cand[i]);
	}
	if (!any)
		return 0;
	if (left_in_loops)
		hd_rt_explore_redundant();
	go_round_again = true;
	return hd_rt_log_enabled(HD_PICK_RUN, cand, n);
}

bool hd_rt_left_in_loops(void)
{
	return left_in_loops;
}

/* ---- who waits for each other ------------------------------------------------- */

/* Whom would @f have to wait for, or does, where exactly one other can help? 0: nobody, or unknown. */
static uint32_t must_wait_for(const struct fiber *f)
{
	const struct fiber *other;

	if (!f || f->state == HD_F_BLOCKED)
		return f ? hd_rt_waits_for(f) : 0;
	if (f->state == HD_F_DONE || hd_rt_is_late(f) || !hd_rt_would_wait(f))
		return 0;
	switch (f->explore.wants) {
	case HD_TS_MUTEX:
		return (uint32_t)((const pthread_mutex_t *)f->explore.wants_addr)->__data.__owner;
	case HD_TS_RWLOCK_READ:
	case HD_TS_RWLOCK_WRITE:
		return (uint32_t)((const pthread_rwlock_t *)f->explore.wants_addr)
			->__data.__cur_writer;
	case HD_TS_JOIN:
		other = hd_rt_thread_find((pthread_t)f->explore.wants_addr);
		return other ? other->id : 0;
	default:
		return 0;
	}
}

/*
 * One of those who would have to wait for each other; 0: nobody. They are let find out, for a deadlock is
 * one even if somebody else can go on, or end the process.
 */
uint32_t hd_rt_of_wait_cycle(struct fiber *const *cand, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t id = cand[i]->run_index >= 0 ? must_wait_for(cand[i]) : 0;

		for (uint32_t steps = 0; id && id != cand[i]->id && steps <= hd_rt.nthreads;
		     steps++)
			id = must_wait_for(hd_rt_fiber_by_id(id));
		if (id == cand[i]->id)
			return id;
	}
	return 0;
}
