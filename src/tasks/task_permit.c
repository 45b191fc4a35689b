/*
 * Permission regions (Westbrook, Zhao, Budimlic, Sarkar): what tasks say they read and write.
 *
 * For each thing (an object, or one element of an array) the open regions are kept by task, with how
 * often each is open to read and to write. The state machine follows from them: nobody is Null; one
 * task without writing is Private Read, with writing Private Write; several that all
 * read are Shared Read; and whoever would make it several of which one writes is a violation, told
 * with both places. A violation is a finding; the program goes on.
 */
#include "common/hash.h"
#include "runtime/observe/told_once.h"
#include "task.h"

#define WHOLE SIZE_MAX /* the object, not an element of it */

/* A task's regions of one thing. */
struct hd_permit {
	struct thing *thing;
	uint32_t task; /* its number */
	uint32_t reads, writes;
	uintptr_t pc; /* where the first that counts was opened: a write, if there is one */
	uint32_t ctx;
	struct hd_permit *next_of_thing;
	struct hd_permit *next_of_task, **prev_of_task;
};

struct thing {
	uintptr_t addr;
	size_t index;
	struct hd_permit *permits;
	struct thing *next;
};

#define BUCKETS 4096u
static struct thing *things[BUCKETS];

static struct thing **find(uintptr_t addr, size_t index)
{
	struct thing **p = &things[hd_hash_bits(addr ^ index * HD_HASH_MURMUR_A, 12)];

	while (*p && ((*p)->addr != addr || (*p)->index != index))
		p = &(*p)->next;
	return p;
}

static struct hd_permit *permit_of(struct thing *th, uint32_t task)
{
	struct hd_permit *p = th->permits;

	while (p && p->task != task)
		p = p->next_of_thing;
	return p;
}

/* ---- the report ------------------------------------------------------------------ */

static bool told_before(uintptr_t a, uintptr_t b)
{
	static struct hd_told_once told;

	return hd_told_before(&told, a < b ? a : b, a < b ? b : a);
}

static void violation(const struct thing *th, const struct hd_permit *other, const hd_strand *me,
		      bool write)
{
	char text[200], element[40] = "";
	struct hd_permit_conflict c = { .addr = th->addr,
					.index = th->index,
					.text = text,
					.other = other->task,
					.other_writes = other->writes,
					.other_pc = other->pc,
					.other_ctx = other->ctx,
					.write = write };

	if (told_before(other->pc, hd_strand_pc(me)))
		return;
	if (th->index != WHOLE)
		hd_rt_print(element, sizeof(element), " (element %zu)", th->index);
	hd_rt_print(text, sizeof(text), "T%u is to %s%s while T%u is to %s", hd_strand_id(me),
		    write ? "write" : "read", element, other->task,
		    other->writes ? "write" : "read");
	hd_permit_tell(&c);
}

/* ---- the state machine ------------------------------------------------------------- */

static struct hd_permit *new_permit(struct hd_task *me, struct thing *th)
{
	struct hd_permit *p = hd_carrier_alloc(sizeof(*p));

	p->thing = th;
	p->task = hd_strand_id(me->strand);
	p->next_of_thing = th->permits;
	th->permits = p;
	p->next_of_task = me->permits;
	p->prev_of_task = &me->permits;
	if (me->permits)
		me->permits->prev_of_task = &p->next_of_task;
	me->permits = p;
	return p;
}

static void close_permit(struct hd_permit *p)
{
	struct thing *th = p->thing, **slot = find(th->addr, th->index);
	struct hd_permit **q = &th->permits;

	while (*q != p)
		q = &(*q)->next_of_thing;
	*q = p->next_of_thing;
	*p->prev_of_task = p->next_of_task;
	if (p->next_of_task)
		p->next_of_task->prev_of_task = p->prev_of_task;
	hd_carrier_free(p, sizeof(*p));
	if (!th->permits) {
		*slot = th->next;
		hd_carrier_free(th, sizeof(*th));
	}
}

/* Returns the other task's region that is in the way. */
static struct hd_permit *acquire(struct hd_task *me, uintptr_t addr, size_t index, bool write)
{
	struct thing **slot = find(addr, index), *th = *slot;
	struct hd_permit *mine, *conflict = NULL;

	if (!th) {
		th = *slot = hd_carrier_alloc(sizeof(*th));
		th->addr = addr;
		th->index = index;
	}
	for (struct hd_permit *p = th->permits; p && !conflict; p = p->next_of_thing) {
		if (p->task != hd_strand_id(me->strand) && (write || p->writes))
			conflict = p;
	}
	mine = permit_of(th, hd_strand_id(me->strand));
	if (!mine)
		mine = new_permit(me, th);
	if (!mine->pc || (write && !mine->writes)) {
		mine->pc = hd_strand_pc(me->strand);
		mine->ctx = hd_strand_ctx(me->strand);
	}
	mine->reads += !write;
	mine->writes += write;
	return conflict;
}

/* False: there was no such region. */
static bool release(struct hd_task *me, uintptr_t addr, size_t index, bool write)
{
	struct thing *th = *find(addr, index);
	struct hd_permit *mine = th ? permit_of(th, hd_strand_id(me->strand)) : NULL;

	if (!mine || !(write ? mine->writes : mine->reads))
		return false;
	if (write)
		mine->writes--;
	else
		mine->reads--;
	if (!mine->reads && !mine->writes)
		close_permit(mine);
	return true;
}

void hd_permits_abandon(struct hd_task *me)
{
	HD_CALL;
	while (me->permits) {
		struct hd_permit *p = me->permits;

		hd_carrier_misuse_at(p->pc, p->ctx,
				     "a task ended with a permission region that it opened here");
		close_permit(p);
	}
}

/* ---- the interface ----------------------------------------------------------------- */

static void acquire_all(uintptr_t caller, const void *object, size_t from, size_t to, bool write)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(caller, write ? "hj_acquire_w" : "hj_acquire_r");
	uintptr_t addr = (uintptr_t)object;
	struct hd_permit *conflict = NULL;

	if (!me)
		return;
	hd_carrier_calm_point();
	hd_carrier_uses_regions();
	hd_carrier_event2(HD_OP_PERMIT, addr, from == WHOLE ? 0 : from,
			  from == WHOLE ? 0 : to - from, write);
	for (size_t i = from; i < to || i == WHOLE; i++) {
		struct hd_permit *c = acquire(me, addr, i, write);

		if (c && !conflict)
			conflict = c;
		if (i == WHOLE)
			break;
	}
	if (conflict)
		violation(conflict->thing, conflict, me->strand, write);
	/* Others meet the permission while it is held. */
	if (hd_carrier_region_is_calm(hd_strand_pc(me->strand)))
		hd_carrier_calm_point();
	else
		hd_carrier_point();
}

static void release_all(uintptr_t caller, const void *object, size_t from, size_t to, bool write)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(caller, write ? "hj_release_w" : "hj_release_r");
	uintptr_t addr = (uintptr_t)object;
	bool ok = true;

	if (!me)
		return;
	hd_carrier_event2(HD_OP_UNPERMIT, addr, from == WHOLE ? 0 : from,
			  from == WHOLE ? 0 : to - from, write);
	for (size_t i = from; i < to || i == WHOLE; i++) {
		ok = release(me, addr, i, write) && ok;
		if (i == WHOLE)
			break;
	}
	if (!ok)
		hd_carrier_misuse(addr, "release of a permission to %s that the task does not have",
				  write ? "write" : "read");
}

#define DEFINE_REGIONS(mode, write)                                                                \
	HD_EXPORT void hj_acquire_##mode(const void *object)                                       \
	{                                                                                          \
		acquire_all(HD_CALLER, object, WHOLE, WHOLE, write);                               \
	}                                                                                          \
	HD_EXPORT void hj_release_##mode(const void *object)                                       \
	{                                                                                          \
		release_all(HD_CALLER, object, WHOLE, WHOLE, write);                               \
	}                                                                                          \
	HD_EXPORT void hj_acquire_##mode##_at(const void *array, size_t i)                         \
	{                                                                                          \
		acquire_all(HD_CALLER, array, i, i + 1, write);                                    \
	}                                                                                          \
	HD_EXPORT void hj_release_##mode##_at(const void *array, size_t i)                         \
	{                                                                                          \
		release_all(HD_CALLER, array, i, i + 1, write);                                    \
	}                                                                                          \
	HD_EXPORT void hj_acquire_##mode##_range(const void *array, size_t from, size_t to)        \
	{                                                                                          \
		acquire_all(HD_CALLER, array, from, to, write);                                    \
	}                                                                                          \
	HD_EXPORT void hj_release_##mode##_range(const void *array, size_t from, size_t to)        \
	{                                                                                          \
		release_all(HD_CALLER, array, from, to, write);                                    \
	}

DEFINE_REGIONS(r, false)
DEFINE_REGIONS(w, true)
