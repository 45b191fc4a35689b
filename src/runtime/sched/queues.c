/*
 * Which fibers can run, and what the others wait for: an array, buckets by address, and a list by
 * deadline.
 */
#include "queues.h"

#include "common/hash.h"
#include "policy.h"
#include "runtime/explore/explore.h"
#include "runtime/memory/arena.h"

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

static struct bucket *bucket_of(uintptr_t addr)
{
	return &buckets[hd_hash_bits(addr, 10)];
}

static struct fiber *first_at(uintptr_t addr)
{
	return bucket_of(addr)->first;
}

/* At the end, so that waiters are in order of arrival. */
void hd_rt_queue_add(struct fiber *f)
{
	struct bucket *b = bucket_of(f->wait.addr);

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
		bucket_of(f->wait.addr)->end = f->wait.prev;
	f->wait.prev = NULL;
}

void hd_rt_timed_add(struct fiber *f)
{
	struct fiber **p = &hd_rt.timed;

	while (*p && (*p)->wait.deadline <= f->wait.deadline)
		p = &(*p)->wait.timed_next;
	f->wait.timed_next = *p;
	*p = f;
	f->wait.began = hd_rt.now;
	hd_rt.sleepers_changed = true;
}

static void timed_remove(struct fiber *f)
{
	if (f->wait.deadline == HD_NEVER)
		return;
	for (struct fiber **p = &hd_rt.timed; *p; p = &(*p)->wait.timed_next) {
		if (*p == f) {
			*p = f->wait.timed_next;
			break;
		}
	}
	f->wait.deadline = HD_NEVER;
	hd_rt.sleepers_changed = true;
}

void hd_rt_stop_waiting(struct fiber *f)
{
	queue_remove(f);
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
	struct fiber *few[64], **cand = few;
	unsigned n = 0;
	struct fiber *f;

	for (f = first_at(addr); f; f = f->wait.next)
		n += f->wait.addr == addr && f->wait.why == why;
	if (n == 0)
		return NULL;
	if (n > 64)
		cand = hd_rt_alloc(n * sizeof(f));
	n = 0;
	for (f = first_at(addr); f; f = f->wait.next) {
		if (f->wait.addr == addr && f->wait.why == why)
			cand[n++] = f;
	}
	f = hd_rt_choose(HD_PICK_WAKE, cand, n);
	if (cand != few)
		hd_rt_free(cand, n * sizeof(f));
	hd_rt_wake(f, HD_WOKEN);
	return f;
}

unsigned hd_rt_wake_all(enum hd_thread_state why, uintptr_t addr)
{
	unsigned n = 0;

	for (struct fiber *f = first_at(addr), *next; f; f = next) {
		next = f->wait.next;
		if (f->wait.addr == addr && f->wait.why == why) {
			hd_rt_wake(f, HD_WOKEN);
			n++;
		}
	}
	return n;
}

struct fiber *hd_rt_first_waiter(enum hd_thread_state why, uintptr_t addr)
{
	struct fiber *f = first_at(addr);

	while (f && (f->wait.addr != addr || f->wait.why != why))
		f = f->wait.next;
	return f;
}

bool hd_rt_has_waiters(uintptr_t addr)
{
	for (struct fiber *f = first_at(addr); f; f = f->wait.next) {
		if (f->wait.addr == addr)
			return true;
	}
	return false;
}

void hd_rt_enable(enum hd_thread_state why, uintptr_t addr)
{
	for (struct fiber *f = first_at(addr); f; f = f->wait.next) {
		if (f->wait.addr == addr && f->wait.why == why)
			hd_rt_add_runnable(f);
	}
}

void hd_rt_disable(enum hd_thread_state why, uintptr_t addr)
{
	for (struct fiber *f = first_at(addr); f; f = f->wait.next) {
		if (f->wait.addr == addr && f->wait.why == why && f->run_index >= 0 &&
		    f != hd_rt.cur)
			hd_rt_remove_runnable(f, HD_F_BLOCKED);
	}
}

void hd_rt_requeue(struct fiber *f, enum hd_thread_state why, uintptr_t addr, bool enabled)
{
	hd_rt_stop_waiting(f);
	f->wait.result = HD_WOKEN;
	f->wait.by = hd_rt.cur->id;
	f->wait.why = why;
	f->wait.addr = addr;
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
	hd_rt.timed = NULL;
	hd_rt.nio = 0;
	hd_rt.ncycles = 0;
}
