#include "hand_over.h"

#include <sys/prctl.h>

#include "fiber.h"
#include "runtime/memory/arena.h"
#include "runtime/sys.h"

enum { WAIT = 0, GO = 1, LEAVE = 2 };

/* Whose turn it is. Written by who hands over, read by who is handed to; the futex orders them. */
static struct fiber *up;

/* The record of the kernel thread that @f runs on: a light fiber is a guest on another's. */
static struct fiber *lane_of(struct fiber *f)
{
	return f->light.host ? f->light.host : f;
}

static void tell(struct fiber *lane, int what)
{
	__atomic_store_n(&lane->donor.turn, what, __ATOMIC_RELEASE); /* partner: await_turn */
	hd_futex_wake(&lane->donor.turn);
}

static int await_turn(struct fiber *lane)
{
	int what;

	while ((what = __atomic_load_n(&lane->donor.turn, __ATOMIC_ACQUIRE)) == WAIT)
		hd_futex_wait(&lane->donor.turn, WAIT, NULL);
	lane->donor.turn = WAIT;
	return what;
}

/*
 * Signals are for the thread that runs: the others have all of them blocked. (But 32 and 33, which
 * glibc uses for setuid.)
 */
static void signals_blocked(bool blocked)
{
	uint64_t mask = blocked ? ~(3ull << 31) : 0;

	hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
}

void hd_rt_hand_over_name(const struct fiber *f)
{
	char name[16];

	hd_rt_print(name, sizeof(name), f->thread.name[0] ? "T%u %s" : "T%u", f->id,
		    f->thread.name);
	hd_sys(SYS_prctl, PR_SET_NAME, name, 0, 0, 0);
}

void hd_rt_carry(struct fiber *lane)
{
	if (await_turn(lane) != GO)
		return;
	/* No calls that need much stack: the fiber's begins a little below. */
	signals_blocked(false);
	hd_rt_switch_stack(&lane->donor.park_sp, up->sp);
	/* Here again when the last of its fibers has ended. */
}

void hd_rt_hand_over(struct fiber *from, struct fiber *to)
{
	static void *nowhere; /* for what is left for good */
	struct fiber *lane = lane_of(from);
	uint32_t id = from->id; /* @from may be gone when this thread is woken */

	signals_blocked(true);
	up = to;
	tell(lane_of(to), GO);
	if (await_turn(lane) == LEAVE)
		hd_rt_switch_stack(&nowhere, lane->donor.park_sp);
	signals_blocked(false);
	/* If the fiber that ran here has ended, this is another one's beginning. */
	if (up->id != id)
		hd_rt_switch_stack(&nowhere, up->sp);
}

void hd_rt_hand_over_end(struct fiber *lane)
{
	tell(lane, LEAVE);
}
