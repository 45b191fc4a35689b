/*
 * Isolated blocks.
 *
 * One lock stands for all objects; each object that a block is on has a lock of its own. A
 * block on everything takes the first alone, a block on objects shares it and takes theirs, in
 * order of address, so blocks cannot wait for each other in a cycle.
 */
#include "task.h"

#include <stdarg.h>

struct hd_isolation {
	struct hd_isolation *outer;
	bool inside; /* of another one that has all it needs: nothing was taken */
	size_t room;
	size_t n; /* 0: on everything */
	uintptr_t objects[];
};

static size_t size_of(size_t n)
{
	return sizeof(struct hd_isolation) + n * sizeof(uintptr_t);
}

/* ---- blocks -------------------------------------------------------------------- */

static bool has(const struct hd_isolation *b, uintptr_t object)
{
	for (; b; b = b->outer) {
		if (!b->n)
			return true;
		for (size_t i = 0; i < b->n; i++) {
			if (b->objects[i] == object)
				return true;
		}
	}
	return false;
}

/* By address, each once. */
static void sort(struct hd_isolation *b)
{
	size_t n = 0;

	for (size_t i = 1; i < b->n; i++) {
		uintptr_t x = b->objects[i];
		size_t k = i;

		for (; k && b->objects[k - 1] > x; k--)
			b->objects[k] = b->objects[k - 1];
		b->objects[k] = x;
	}
	for (size_t i = 0; i < b->n; i++) {
		if (!n || b->objects[n - 1] != b->objects[i])
			b->objects[n++] = b->objects[i];
	}
	b->n = n;
}

static void enter_inside(struct hd_isolation *b)
{
	bool covered = b->n ? true : has(b->outer, 0);

	b->inside = true;
	for (size_t i = 0; i < b->n; i++)
		covered = covered && has(b->outer, b->objects[i]);
	if (!covered)
		hd_carrier_misuse(
			b->n ? b->objects[0] : 0,
			"an isolated block needs more than the isolated block around it has");
}

static void begin(struct hd_task *me, const void *const *objects, size_t n)
{
	struct hd_isolation *b;
	/* Inside of another block it does not wait. */
	hd_carrier_uses_isolated();
	hd_carrier_point_before(me->isolation ? HD_TS_RUNNING : HD_TS_ISOLATED,
				hd_isolated_all() | (n != 0));
	b = hd_carrier_alloc(size_of(n));
	b->outer = me->isolation;
	b->room = b->n = n;
	hd_rt_copy(b->objects, objects, n * sizeof(*objects));
	sort(b);
	if (b->outer) {
		enter_inside(b);
	} else {
		hd_isolated_take_all(b->n > 0);
		for (size_t i = 0; i < b->n; i++)
			hd_isolated_take(b->objects[i]);
		for (size_t i = 0; i < b->n; i++)
			hd_carrier_event(HD_OP_ISOLATED_BEGIN, b->objects[i], 0, 0);
		if (!b->n)
			hd_carrier_event(HD_OP_ISOLATED_BEGIN, 0, 0, 0);
	}
	me->isolation = b;
}

static void end(struct hd_task *me)
{
	struct hd_isolation *b = me->isolation;

	me->isolation = b->outer;
	if (!b->inside) {
		if (!b->n)
			hd_carrier_event(HD_OP_ISOLATED_END, 0, 0, 0);
		for (size_t i = b->n; i-- > 0;)
			hd_carrier_event(HD_OP_ISOLATED_END, b->objects[i], 0, 0);
		for (size_t i = b->n; i-- > 0;)
			hd_isolated_give(b->objects[i]);
		hd_isolated_give_all(b->n > 0);
	}
	hd_carrier_free(b, size_of(b->room));
}

void hd_isolated_abandon(struct hd_task *me)
{
	while (me->isolation) {
		hd_carrier_misuse(0, "a task ended inside an isolated block");
		end(me);
	}
}

/* ---- the interface --------------------------------------------------------------- */

HD_EXPORT void hj_isolated_begin(void)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_isolated_begin");

	if (me)
		begin(me, NULL, 0);
}

HD_EXPORT void hj_isolated_begin_on(const void *const *objects, size_t n)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_isolated_begin_on");

	if (me)
		begin(me, objects, n);
}

HD_EXPORT void hj_isolated_end(void)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_isolated_end");

	if (!me)
		return;
	hd_carrier_calm_point();
	if (me->isolation)
		end(me);
	else
		hd_carrier_misuse(0, "hj_isolated_end without an isolated block");
}

HD_EXPORT void hj_isolated(hj_fn *fn, void *arg)
{
	uintptr_t caller = HD_CALLER;
	struct hd_task *me = hd_task_enter(caller, "hj_isolated");
	struct hd_isolation *outer = me ? me->isolation : NULL;

	if (me)
		begin(me, NULL, 0);
	fn(arg);
	if (!me)
		return;
	hd_carrier_enter(caller);
	hd_carrier_calm_point();
	while (me->isolation != outer)
		end(me);
}

HD_EXPORT const char hj_isolated_last_;

HD_EXPORT int hj_isolated_on_(const void *first, ...)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "HJ_ISOLATED");
	const void *objects[64];
	size_t n = 0;
	va_list ap;

	if (!me)
		return 1;
	va_start(ap, first);
	for (const void *p = first; p != &hj_isolated_last_; p = va_arg(ap, const void *)) {
		if (!p)
			continue;
		if (n == 64) {
			hd_carrier_misuse(
				0,
				"HJ_ISOLATED_ON of more than 64 objects: use hj_isolated_begin_on");
			break;
		}
		objects[n++] = p;
	}
	va_end(ap);
	begin(me, objects, n);
	return 1;
}

HD_EXPORT void hj_isolated_close_(const int *open)
{
	struct hd_task *me = hd_task_here(HD_CALLER);

	if (!me || !me->isolation)
		return;
	hd_carrier_calm_point();
	end(me);
}
