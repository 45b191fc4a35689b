/*
 * Futures and promises: one object, two handles. Tasks that begin when futures have values.
 */
#include "task.h"

struct hj_future {
	void *value;
	bool there;
	bool by_task;	/* a task's result: nobody else may put it */
	uint32_t maker; /* the task that computes it; 0: a promise, or it is there */
	struct hd_task *first_awaiting;
};

struct hj_future *hd_future_new(struct hd_task *by)
{
	struct hj_future *f = hd_task_object(sizeof(*f));

	if (by) {
		f->by_task = true;
		f->maker = hd_strand_id(by->strand);
	}
	return f;
}

/* ---- awaiting ---------------------------------------------------------------- */

/* Queue @t at the next future that has no value; false: all have. */
static bool queue_next(struct hd_task *t)
{
	struct hj_future *f;

	while (t->iawait < t->nawait && t->await[t->iawait]->there)
		t->iawait++;
	if (t->iawait == t->nawait)
		return false;
	f = t->await[t->iawait];
	t->next_awaiting = f->first_awaiting;
	f->first_awaiting = t;
	hd_strand_awaits(t->strand, HD_TS_FUTURE, (uintptr_t)f); /* it is in no other queue */
	return true;
}

void hd_task_await(struct hd_task *t, struct hj_future *const *futures, size_t n)
{
	size_t there = 0;

	for (size_t i = 0; i < n; i++) /* a place in the list may be empty */
		there += futures[i] != NULL;
	if (!there)
		return;
	t->await = hd_carrier_alloc(there * sizeof(*t->await));
	for (size_t i = 0; i < n; i++) {
		if (futures[i])
			t->await[t->nawait++] = futures[i];
	}
}

bool hd_task_awaits(struct hd_task *t)
{
	HD_CALL;

	return t->nawait && queue_next(t);
}

void hd_task_awaited(struct hd_task *t)
{
	for (size_t i = 0; i < t->nawait; i++)
		hd_carrier_event(HD_OP_FUTURE_GET, (uintptr_t)t->await[i], 0, 0);
}

/* Oldest first: the list has the newest in front. */
static void release_awaiting(struct hd_task *t)
{
	struct hd_task *old = NULL;

	while (t) {
		struct hd_task *next = t->next_awaiting;

		t->next_awaiting = old;
		old = t;
		t = next;
	}
	while (old) {
		struct hd_task *next = old->next_awaiting;

		old->next_awaiting = NULL;
		if (!queue_next(old))
			hd_strand_ready(old->strand);
		old = next;
	}
}

/* ---- put and get --------------------------------------------------------------- */

void hd_future_put(struct hj_future *f, void *value)
{
	HD_CALL;
	struct hd_task *awaiting = f->first_awaiting;

	if (f->there)
		return;
	f->value = value;
	f->maker = 0;
	f->first_awaiting = NULL;
	if (hd_carrier_in_charge())
		hd_carrier_event(HD_OP_FUTURE_PUT, (uintptr_t)f, 0, 0);
	__atomic_store_n(&f->there, true, __ATOMIC_RELEASE);
	if (!hd_carrier_in_charge())
		return;
	hd_carrier_change((uintptr_t)f, 0, (uint64_t)(uintptr_t)value | 1ull << 63);
	hd_carrier_progress();
	hd_carrier_wake_all(HD_TS_FUTURE, (uintptr_t)f);
	release_awaiting(awaiting);
}

static bool is_there(const struct hj_future *f)
{
	return __atomic_load_n(&f->there, __ATOMIC_ACQUIRE);
}

static void wait_for(struct hj_future *f)
{
	HD_CALL;

	while (!f->there)
		hd_carrier_block(HD_TS_FUTURE, (uintptr_t)f);
}

HD_EXPORT void *hj_future_get(hj_future_t *f)
{
	hd_strand *me = hd_carrier_enter(HD_CALLER); /* a thread may wait as well as a task */

	if (!f) {
		if (me)
			hd_carrier_misuse(0, "hj_future_get of no future: it is NULL");
		return NULL;
	}
	if (!me) {
		HD_AWAIT_OUTSIDE(is_there(f));
		return f->value;
	}
	if (hd_strand_task(me))
		hd_task_may_block(hd_strand_task(me), "hj_future_get");
	hd_carrier_calm_point();
	if (f->maker == hd_strand_id(me)) {
		hd_carrier_misuse((uintptr_t)f, "a future's task waits for its own value");
		return NULL;
	}
	if (!is_there(f))
		hd_carrier_help(f);
	if (!is_there(f))
		wait_for(f);
	hd_carrier_event(HD_OP_FUTURE_GET, (uintptr_t)f, 0, 0);
	return f->value;
}

HD_EXPORT bool hj_future_ready(hj_future_t *f)
{
	hd_strand *me = hd_carrier_enter(HD_CALLER);

	if (!f) {
		if (me)
			hd_carrier_misuse(0, "hj_future_ready of no future: it is NULL");
		return true; /* nobody is to wait for it */
	}
	if (me) {
		hd_carrier_point();
		hd_carrier_peek((uintptr_t)f);
		if (!is_there(f))
			hd_carrier_spin();
	}
	return is_there(f);
}

HD_EXPORT void hj_future_free(hj_future_t *f)
{
	HD_CALL;
	if (!f)
		return;
	if (hd_carrier_enter(HD_CALLER)) {
		hd_carrier_point();
		hd_carrier_peek((uintptr_t)f);
		if (f->maker || f->first_awaiting || hd_carrier_has_waiters((uintptr_t)f)) {
			hd_carrier_misuse((uintptr_t)f,
					  f->maker ? "a future is freed before its task has ended"
						   : "a future is freed that tasks wait for");
			return;
		}
	}
	hd_carrier_free(f, sizeof(*f));
}

/* ---- tasks with a value -------------------------------------------------------- */

struct hd_task *hd_task_to_make(struct hd_task *me, hj_future_fn *fn, void *arg,
				struct hj_future **future)
{
	struct hd_task *t;

	if (!me) {
		*future = hd_future_new(NULL);
		hd_future_put(*future, fn(arg));
		return NULL;
	}
	t = hd_task_new(me);
	t->future_fn = fn;
	t->arg = arg;
	*future = t->result = hd_future_new(t);
	return t;
}

/* Of libraries with lists that may have empty places, hclib is one; this is not. */
static void await_all(struct hd_task *t, hj_future_t *const *futures, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!futures[i])
			hd_carrier_misuse(0, "a task awaits no future: number %zu is NULL", i);
	}
	hd_task_await(t, futures, n);
}

static hj_future_t *spawn_future(struct hd_task *me, hj_future_fn *fn, void *arg,
				 hj_future_t *const *futures, size_t n)
{
	struct hj_future *f;
	struct hd_task *t = hd_task_to_make(me, fn, arg, &f);

	if (t) {
		await_all(t, futures, n);
		hd_task_go(t);
	}
	return f;
}

HD_EXPORT hj_future_t *hj_async_future(hj_future_fn *fn, void *arg)
{
	return spawn_future(hd_task_enter(HD_CALLER, "hj_async_future"), fn, arg, NULL, 0);
}

HD_EXPORT hj_future_t *hj_async_future_await(hj_future_fn *fn, void *arg,
					     hj_future_t *const *futures, size_t n)
{
	return spawn_future(hd_task_enter(HD_CALLER, "hj_async_future_await"), fn, arg, futures, n);
}

HD_EXPORT void hj_async_await(hj_fn *fn, void *arg, hj_future_t *const *futures, size_t n)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_async_await");
	struct hd_task *t = hd_task_to_call(me, fn, arg);

	if (t) {
		await_all(t, futures, n);
		hd_task_go(t);
	}
}

/* ---- promises ------------------------------------------------------------------ */

HD_EXPORT hj_promise_t *hj_promise_new(void)
{
	hd_carrier_enter(HD_CALLER);
	return (hj_promise_t *)hd_future_new(NULL);
}

HD_EXPORT hj_future_t *hj_promise_future(hj_promise_t *p)
{
	return (hj_future_t *)p;
}

HD_EXPORT void hj_promise_put(hj_promise_t *p, void *value)
{
	HD_CALL;
	struct hj_future *f = (struct hj_future *)p;
	hd_strand *me = hd_carrier_enter(HD_CALLER);

	if (!f) {
		if (me)
			hd_carrier_misuse(0, "hj_promise_put to no promise: it is NULL");
		return;
	}
	if (me) {
		hd_carrier_calm_point();
		if (f->there || f->by_task) {
			hd_carrier_misuse((uintptr_t)f,
					  f->by_task ? "hj_promise_put to the future of a task"
						     : "a promise is put a second time");
			return;
		}
	}
	hd_future_put(f, value);
}

HD_EXPORT void hj_promise_free(hj_promise_t *p)
{
	hj_future_free((hj_future_t *)p);
}
