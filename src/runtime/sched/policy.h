/*
 * Who runs next: one interface, one file each.
 */
#ifndef HD_RUNTIME_POLICY_H
#define HD_RUNTIME_POLICY_H

#include "common/rng.h"
#include "runtime/rt.h"

enum hd_pick {
	HD_PICK_RUN,	/* which fiber runs next */
	HD_PICK_NUMBER, /* a possibility of the memory model: see number */
	HD_PICK_WAKE,	/* which waiter a notification reaches; candidates in order of arrival */
	HD_PICK_GRANT, /* who gets what only one can; first the one that is settled, last who asks */
};

struct hd_policy {
	const char *name;
	void (*init)(void);
	/*
	 * One of @cand[0 .. n-1], n >= 2. @cur is the index of the fiber that is
	 * running and could go on, or -1. The order of @cand is deterministic but
	 * means nothing for HD_PICK_RUN.
	 */
	unsigned (*pick)(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur);
	/* One of @n >= 2 possibilities, the newest first: of the memory model. NULL: the first. */
	unsigned (*number)(unsigned n);
	void (*spawned)(struct fiber *f); /* a new fiber exists; may be NULL */
	void (*yielded)(struct fiber *f); /* it asks for others, or spins; may be NULL */
	void (*ended)(struct fiber *f);	  /* it never runs again; may be NULL */
	/*
	 * In a wide run: one that can run, or that waits with a deadline, or hd_rt_nobody; NULL: let
	 * pick() decide. May be NULL.
	 */
	struct fiber *(*want)(void);
	/* Threads go on for long: they yield where they take parts of work that is for all of them. */
	bool shares_work;
};

extern const struct hd_policy hd_rt_policy_random, hd_rt_policy_pct, hd_rt_policy_rr,
	hd_rt_policy_replay, hd_rt_policy_plan, hd_rt_policy_segments, hd_rt_policy_explore;
extern const struct hd_policy *hd_rt_policy;

/* By name; NULL: there is none. */
const struct hd_policy *hd_rt_policy_of(unsigned word); /* enum hd_policy_word */

/* The policy's decision among @n >= 1, recorded when there was one to make. */
struct fiber *hd_rt_choose(enum hd_pick why, struct fiber *const *cand, unsigned n);

/*
 * One of @n >= 1 possibilities of an atomic operation, the newest first; recorded when there was a
 * choice, with the number of the operation among those of its thread.
 */
unsigned hd_rt_choose_number(unsigned n);

/*
 * The same in a wide run, always recorded: among all who can run or wait with a deadline, and
 * hd_rt_nobody, who stands for waiting until something happens. There is somebody who can run.
 */
extern struct fiber hd_rt_nobody;
struct fiber *hd_rt_choose_wide(void);
/* Where time orders nothing: whoever can go on or whose wait has an end, not @but; NULL: nobody. */
struct fiber *hd_rt_choose_any_time(const struct fiber *but);

/*
 * Can it do something of use? In a wide run there are candidates that cannot: they spin, or
 * wait for a deadline that is yet to come.
 */
bool hd_rt_sensible(const struct fiber *f);

/* What every policy falls back to: go on with the current fiber, else the lowest number. */
unsigned hd_rt_pick_default(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur);

/*
 * The same, but a fiber that spins or yields makes way: @gives_way is the last one that did. For
 * policies that come to the end of what they were told.
 */
unsigned hd_rt_pick_fairly(enum hd_pick why, struct fiber *const *cand, unsigned n, int cur,
			   struct fiber **gives_way);

/* The contents of the descriptor as an array of @size-byte elements, at address @at; NULL: none. */
const void *hd_rt_policy_input(int fd, uintptr_t at, size_t size, uint64_t *n);

/* The program ends: has a replay used up its schedule? */
void hd_rt_replay_end(void);

/* The one generator that policies draw from. */
extern struct hd_rng hd_rt_rng;

#endif
