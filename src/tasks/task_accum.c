/*
 * Accumulators: tasks of a finish put values, and its end has their sum (product, ...).
 *
 * Values are combined in the order in which they are put, which is part of the schedule: sums of
 * floating-point numbers may differ from one schedule to another.
 */
#include "task.h"

struct hj_accum {
	struct hd_finish *fin; /* NULL: it has ended, or was never in one */
	struct hj_accum *next;
	enum hj_op op;
	bool is_double;
	long (*combine)(long a, long b);
	union {
		long l;
		double d;
	} now, made; /* what was put, and what get says */
};

static long identity_long(enum hj_op op)
{
	switch (op) {
	case HJ_PROD:
		return 1;
	case HJ_MIN:
		return __LONG_MAX__;
	case HJ_MAX:
		return -__LONG_MAX__ - 1;
	default:
		return 0;
	}
}

static double identity_double(enum hj_op op)
{
	switch (op) {
	case HJ_PROD:
		return 1;
	case HJ_MIN:
		return __builtin_inf();
	case HJ_MAX:
		return -__builtin_inf();
	default:
		return 0;
	}
}

static long combine_long(const struct hj_accum *a, long x, long y)
{
	if (a->combine)
		return a->combine(x, y);
	switch (a->op) {
	case HJ_PROD:
		return (long)((unsigned long)x * (unsigned long)y);
	case HJ_MIN:
		return x < y ? x : y;
	case HJ_MAX:
		return x > y ? x : y;
	default:
		return (long)((unsigned long)x + (unsigned long)y);
	}
}

static double combine_double(enum hj_op op, double x, double y)
{
	switch (op) {
	case HJ_PROD:
		return x * y;
	case HJ_MIN:
		return x < y ? x : y;
	case HJ_MAX:
		return x > y ? x : y;
	default:
		return x + y;
	}
}

void hd_accums_settle(struct hd_finish *fin)
{
	HD_CALL;
	for (struct hj_accum *a = fin->accums, *next; a; a = next) {
		next = a->next;
		a->made = a->now;
		a->fin = NULL;
		a->next = NULL;
	}
	fin->accums = NULL;
}

static struct hj_accum *new_accum(struct hd_task *me)
{
	HD_CALL;
	struct hj_accum *a = hd_carrier_alloc(sizeof(*a));

	if (me) {
		a->fin = me->top;
		a->next = a->fin->accums;
		a->fin->accums = a;
	}
	return a;
}

HD_EXPORT hj_accum_t *hj_accum_new(enum hj_op op)
{
	struct hj_accum *a = new_accum(hd_task_enter(HD_CALLER, "hj_accum_new"));

	a->op = op;
	a->now.l = a->made.l = identity_long(op);
	return a;
}

HD_EXPORT hj_accum_t *hj_accum_new_double(enum hj_op op)
{
	struct hj_accum *a = new_accum(hd_task_enter(HD_CALLER, "hj_accum_new_double"));

	a->op = op;
	a->is_double = true;
	a->now.d = a->made.d = identity_double(op);
	return a;
}

HD_EXPORT hj_accum_t *hj_accum_new_fn(long (*combine)(long a, long b), long identity)
{
	struct hj_accum *a = new_accum(hd_task_enter(HD_CALLER, "hj_accum_new_fn"));

	a->combine = combine;
	a->now.l = a->made.l = identity;
	return a;
}

/* Is the task in the finish that the accumulator belongs to? */
static bool may_put(struct hd_task *me, struct hj_accum *a, bool is_double)
{
	const struct hd_finish *fin = me->top;

	if (a->is_double != is_double) {
		hd_carrier_misuse((uintptr_t)a,
				  "an accumulator of %s is put the other kind of number",
				  a->is_double ? "double" : "long");
		return false;
	}
	if (!a->fin) {
		hd_carrier_misuse((uintptr_t)a,
				  "an accumulator is put after the end of its finish");
		return false;
	}
	while (fin && fin != a->fin)
		fin = fin->outer;
	if (!fin)
		hd_carrier_misuse((uintptr_t)a,
				  "an accumulator is put by a task outside of its finish");
	return fin != NULL;
}

/* Others may run; whole numbers that are added up (...) make the same in any order. */
static void point_before_put(const struct hj_accum *a)
{
	if (a->is_double || a->combine)
		hd_carrier_point();
	else
		hd_carrier_calm_point();
}

/* False: it may not. Without a task around, nobody asks. */
static bool begin_put(struct hd_task *me, struct hj_accum *a, bool is_double)
{
	if (!me)
		return true;
	point_before_put(a);
	return may_put(me, a, is_double);
}

static void has_changed(const struct hj_accum *a, long was)
{
	if (a->is_double || a->combine)
		hd_carrier_change((uintptr_t)a, (uint64_t)was, (uint64_t)a->now.l);
	else
		hd_carrier_sum((uintptr_t)a, (uint64_t)was, (uint64_t)a->now.l);
}

HD_EXPORT void hj_accum_put(hj_accum_t *a, long value)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_accum_put");
	long was;

	if (!begin_put(me, a, false))
		return;
	was = a->now.l;
	a->now.l = combine_long(a, a->now.l, value);
	if (me)
		has_changed(a, was);
}

HD_EXPORT void hj_accum_put_double(hj_accum_t *a, double value)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_accum_put_double");
	long was;

	if (!begin_put(me, a, true))
		return;
	was = a->now.l;
	a->now.d = combine_double(a->op, a->now.d, value);
	if (me)
		has_changed(a, was);
}

HD_EXPORT long hj_accum_get(hj_accum_t *a)
{
	hd_carrier_enter(HD_CALLER);
	return a->is_double ? (long)a->made.d : a->made.l;
}

HD_EXPORT double hj_accum_get_double(hj_accum_t *a)
{
	hd_carrier_enter(HD_CALLER);
	return a->is_double ? a->made.d : (double)a->made.l;
}

HD_EXPORT void hj_accum_free(hj_accum_t *a)
{
	HD_CALL;
	struct hj_accum **p;

	if (!a)
		return;
	hd_carrier_enter(HD_CALLER);
	if (a->fin) {
		for (p = &a->fin->accums; *p != a; p = &(*p)->next)
			;
		*p = a->next;
	}
	hd_carrier_free(a, sizeof(*a));
}
