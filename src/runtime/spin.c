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
 * What this misses: memory written by code that is not instrumented. It errs
 * only if such writes end the loop, and they change neither the stack, nor the
 * registers, nor anything else that the hooks see.
 */
#include "rt.h"

#include <unwind.h>

#include "policy.h"

/* Compare states every so many spinning operations (Brent's algorithm on the samples). */
#define SAMPLE 64

struct user_state {
	uint64_t hash;
	uintptr_t cfa;
	unsigned frame;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9fb21c651e98df25ull;
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

/* A hash of everything the current fiber's future depends on, besides shared memory; 0: unknown. */
static uint64_t state_hash(void)
{
	struct user_state s = { .hash = 0x8f1bbcdcbfa53e0bull };

	hd_rt.busy++;
	_Unwind_Backtrace(visit, &s);
	hd_rt.busy--;
	if (!s.cfa || s.cfa >= hd_rt.cur->stack_top)
		return 0;
	/*
	 * _Unwind_GetCFA of a frame is its stack pointer at the call, so everything from there up
	 * is the program's, and nothing of ours.
	 */
	for (uintptr_t p = s.cfa & ~(uintptr_t)7; p < hd_rt.cur->stack_top; p += 8)
		s.hash = mix(s.hash, *(uint64_t *)p);
	return s.hash | 1;
}

/* Has anybody made progress since the current fiber began to spin? Then it begins anew. */
static bool begins(struct fiber *f)
{
	uint64_t key;

	hd_rt_note_stack_write();
	key = hd_rt.progress + hd_rt.soft_progress;
	if (f->spin_progress == key)
		return false;
	f->spin_progress = key;
	f->spin_count = f->spin_mark = f->spin_hash = 0;
	f->spin_cycle = false;
	return true;
}

/* Compare the fiber's state with the one remembered. */
static void sample(struct fiber *f)
{
	uint64_t hash;

	if (hd_rt_policy->yielded)
		hd_rt_policy->yielded(f);
	hash = state_hash();
	if (hash && hash == f->spin_hash) {
		f->spin_cycle = true;
		if (hd_rt.cycle_key != f->spin_progress)
			hd_rt.ncycles = 0;
		hd_rt.cycle_key = f->spin_progress;
		hd_rt.ncycles++;
	} else if (f->spin_count >= 2 * f->spin_mark) {
		f->spin_mark = f->spin_count;
		f->spin_hash = hash;
	}
}

void hd_rt_spin(void)
{
	struct fiber *f = hd_rt.cur;

	/* An explorer would try every number of rounds: for it, each is compared. */
	if (!begins(f) && ++f->spin_count % (hd_rt.exploring ? 1 : SAMPLE) == 0)
		sample(f);
}

void hd_rt_spin_long(void)
{
	struct fiber *f = hd_rt.cur;

	begins(f);
	f->spin_count += SAMPLE;
	sample(f);
}
