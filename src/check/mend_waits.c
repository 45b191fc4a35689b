/*
 * For locks that wait for each other: the lock that a thread wants is taken before the one that it holds. For a wait after which
 * nobody looks again whether there is something to wait for: it begins again while the variable that was looked at has
 * a value with which the thread went wrong.
 */
#include "mender.h"

#include <inttypes.h>
#include <string.h>

#include "common/path.h"

/* ---- a wait that does not look again ---------------------------------------------------------------- */
static bool waits_well(struct hd_mender *r)
{
	const struct hd_event *look = &r->f->accesses[0].event;
	size_t len = 0;
	bool well;

	for (size_t i = 0; i < r->nvalues; i++)
		len += (size_t)snprintf(r->again + len, sizeof(r->again) - len,
					"%s%" PRIx64 ",%" PRIx64 ",%x,%" PRIx64, i ? ";" : "",
					r->wait, look->addr, look->size, r->values[i]);
	r->c->base.again = r->again;
	well = hd_mender_goes_well(r);
	r->c->base.again = NULL;
	return well;
}

/* First the value with which it began to wait; then also the one that it goes wrong with. */
bool hd_mend_wait(struct hd_mender *r)
{
	const struct hd_access *first = r->f->accesses, *last = &first[r->f->naccesses - 1];

	if (!r->wait || r->looks || first->event.op != HD_OP_READ || !first->has_value)
		return false;
	r->values[r->nvalues++] = first->event.value;
	if (waits_well(r))
		return true;
	if (last->event.op != HD_OP_READ || !last->has_value || r->rc != HD_OK ||
	    last->event.addr != first->event.addr || last->event.value == first->event.value)
		return false;
	r->values[r->nvalues++] = last->event.value;
	return waits_well(r);
}

/* ---- locks that wait for each other ---------------------------------------------------------------- */
/* Where the program asks for what it waits for. */
static uint64_t asked_at(const struct hd_mender *r, const struct hd_finding_thread *st)
{
	for (size_t i = 0; i < st->stack.npcs; i++) {
		struct hd_frame frame;
		const char *module;

		if (!hd_run_frame(r->run, st->stack.pcs[i], &frame))
			continue;
		module = frame.module ? hd_base_name(frame.module) : "";
		if (strncmp(module, "libheddle", 9))
			return st->stack.pcs[i];
	}
	return 0;
}

/* Where thread @i of the cycle took what the one before it wants; 0: that is not known. */
static uint64_t taken_at(const struct hd_finding *f, size_t i)
{
	const struct hd_finding_waiting *w = &f->waiting;
	uint32_t thread = w->threads[w->cycle[i]].thread;
	uint64_t lock = w->threads[w->cycle[(i ? i : w->ncycle) - 1]].addr;

	for (size_t k = 0; k < w->nheld; k++) {
		if (w->held[k].thread == thread && w->held[k].addr == lock)
			return w->held[k].pc;
	}
	return 0;
}

bool hd_is_cycle_of_locks(const struct hd_finding *f)
{
	const struct hd_finding_waiting *w = &f->waiting;

	for (size_t i = 0; i < w->ncycle; i++) {
		const struct hd_finding_thread *st = &w->threads[w->cycle[i]];

		if ((st->state != HD_TS_MUTEX && st->state != HD_TS_RWLOCK_READ &&
		     st->state != HD_TS_RWLOCK_WRITE) ||
		    !st->stack.npcs)
			return false;
	}
	return w->ncycle >= 2;
}

/* The places where thread @i takes its two locks; false: they are not known. */
static bool add_order(struct hd_mender *r, size_t i, uint64_t lock)
{
	const struct hd_finding_thread *st = &r->f->waiting.threads[r->f->waiting.cycle[i]];
	struct hd_mend_section s = {
		.lock = lock, .from = taken_at(r->f, i), .to = asked_at(r, st), .up = HD_ANYWHERE
	};

	if (!s.from || !s.to)
		return false;
	hd_mender_add(r, s);
	return true;
}

/*
 * One thread of the cycle takes its second lock, a mutex, first. Where others run the same code there is no
 * place for that: a new lock is held while both are taken, by all who run it.
 */
static bool try_order(struct hd_mender *r, size_t i)
{
	const struct hd_finding_waiting *w = &r->f->waiting;
	const struct hd_finding_thread *st = &w->threads[w->cycle[i]];
	uint64_t from = taken_at(r->f, i), lock = st->addr;

	if (st->state != HD_TS_MUTEX)
		return false;
	for (size_t k = 0; k < w->ncycle; k++) {
		if (k != i && hd_run_same_line(r->run, taken_at(r->f, k), from))
			lock = HD_NEW_LOCK;
	}
	r->nsections = 0;
	if (!add_order(r, i, lock))
		return false;
	for (size_t k = 0; k < w->ncycle && lock == HD_NEW_LOCK; k++) {
		if (k != i && hd_run_same_line(r->run, taken_at(r->f, k), from) &&
		    !add_order(r, k, lock))
			return false;
	}
	return hd_mender_stands(r);
}

/* All threads of the cycle hold a new lock while they take theirs. */
static bool try_gate(struct hd_mender *r)
{
	r->nsections = 0;
	for (size_t i = 0; i < r->f->waiting.ncycle; i++) {
		if (!add_order(r, i, HD_NEW_LOCK))
			return false;
	}
	return hd_mender_stands(r);
}

enum hd_err hd_mend_order(struct hd_mender *r)
{
	size_t n = r->f->waiting.ncycle;

	for (size_t i = 0; i <= n && r->rc == HD_OK; i++) {
		if (i < n ? try_order(r, i) : try_gate(r))
			return hd_mender_tell(r, r->sections[0].lock == HD_NEW_LOCK
							 ? hd_put_held_sections
							 : hd_put_lock_order);
	}
	return r->rc != HD_OK ? r->rc : r->ways ? hd_mender_tell(r, NULL) : HD_OK;
}
