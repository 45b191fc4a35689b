/*
 * Which fibers can run, and what the others wait for: an array, buckets by address, and a list by
 * deadline.
 */
#include "queues.h"

#include <stddef.h>

#include "common/hash.h"
#include "policy.h"
#include "runtime/explore/explore.h"
#include "runtime/memory/arena.h"
#include "runtime/memory/mapped_twice.h"

/* ---- runnable fibers ----------------------------------------------------- */

void hd_rt_add_runnable(struct fiber *f)
{
	if (f->run_index >= 0)
		return;
	HD_RT_ROOM(hd_rt.runnable, hd_rt.cap_runnable, hd_rt.nrunnable, 64);
	f->state = HD_F_RUNNABLE;
	f->run_index = (int)hd_rt.nrunnable;
	hd_rt.runnable[hd_rt.nrunnable++] = f;
}

void hd_rt_remove_runnable(struct fiber *f, enum hd_fiber_state state)
{
	struct fiber *last = hd_rt.runnable[--hd_rt.nrunnable];

	hd_rt.runnable[f->run_index] = last;
	last->run_index = f->run_index;
	f->run_index = -1;
	f->state = state;
}

void hd_rt_hold(struct fiber *f)
{
	if (f->run_index >= 0)
		hd_rt_remove_runnable(f, HD_F_BLOCKED);
}

/* ---- waiters by address -------------------------------------------------- */

#define BUCKETS 1024u

static struct bucket {
	struct fiber *first;
	struct fiber **end; /* where the next one goes; NULL: there was none yet */
} buckets[BUCKETS];

/* Readers and writers of one lock, say, are not in each other's way. */
static struct bucket *bucket_of(enum hd_thread_state why, uintptr_t addr)
{
	return &buckets[hd_hash_bits(addr + ((uintptr_t)why << 48), 10)];
}

uint64_t hd_rt_queue_looks;

static bool waits_at(const struct fiber *f, enum hd_thread_state why, uintptr_t addr)
{
	hd_rt_queue_looks++;
	return f->wait.addr == addr && f->wait.why == why;
}

/* @f or the first behind it who waits for @addr as @why. */
static struct fiber *next_at(struct fiber *f, enum hd_thread_state why, uintptr_t addr)
{
	while (f && !waits_at(f, why, addr))
		f = f->wait.next;
	return f;
}

struct fiber *hd_rt_first_waiter(enum hd_thread_state why, uintptr_t addr)
{
	addr = hd_rt_name_of(addr);
	return next_at(bucket_of(why, addr)->first, why, addr);
}

struct fiber *hd_rt_next_waiter(const struct fiber *f)
{
	return next_at(f->wait.next, f->wait.why, f->wait.addr);
}

/*
 * Where thousands wait for one thing, only the first of them are chosen from: what one of them takes
 * costs the same however many there are. An explorer and a plan may choose any.
 */
#define CROWD 64u

static unsigned most_chosen_from(void)
{
	return hd_rt.opt.any_time || hd_rt.opt.wide ? UINT32_MAX : CROWD;
}

/* At the end, so that waiters are in order of arrival. */
void hd_rt_queue_add(struct fiber *f)
{
	struct bucket *b = bucket_of(f->wait.why, f->wait.addr);

	f->wait.prev = b->end ? b->end : &b->first;
	f->wait.next = NULL;
	*f->wait.prev = f;
	b->end = &f->wait.next;
}

static void queue_remove(struct fiber *f)
{
	if (!f->wait.prev)
		return;
	*f->wait.prev = f->wait.next;
	if (f->wait.next)
		f->wait.next->wait.prev = f->wait.prev;
	else
		bucket_of(f->wait.why, f->wait.addr)->end = f->wait.prev;
	f->wait.prev = NULL;
}

/* One of those that are chosen from has left the queue: the next one of a crowd takes its place. */
static void fill_up(enum hd_thread_state why, uintptr_t addr)
{
	unsigned n = most_chosen_from();
	struct fiber *f = n == CROWD ? hd_rt_first_waiter(why, addr) : NULL;

	for (; f && n > 1; n--)
		f = hd_rt_next_waiter(f);
	if (f)
		hd_rt_add_runnable(f);
}

void hd_rt_timed_add(struct fiber *f)
{
	struct fiber **p = &hd_rt.timed;

	if (hd_rt.timed_last && hd_rt.timed_last->wait.deadline <= f->wait.deadline)
		p = &hd_rt.timed_last->wait.timed_next; /* mostly: who begins last ends last */
	while (*p && (*p)->wait.deadline <= f->wait.deadline)
		p = &(*p)->wait.timed_next;
	f->wait.timed_next = *p;
	f->wait.timed_prev = p;
	if (*p)
		(*p)->wait.timed_prev = &f->wait.timed_next;
	else
		hd_rt.timed_last = f;
	*p = f;
	f->wait.began = hd_rt.now;
	hd_rt.sleepers_changed = true;
}

/* Who is before the last one, @f, in hd_rt.timed; NULL: nobody. */
static struct fiber *before_in_time(const struct fiber *f)
{
	const size_t at = offsetof(struct fiber, wait.timed_next);

	return f->wait.timed_prev == &hd_rt.timed
		       ? NULL
		       : (struct fiber *)((char *)f->wait.timed_prev - at);
}

static void timed_remove(struct fiber *f)
{
	if (f->wait.deadline == HD_NEVER)
		return;
	*f->wait.timed_prev = f->wait.timed_next;
	if (f->wait.timed_next)
		f->wait.timed_next->wait.timed_prev = f->wait.timed_prev;
	else
		hd_rt.timed_last = before_in_time(f);
	f->wait.deadline = HD_NEVER;
	hd_rt.sleepers_changed = true;
}

void hd_rt_stop_waiting(struct fiber *f)
{
	bool chosen_from = f->wait.prev && f->run_index >= 0;

	queue_remove(f);
	if (chosen_from)
		fill_up(f->wait.why, f->wait.addr);
	timed_remove(f);
	if (f->wait.why == HD_TS_IO)
		hd_rt.nio--;
	f->wait.why = HD_TS_RUNNABLE;
}

void hd_rt_wake(struct fiber *f, enum hd_wake result)
{
	hd_rt_stop_waiting(f);
	f->wait.result = result;
	f->wait.by = hd_rt.cur->id;
	hd_rt_add_runnable(f);
	if (unlikely(hd_rt.exploring))
		hd_rt_explore_wake(f);
}

struct fiber *hd_rt_wake_one(enum hd_thread_state why, uintptr_t addr)
{
	struct fiber *few[CROWD], **cand = few, *first = hd_rt_first_waiter(why, addr), *f;
	unsigned n = 0, most = most_chosen_from();

	for (f = first; f && n < most; f = hd_rt_next_waiter(f))
		n++;
	if (n == 0)
		return NULL;
	if (n > CROWD)
		cand = hd_rt_alloc(n * sizeof(f));
	f = first;
	for (unsigned i = 0; i < n; i++, f = hd_rt_next_waiter(f))
		cand[i] = f;
	f = hd_rt_choose(HD_PICK_WAKE, cand, n);
	if (cand != few)
		hd_rt_free(cand, n * sizeof(f));
	hd_rt_wake(f, HD_WOKEN);
	return f;
}

unsigned hd_rt_wake_all(enum hd_thread_state why, uintptr_t addr)
{
	unsigned n = 0;

	for (struct fiber *f = hd_rt_first_waiter(why, addr), *next; f; f = next) {
		next = hd_rt_next_waiter(f);
		hd_rt_wake(f, HD_WOKEN);
		n++;
	}
	return n;
}

bool hd_rt_has_waiters(uintptr_t addr)
{
	for (unsigned why = 0; why < HD_TS_LIMIT; why++) {
		if (hd_rt_first_waiter((enum hd_thread_state)why, addr))
			return true;
	}
	return false;
}

void hd_rt_enable(enum hd_thread_state why, uintptr_t addr)
{
	struct fiber *f = hd_rt_first_waiter(why, addr);

	for (unsigned n = most_chosen_from(); f && n; f = hd_rt_next_waiter(f), n--)
		hd_rt_add_runnable(f);
}

void hd_rt_disable(enum hd_thread_state why, uintptr_t addr)
{
	struct fiber *f = hd_rt_first_waiter(why, addr);

	for (unsigned n = most_chosen_from(); f && n; f = hd_rt_next_waiter(f), n--) {
		if (f->run_index >= 0 && f != hd_rt.cur)
			hd_rt_remove_runnable(f, HD_F_BLOCKED);
	}
}

void hd_rt_requeue(struct fiber *f, enum hd_thread_state why, uintptr_t addr, bool enabled)
{
	hd_rt_stop_waiting(f);
	f->wait.result = HD_WOKEN;
	f->wait.by = hd_rt.cur->id;
	f->wait.why = why;
	f->wait.addr = hd_rt_name_of(addr);
	hd_rt_queue_add(f);
	if (enabled)
		hd_rt_add_runnable(f);
	else if (f->run_index >= 0)
		hd_rt_remove_runnable(f, HD_F_BLOCKED);
}

/* In a forked child: the waiters were other threads. */
void hd_rt_forget_waiters(void)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		buckets[i] = (struct bucket){ 0 };
	hd_rt.timed = hd_rt.timed_last = NULL;
	hd_rt.nio = 0;
	hd_rt.ncycles = 0;
}
