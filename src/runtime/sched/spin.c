/*
 * Telling a thread that waits in a loop from one that works.
 *
 * A loop of loads, failed tries and yields may be a wait that only another
 * thread can end. Counting cannot tell it from a bounded loop; comparing states
 * can. If a fiber's stack and registers are the same at two spinning operations
 * and nobody has made progress in between, it will do the same for ever, for its
 * next steps are a function of that state. Such a fiber is not chosen again until there is
 * progress; when every runnable fiber is in that state, that is a livelock.
 *
 * Where time orders nothing (any_time), what counts as progress is told more finely, because there a
 * loop must be seen to be one at its first round without effect:
 * - What a thread writes to its own stack is compared anyway. It is news for those who have read
 *   there before, and for nobody else.
 * - Locks that are taken and given back are news for those who tried one in vain. Others wait for
 *   a lock, and what it guards counts itself. A thread's own locks are compared.
 *   A round that gives a lock back ends where it has the fewest: elsewhere others could go on, were it
 *   not for a thread that is not chosen again.
 * - Times that a thread keeps (what a clock showed, until when to wait) are no part of its state. A
 *   loop that depends on them may still end some day, so before it is taken for endless much time
 *   is made to pass, twice.
 *
 * What libc and the kernel keep for a thread alone (errno, signal mask, values by key, ...) is compared, too. Calls that
 * change what is kept for all of them, or in a file, are counted (hd_rt_changes_unseen): with one of those, no round
 * is like the one before.
 *
 * What this misses: memory written by code that is not instrumented. It errs
 * only if such writes end the loop, and they change neither the stack, nor the
 * registers, nor anything else that the hooks see.
 */
#include "common/hash.h"
#include "runtime/rt.h"

#include <errno.h>
#include <unwind.h>

#include "policy.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/process/signal_state.h"
#include "runtime/memory/arena.h"
#include "runtime/thread/thread.h"
#include "runtime/weak/weak.h"

/* Compare states every so many spinning operations (Brent's algorithm on the samples). */
#define SAMPLE 64

struct user_state {
	uint64_t hash;
	uintptr_t cfa;
	unsigned frame;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * HD_HASH_EVENSEN;
	return h ^ (h >> 32);
}

/* Frames of the runtime come first; the first one outside holds the program's registers. */
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg)
{
	static const int saved[] = { 3, 6, 12, 13, 14, 15 }; /* rbx rbp r12-r15, DWARF numbers */
	struct user_state *s = arg;
	uintptr_t ip = _Unwind_GetIP(context);

	if (ip != hd_rt.cur->pc && s->frame++ < 32)
		return _URC_NO_REASON;
	s->hash = mix(s->hash, ip);
	for (unsigned i = 0; i < sizeof(saved) / sizeof(saved[0]); i++)
		s->hash = mix(s->hash, _Unwind_GetGR(context, saved[i]));
	s->cfa = _Unwind_GetCFA(context);
	return _URC_END_OF_STACK;
}

/* Is the word at @p part of a time (a timespec, a timeval) that @f keeps? */
static bool keeps_time_at(const struct fiber *f, uintptr_t p)
{
	for (unsigned i = 0; i < sizeof(f->spin.time_at) / sizeof(f->spin.time_at[0]); i++) {
		if (f->spin.time_at[i] && p - f->spin.time_at[i] < 16)
			return true;
	}
	return false;
}

/* The control words of floating point are a thread's own, too: how it rounds, what it has met. */
static uint64_t float_control(void)
{
	uint32_t mxcsr;
	uint16_t word;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	__asm__ volatile("fnstcw %0" : "=m"(word));
	return mxcsr | (uint64_t)word << 32;
}

uint64_t hd_rt_kept_hash(void)
{
	const struct fiber *f = hd_rt.cur;
	uint64_t h = mix(mix(f->spin.unseen, (unsigned)errno), float_control());

	h = mix(h, hd_rt_sig_bits(&f->signals.mask));
	h = mix(h, f->cancel.disabled | (unsigned)f->cancel.async << 1);
	h = mix(h, (uintptr_t)f->signals.alt.ss_sp);
	for (uint32_t i = 0; i < f->tsd.n; i++)
		h = mix(h, (uintptr_t)f->tsd.values[i]);
	return h;
}

uint64_t hd_rt_state_hash(void)
{
	struct user_state s = { .hash = 0x8f1bbcdcbfa53e0bull };

	s.hash = mix(s.hash, hd_rt_kept_hash());
	hd_rt.busy++;
	_Unwind_Backtrace(visit, &s);
	hd_rt.busy--;
	/* On a stack of the program's own (a handler's, a coroutine's) there is more than is known. */
	if (s.cfa - hd_rt.cur->stack.low >= hd_rt.cur->stack.top - hd_rt.cur->stack.low)
		return 0;
	/*
	 * _Unwind_GetCFA of a frame is its stack pointer at the call, so everything from there up
	 * is the program's, and nothing of ours.
	 */
	for (uintptr_t p = s.cfa & ~(uintptr_t)7; p < hd_rt.cur->stack.top; p += 8)
		s.hash = mix(s.hash, keeps_time_at(hd_rt.cur, p) ? 0 : *(uint64_t *)p);
	for (struct hd_held *h = NULL; (h = hd_rt_held_next(hd_rt.cur, h));)
		s.hash = mix(mix(s.hash, h->addr), h->depth);
	return s.hash | 1;
}

/* What threads wrote to their stacks, of those whose stacks @f has read. */
static uint64_t stacks_seen_by(const struct fiber *f)
{
	uint64_t sum = 0;

	for (const struct fiber *o = hd_rt.all; f->spin.looks_at && o; o = o->next) {
		if (o != f && (f->spin.looks_at >> (o->id & 63) & 1))
			sum += o->spin.own_stack;
	}
	return sum;
}

bool hd_rt_spins_on(const struct fiber *f)
{
	if (!hd_rt.opt.any_time)
		return f->spin.progress == hd_rt_moves() - f->spin.own_locks;
	return f->spin.progress == hd_rt.progress + hd_rt.soft_progress &&
	       (!f->spin.tried || f->spin.locks == hd_rt.lock_progress - f->spin.own_locks) &&
	       (!f->spin.looks_at || f->spin.stacks == stacks_seen_by(f));
}

/* Has anybody made progress since the current fiber began to spin? Then it begins anew. */
static bool begins(struct fiber *f)
{
	hd_rt_note_stack_write();
	if (hd_rt_spins_on(f))
		return false;
	f->spin.progress = hd_rt.opt.any_time ? hd_rt.progress + hd_rt.soft_progress
					      : hd_rt_moves() - f->spin.own_locks;
	f->spin.own_before = f->spin.own_locks;
	f->spin.locks = hd_rt.lock_progress - f->spin.own_locks;
	f->spin.stacks = stacks_seen_by(f);
	f->spin.count = f->spin.mark = f->spin.hash = f->spin.nseen = 0;
	f->spin.cycle = f->spin.tried = f->spin.timed = f->spin.locks_too = false;
	f->spin.jumps = 0;
	f->spin.held = f->locks.n;
	return true;
}

/* Was the fiber in this state before, since it began? There is room for so many. */
#define SEEN 64

static bool seen_before(struct fiber *f, uint64_t hash)
{
	for (uint32_t i = 0; i < f->spin.nseen; i++) {
		if (f->spin.seen[i] == hash)
			return true;
	}
	if (!f->spin.seen)
		f->spin.seen = hd_rt_alloc(SEEN * sizeof(*f->spin.seen));
	if (f->spin.nseen < SEEN)
		f->spin.seen[f->spin.nseen++] = hash;
	return false;
}

/* The fiber is as it was, but for times: is there nothing that more time could change? */
static bool is_timeless(struct fiber *f)
{
	static const uint64_t jumps[] = { 3600 * HD_NS, 30 * 86400 * HD_NS };

	if (!hd_rt.opt.any_time || !f->spin.timed ||
	    f->spin.jumps == sizeof(jumps) / sizeof(jumps[0]))
		return true;
	hd_rt.now += jumps[f->spin.jumps++];
	f->spin.nseen = 0; /* there may be several looks in a round: it is to come here once more */
	f->spin.hash = 0;
	return false;
}

/*
 * Does it take locks on its way? Others may wait for one of them, so it can only be left alone where it
 * has none, or, where rounds are known to be rounds, where it has the fewest.
 */
static bool may_stop_here(struct fiber *f)
{
	if (hd_rt.opt.any_time)
		return f->locks.n == f->spin.held;
	if (f->spin.own_locks == f->spin.own_before)
		return true;
	f->spin.locks_too = true;
	return f->locks.n == 0;
}

bool hd_rt_spinning_proved(void)
{
	for (uint32_t i = 0; i < hd_rt.nrunnable; i++) {
		if (hd_rt_is_spinning(hd_rt.runnable[i]) && !hd_rt.runnable[i]->spin.locks_too)
			continue;
		hd_rt.soft_progress++;
		return false;
	}
	return true;
}

/* Compare the fiber's state with the one remembered. */
static void sample(struct fiber *f)
{
	uint64_t hash;

	if (hd_rt_policy->yielded)
		hd_rt_policy->yielded(f);
	hash = hd_rt_state_hash();
	if (hash)
		hash = mix(hash, f->spin.with) | 1;
	f->spin.with = 0;
	if (hash && may_stop_here(f) &&
	    (hash == f->spin.hash || (hd_rt.opt.any_time && seen_before(f, hash))) &&
	    is_timeless(f)) {
		if (hd_rt_is_weak() && hd_rt_weak_reads_on(f))
			return;
		f->spin.cycle = true;
		if (hd_rt.cycle_key != hd_rt_moves())
			hd_rt.ncycles = 0;
		hd_rt.cycle_key = hd_rt_moves();
		hd_rt.ncycles++;
	} else if (f->spin.count >= 2 * f->spin.mark) {
		f->spin.mark = f->spin.count;
		f->spin.hash = hash;
	}
}

void hd_rt_spin(void)
{
	struct fiber *f = hd_rt.cur;

	/* An explorer would try every number of rounds: for it, each is compared. */
	if (hd_rt.opt.any_time) {
		begins(f);
		f->spin.count++;
		sample(f);
	} else if (!begins(f) && ++f->spin.count % SAMPLE == 0) {
		sample(f);
	}
}

void hd_rt_spin_tried(void)
{
	hd_rt_spin();
	hd_rt.cur->spin.tried = true;
}

void hd_rt_spin_tried_once(void)
{
	if (hd_rt.opt.any_time)
		hd_rt.cur->spin.tried = true;
	else
		hd_rt_spin_tried();
}

void hd_rt_spin_reads(uintptr_t addr)
{
	struct fiber *me = hd_rt.cur;

	if (addr - me->stack.low < me->stack.top - me->stack.low)
		return;
	for (const struct fiber *f = hd_rt.all; f; f = f->next) {
		if (addr - f->stack.low < f->stack.top - f->stack.low)
			me->spin.looks_at |= UINT64_C(1) << (f->id & 63);
	}
}

void hd_rt_keeps_time(const void *p)
{
	struct fiber *me = hd_rt.cur;
	uintptr_t addr = (uintptr_t)p & ~(uintptr_t)7;

	me->spin.timed = true;
	me->explore.deeds++; /* the time is no part of its state */
	if (!hd_rt.opt.any_time || keeps_time_at(me, addr))
		return;
	me->spin.time_at[me->spin.ntimes++ %
			 (sizeof(me->spin.time_at) / sizeof(me->spin.time_at[0]))] = addr;
}

/*
 * A loop that looks at nothing computes: nobody else can end it. It counts all the same, for it may call
 * what has no hooks, but for less.
 */
#define COMPUTES (SAMPLE / 4)

void hd_rt_spin_long(bool reads)
{
	struct fiber *f = hd_rt.cur;

	begins(f);
	f->spin.count += reads ? SAMPLE : COMPUTES;
	sample(f);
}
