/*
 * Stalls: time passes for somebody who waits while others could have gone on.
 *
 * On a real machine that takes a thread that is held up for so long: by the scheduler, a page that
 * is not there, a debugger. The clock goes by what threads do (pace.c), so whatever a decision adds
 * to it is a stall of everybody who could run. Stalls of a thread add up until it goes on. Reports
 * tell the longest ones, with the place where the thread stood.
 */
#include "runtime/rt.h"
#include "runtime/thread/thread.h"

#define TOLD  8u
#define LEAST 50000u /* nanoseconds: Linux wakes sleepers no more exactly than that */

static struct stall {
	uint32_t thread, ctx;
	uintptr_t pc;
	uint64_t ns;
} stalls[TOLD];
static unsigned nstalls;

/* It could run, and would only wait: in a loop, or for a thread that has not ended. */
static bool would_wait(const struct fiber *f)
{
	const struct fiber *joined = f->thread.joins ? hd_rt_thread_find(f->thread.joins) : NULL;

	return hd_rt_is_spinning(f) || (joined && joined->state != HD_F_DONE);
}

/* Those whose waits should have come to an end meanwhile, too: where time orders nothing they go on waiting. */
static void hold_up_sleepers(uint64_t until, const struct fiber *but)
{
	struct fiber *f = hd_rt.timed; /* in order */

	for (; f && f->wait.deadline < until; f = f->wait.timed_next) {
		if (f != but && f->run_index < 0)
			f->time.held_up += until - (f->wait.deadline > hd_rt.now ? f->wait.deadline
										 : hd_rt.now);
	}
}

void hd_rt_hold_up(uint64_t ns, const struct fiber *but)
{
	if (hd_rt.exploring)
		return; /* a replay tells of it */
	hold_up_sleepers(hd_rt.now + ns, but);
	for (uint32_t i = 0; i < hd_rt.nrunnable; i++) {
		struct fiber *f = hd_rt.runnable[i];

		if (f != but && !would_wait(f))
			f->time.held_up += ns;
	}
}

void hd_rt_stall_over(struct fiber *f)
{
	struct stall new = {
		.thread = f->id, .ctx = hd_rt_context_of(f), .pc = f->pc, .ns = f->time.held_up
	};
	unsigned i;

	f->time.held_up = 0;
	if (new.ns < LEAST)
		return;
	if (nstalls < TOLD)
		nstalls++;
	else if (stalls[TOLD - 1].ns >= new.ns)
		return;
	for (i = nstalls - 1; i > 0 && stalls[i - 1].ns < new.ns; i--)
		stalls[i] = stalls[i - 1];
	stalls[i] = new;
}

void hd_rt_tell_stalls(void)
{
	struct hd_elsewhere from;

	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (f->time.held_up && f->state != HD_F_DONE)
			hd_rt_stall_over(f);
	}
	from = hd_rt_go_elsewhere();
	for (unsigned i = 0; i < nstalls; i++) {
		hd_rt_is_at(stalls[i].pc, stalls[i].ctx);
		hd_rt_tell(HD_OP_STALL, 0, stalls[i].thread, stalls[i].ns, (uint16_t)i);
	}
	hd_rt_come_back(&from);
}
