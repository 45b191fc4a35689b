/*
 * Actors: a task that takes messages out of its mailbox, one at a time, until it exits.
 */
#include "common/hash.h"
#include "task.h"

/* Also the object in the trace by which sending is before receiving. */
struct message {
	struct message *next;
	void *value;
};

struct hj_actor {
	hj_actor_fn *process;
	void *state;
	struct message *first, **last;
	bool started, leaving, gone, paused, resumed;
	uint64_t past;		  /* what became of it so far, as a number */
	struct hd_finish *finish; /* that waits for it */
};

/* A message that is handled. */
struct handling {
	struct hj_actor *actor;
	void *message;
};

/* Somebody did something to the actor that others must come before or after. */
static void change(struct hj_actor *a, uint64_t what)
{
	uint64_t was = a->past;

	a->past = hd_hash_next(was, what) + 1;
	hd_carrier_change((uintptr_t)a, was, a->past);
}

static void drop_messages(struct hj_actor *a)
{
	while (a->first) {
		struct message *m = a->first;

		a->first = m->next;
		hd_carrier_free(m, sizeof(*m));
	}
	a->last = &a->first;
}

static void handle(void *arg)
{
	struct handling *h = arg;

	h->actor->process(h->actor, h->message, h->actor->state);
}

/* An exception ends the actor, as an exit does. */
static void process_one(struct hj_actor *a)
{
	struct message *m = a->first;
	struct handling h = { .actor = a, .message = m->value };
	bool threw;

	a->first = m->next;
	if (!a->first)
		a->last = &a->first;
	if (a->resumed)
		hd_carrier_event(HD_OP_HB_ACQUIRE, (uintptr_t)a, 0, 0);
	a->resumed = false;
	hd_carrier_event(HD_OP_HB_ACQUIRE, (uintptr_t)m, 0, 0);
	hd_carrier_free(m, sizeof(*m));
	HD_OUTSIDE(threw = hd_call_catching(handle, &h, a->finish));
	a->leaving |= threw;
}

static void actor_main(void *arg)
{
	HD_CALL;
	struct hj_actor *a = arg;

	while (!a->leaving) {
		hd_carrier_calm_point();
		if (a->leaving)
			break;
		if (a->first && !a->paused)
			process_one(a);
		else
			hd_carrier_block(HD_TS_MAILBOX, (uintptr_t)a);
	}
	a->gone = true;
	drop_messages(a);
	hd_carrier_progress();
}

static void look_again(struct hj_actor *a)
{
	hd_carrier_progress();
	hd_carrier_wake_all(HD_TS_MAILBOX, (uintptr_t)a);
}

HD_EXPORT hj_actor_t *hj_actor_new(hj_actor_fn *process, void *state)
{
	struct hj_actor *a;

	hd_carrier_enter(HD_CALLER);
	a = hd_task_object(sizeof(*a));
	a->process = process;
	a->state = state;
	a->last = &a->first;
	return a;
}

HD_EXPORT void hj_actor_start(hj_actor_t *a)
{
	HD_CALL;
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_actor_start"), *t;

	if (!me)
		return;
	if (a->started) {
		hd_carrier_misuse((uintptr_t)a, "an actor is started a second time");
		return;
	}
	a->started = true;
	t = hd_task_new(me);
	t->fn = actor_main;
	t->arg = a;
	a->finish = t->ief;
	hd_task_go(t);
}

HD_EXPORT bool hj_actor_send(hj_actor_t *a, void *value)
{
	HD_CALL;
	struct message *m;

	if (!hd_carrier_enter(HD_CALLER)) { /* nobody else will */
		HD_OUTSIDE(a->process(a, value, a->state));
		return true;
	}
	hd_carrier_point();
	if (a->gone || a->leaving) {
		hd_carrier_change((uintptr_t)a, a->past, a->past);
		return false;
	}
	m = hd_task_object(sizeof(*m));
	m->value = value;
	*a->last = m;
	a->last = &m->next;
	hd_carrier_event(HD_OP_HB_RELEASE, (uintptr_t)m, 0, 0);
	change(a, (uint64_t)(uintptr_t)value);
	look_again(a);
	return true;
}

HD_EXPORT void hj_actor_exit(hj_actor_t *a)
{
	HD_CALL;
	if (!hd_task_enter(HD_CALLER, "hj_actor_exit"))
		return;
	hd_carrier_point();
	if (!a->started || a->leaving) {
		hd_carrier_misuse((uintptr_t)a,
				  a->started ? "hj_actor_exit of an actor that has exited"
					     : "hj_actor_exit of an actor that was not started");
		return;
	}
	a->leaving = true;
	change(a, 1);
	look_again(a);
}

HD_EXPORT void hj_actor_pause(hj_actor_t *a)
{
	HD_CALL;
	if (!hd_task_enter(HD_CALLER, "hj_actor_pause"))
		return;
	hd_carrier_point();
	a->paused = true;
	change(a, 2);
}

HD_EXPORT void hj_actor_resume(hj_actor_t *a)
{
	HD_CALL;
	if (!hd_task_enter(HD_CALLER, "hj_actor_resume"))
		return;
	hd_carrier_point();
	a->paused = false;
	a->resumed = true;
	change(a, 3);
	hd_carrier_event(HD_OP_HB_RELEASE, (uintptr_t)a, 0, 0);
	look_again(a);
}

HD_EXPORT void hj_actor_free(hj_actor_t *a)
{
	HD_CALL;
	if (!a)
		return;
	if (hd_carrier_enter(HD_CALLER)) {
		hd_carrier_point();
		hd_carrier_peek((uintptr_t)a);
		if (a->started && !a->gone) {
			hd_carrier_misuse((uintptr_t)a, "an actor is freed before its exit");
			return;
		}
	}
	drop_messages(a);
	hd_carrier_free(a, sizeof(*a));
}
