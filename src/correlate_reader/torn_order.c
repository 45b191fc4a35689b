#include "torn_order.h"

#include <string.h>

#include "common/array.h"

static bool add_step(struct hd_finding *f, const struct hd_event *ev, bool is_access)
{
	struct hd_finding_interleaving *order = &f->interleaving;
	struct hd_step *s;

	if (!HD_ROOM(order->steps, order->steps_cap, order->nsteps + 1))
		return false;
	s = &order->steps[order->nsteps++];
	*s = (struct hd_step){ .event = *ev, .is_access = is_access, .valueless = true };
	s->switched = s > order->steps && s[-1].event.thread != ev->thread;
	return true;
}

static bool holds(const struct hd_access *a, uint64_t lock)
{
	for (size_t i = 0; i < a->nheld; i++) {
		if (a->held[i].addr == lock)
			return true;
	}
	return false;
}

/*
 * Locks of @a that are held on the other side, too: those were given back in between. Others may have been held
 * all the time.
 */
static bool add_locks(struct hd_finding *f, size_t n, size_t other, uint8_t op)
{
	for (size_t i = 0; i < f->accesses[n].nheld; i++) {
		const struct hd_access *a = &f->accesses[n];
		const struct hd_event ev = { .op = op,
					     .thread = a->event.thread,
					     .addr = a->held[i].addr,
					     .arg = a->held[i].mode };

		if (holds(&f->accesses[other], ev.addr) && !add_step(f, &ev, false))
			return false;
	}
	return true;
}

static bool is_torn(const struct hd_finding *f)
{
	if (f->naccesses < 3 || strcmp(f->accesses[0].role, "begin") ||
	    strcmp(f->accesses[f->naccesses - 1].role, "end"))
		return false;
	for (size_t i = 1; i + 1 < f->naccesses; i++) {
		if (strcmp(f->accesses[i].role, "between"))
			return false;
	}
	return true;
}

bool hd_cr_torn_order(struct hd_finding *f)
{
	size_t last = f->naccesses - 1;
	bool ok = true;

	if (!is_torn(f))
		return true;
	f->interleaving.reordered = HD_WOULD_TEAR;
	for (size_t i = 0; ok && i <= last; i++) {
		size_t other = i == 0 || i == last ? 1 : 0;
		bool opens = i < 2 || i == last, closes = i == 0 || i + 1 >= last;

		ok = (!opens || add_locks(f, i, other, HD_OP_ACQUIRE)) &&
		     add_step(f, &f->accesses[i].event, true) &&
		     (!closes || add_locks(f, i, other, HD_OP_RELEASE));
	}
	return ok;
}
