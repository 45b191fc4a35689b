/*
 * Finishes on workers. The count of pending tasks has one more for the owner, until it
 * waits: whoever brings it to nothing wakes the owner.
 */
#include "worker.h"

/* Tasks that have ended, kept where the run is checked: for a finish that was ended without waiting. */
struct ended {
	struct ended *next;
	uint32_t id;
};

void hd_finish_task_ended(struct hd_finish *fin, struct hd_task *t)
{
	if (hd_par_checked()) {
		struct ended *e = hd_par_alloc(sizeof(*e));

		e->id = t->strand->id;
		e->next = __atomic_load_n((struct ended **)&fin->ended, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n((struct ended **)&fin->ended, &e->next, e, true,
						    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
	}
	if (__atomic_sub_fetch(&fin->pending, 1, __ATOMIC_ACQ_REL) == 0)
		hd_par_resume(fin->waiter);
}

void hd_finish_discard(struct hd_finish *fin)
{
	struct ended *e = (struct ended *)(void *)fin->ended;

	while (e) {
		struct ended *next = e->next;

		hd_par_free(e, sizeof(*e));
		e = next;
	}
	hd_par_free(fin, sizeof(*fin));
}

static bool is_in(const struct hd_task *t, const struct hd_finish *fin)
{
	const struct hd_finish *f = t->ief;

	while (f && f != fin)
		f = f->outer;
	return f != NULL;
}

/*
 * Run tasks of @fin that lie at hand. Only these: until they have ended this task cannot go on
 * anyway, whereas another one, on top of it, might wait for what this one does next.
 */
static void help(struct hd_worker *w, struct hd_finish *fin)
{
	while (__atomic_load_n(&fin->pending, __ATOMIC_RELAXED) > 1 && hd_par_stack_left(w)) {
		struct hd_task *t = hd_deque_take(&w->deque);

		if (!t)
			return;
		if (!is_in(t, fin)) {
			hd_deque_put(&w->deque, t);
			return;
		}
		hd_par_run(w, t);
	}
}

static bool leave(void *arg)
{
	struct hd_finish *fin = arg;

	return __atomic_sub_fetch(&fin->pending, 1, __ATOMIC_ACQ_REL) != 0;
}

static void note(struct hd_par_strand *f, bool waits)
{
	if (hd_par_checked()) {
		HD_CALL;

		hd_par_note_waiting(f, waits);
	}
}

void hd_finish_wait(struct hd_finish *fin)
{
	struct hd_worker *w = hd_par_self;

	help(w, fin);
	if (__atomic_load_n(&fin->pending, __ATOMIC_ACQUIRE) > 1) {
		fin->waiter = w->current;
		w->current->wait_why = HD_TS_FINISH;
		w->current->wait_addr = (uintptr_t)fin;
		note(w->current, true);
		hd_par_suspend(leave, fin);
		note(w->current, false);
	}
	if (!fin->owner) { /* nobody waited at its end: who gets the future is after these */
		for (struct ended *e = (struct ended *)(void *)fin->ended; e; e = e->next)
			hd_carrier_event(HD_OP_JOIN, 0, e->id, 0);
	}
	if (fin->accums)
		hd_accums_settle(fin);
}
