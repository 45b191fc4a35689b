/*
 * Donors made ahead.
 *
 * A copy of a process has one kernel thread, but all the memory of the others: stacks and thread
 * control blocks that glibc has set up. That is all that a fiber needs of its donor, which never
 * runs again once it is parked. So what takes most of the time of a short execution, making and
 * ending a thread for each fiber, is done once: the process that is copied makes as many
 * donors as one execution needs, and each copy finds them.
 *
 * How many and which is seen in an execution that is made for this alone. It must be one and
 * the same execution whatever is asked first, since where stacks lie decides about hashes of states.
 */
#include "explore.h"

#include "explore_memory.h"
#include "runtime/fiber/fiber.h"
#include "runtime/memory/arena.h"

static struct spare {
	struct hd_xdonor kind;
	struct fiber *donor;
	bool taken;
} spares[HD_X_DONORS];
static unsigned nspares;

/* False: on a stack of the program's. */
static bool kind_of(const pthread_attr_t *attr, struct hd_xdonor *out)
{
	size_t stack = 0, guard = 0;
	void *at = NULL;

	pthread_attr_getstack(attr, &at, &stack);
	if (stack && (uintptr_t)at + stack != 0) /* glibc: "address 0 minus size" if none was set */
		return false;
	pthread_attr_getstacksize(attr, &stack);
	pthread_attr_getguardsize(attr, &guard);
	*out = (struct hd_xdonor){ .stack = stack, .guard = guard };
	return true;
}

bool hd_rt_spare_take(struct fiber *f, const pthread_attr_t *attr)
{
	struct hd_xdonor kind;

	if (!kind_of(attr, &kind))
		return false;
	for (unsigned i = 0; i < nspares; i++) {
		struct spare *s = &spares[i];

		if (s->taken || s->kind.stack != kind.stack || s->kind.guard != kind.guard)
			continue;
		s->taken = true;
		f->thread.pt = s->donor->thread.pt;
		f->fs = s->donor->fs;
		f->tid = s->donor->tid;
		f->stack.low = s->donor->stack.low;
		f->stack.top = s->donor->stack.top;
		f->donor.pid = s->donor->donor.pid;
		f->donor.fresh = true;
		return true;
	}
	if (hd_rt_xsh->probing && hd_rt_xsh->ndonors < HD_X_DONORS)
		hd_rt_xsh->donors[hd_rt_xsh->ndonors++] = kind;
	return false;
}

void hd_rt_spares_make(void)
{
	for (unsigned i = 0; i < hd_rt_xsh->ndonors && i < HD_X_DONORS; i++) {
		struct spare *s = &spares[nspares];
		pthread_attr_t attr;

		s->kind = hd_rt_xsh->donors[i];
		s->donor = hd_rt_alloc(sizeof(*s->donor));
		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, s->kind.stack);
		pthread_attr_setguardsize(&attr, s->kind.guard);
		if (hd_rt_donor_make(s->donor, &attr) == 0)
			nspares++;
		pthread_attr_destroy(&attr);
	}
}
