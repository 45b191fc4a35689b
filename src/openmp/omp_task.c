/*
 * Explicit tasks: from their making to their end.
 */
#include "omp_iteration.h"

#include "runtime/explore/explore.h"
#include "runtime/observe/findings.h"
#include "runtime/sched/policy.h"

/* So many that have not begun are enough: then their maker waits for the newest to begin. */
#define READY_MAX 128u

struct omp_event {
	struct omp_task *task; /* NULL: it is over */
	bool fulfilled;
};

bool hd_omp_is_cancelled(const struct omp_task *t)
{
	hd_omp_look_cancelled(t);
	for (const struct omp_group *g = t->home; g; g = g->outer) {
		if (g->cancelled)
			return true;
	}
	return t->team->cancelled;
}

/* ---- on which thread -------------------------------------------------------------- */

/* About to run for the first time: on one of the threads that may take it. */
static void find_thread(struct fiber *f)
{
	struct omp_task *t = f->omp;
	struct omp_team *team = t->team;
	struct omp_thread *th = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < team->n; i++)
		n += hd_omp_may_take(&team->threads[i], t);
	n = n ? f->id % n : 0;
	for (unsigned i = 0; i < team->n; i++) {
		if (hd_omp_may_take(&team->threads[i], t) && !n--) {
			th = &team->threads[i];
			break;
		}
	}
	hd_omp_unready(t);
	t->began = true;
	t->thread = th;
	t->under = th->top;
	th->top = t;
	if (hd_rt.opt.carriers == HD_CARRIERS_FIBERS) /* a kernel thread's pointer cannot be lent */
		hd_omp_lend(th, f);
	hd_omp_depend_take(t);
	hd_omp_busy(th);
	if (t->parent->awaited == t)
		hd_omp_poke(t->parent);
}

/* What belongs to the thread is its task's while one runs. */
static void take_thread(struct omp_task *t)
{
	struct fiber *f = t->fiber, *under = t->under->fiber;

	f->tsd = under->tsd;
	f->end.tls_dtors = under->end.tls_dtors;
}

static void leave_thread(struct omp_task *t)
{
	struct fiber *f = t->fiber, *under = t->under->fiber;

	hd_omp_thread_left(t);
	under->tsd = f->tsd;
	under->end.tls_dtors = f->end.tls_dtors;
	f->tsd = (struct hd_fiber_tsd){ 0 };
	f->end.tls_dtors = NULL;
	t->thread->top = t->under;
	t->under = NULL;
	hd_omp_unidle(t->thread);
}

/* ---- the end ------------------------------------------------------------------------- */

static struct omp_joins *joins_outside(struct omp_task *t)
{
	return t->home ? &t->home->joins : &t->team->joins;
}

/* Tasks that it made and did not wait for are joined by whoever waits for all of them. */
static void leave_family(struct omp_task *t, uint32_t id)
{
	struct omp_task *parent = t->parent;
	struct omp_group *g = t->home;

	hd_omp_joins_move(&t->joins, joins_outside(t));
	hd_omp_note_ended(parent->fiber ? &parent->joins : joins_outside(t), id, g);
	parent->loose_child |= t->loose;
	parent->children--;
	hd_omp_poke(parent);
	if (g) {
		g->pending--;
		hd_omp_poke(g->owner);
	}
	t->team->tasks--;
	hd_omp_barrier_look(t->team);
}

static void task_ended(struct fiber *f)
{
	struct omp_task *t = f->omp;

	if (t->under)
		leave_thread(t);
	hd_omp_close_finish(t, false);
	hd_omp_depend_end(t);
	hd_rt_event(HD_OP_PHASER_SIGNAL, (uintptr_t)t->team, t->team->phase, HD_TEAM_TASK);
	/* Which task ends first matters if others wait for a thread. */
	if (t->team->nready)
		hd_rt_explore_turn((uintptr_t)t->team, false);
	else
		hd_rt_explore_come((uintptr_t)t->team);
	hd_rt_event(HD_OP_TASK_END, 0, f->id, 0);
	if (t->block)
		hd_omp_args_free(t->block, t->block_size);
	t->fiber = NULL;
	f->omp = NULL;
	leave_family(t, f->id);
	hd_omp_unref(t);
}

static void wait_for_event(struct omp_task *t)
{
	struct omp_event *e = t->detach;

	/* Its thread is free for others; what is left of it only waits. */
	if (!e->fulfilled)
		leave_thread(t);
	while (!e->fulfilled)
		hd_rt_block(HD_TS_EVENT, (uintptr_t)e, HD_NEVER);
	hd_rt_event(HD_OP_FUTURE_GET, (uintptr_t)e, 0, 0);
	e->task = NULL;
}

static void *task_main(void *arg)
{
	struct omp_task *t = arg;

	take_thread(t);
	hd_rt_explore_turn((uintptr_t)t->team, t->held);
	hd_rt_event(HD_OP_TASK_BEGIN, 0, t->fiber->id, 0);
	hd_omp_thread_shared(t);
	hd_omp_tell(t, t->own);
	hd_omp_depend_begin(t);
	if (!hd_omp_is_cancelled(t)) {
		t->fn(t->arg);
		if (t->detach)
			wait_for_event(t);
	}
	if (t->under)
		leave_thread(t);
	return NULL;
}

/* ---- making them ---------------------------------------------------------------------- */

static char *align_up(char *p, long align)
{
	uintptr_t mask = (uintptr_t)(align > 1 ? align : 1) - 1;

	return (char *)(((uintptr_t)p + mask) & ~mask);
}

static void fill_args(char *to, const struct omp_new_task *what, void (*prepare)(void *, void *),
		      void *arg)
{
	if (what->copy)
		what->copy(to, what->data);
	else
		hd_rt_copy(to, what->data, (size_t)what->size);
	if (prepare)
		prepare(to, arg);
}

/* An event handle is known to the program before the task runs: it is part of the arguments. */
static struct omp_event *new_event(struct omp_task *t, const struct omp_new_task *what)
{
	struct omp_event *e;

	if (!(what->flags & OMP_TASK_DETACH))
		return NULL;
	e = hd_omp_object(sizeof(*e));
	e->task = t;
	*(void **)what->detach = e;
	if (what->data)
		*(void **)what->data = e;
	return e;
}

/* At once, by the same fiber: an undeferred or included task. */
static void run_included(struct omp_task *me, const struct omp_new_task *what,
			 void (*prepare)(void *, void *), void *arg)
{
	struct omp_task *t = hd_omp_new_task(me, OMP_INCLUDED);
	char *room = __builtin_alloca((size_t)(what->size + what->align + 1));
	char *args = align_up(room, what->align);
	struct fiber *f = me->fiber;

	if (what->flags & OMP_TASK_DEPEND)
		hd_omp_depend_wait(me, what->depend);
	t->fiber = f;
	t->thread = me->thread;
	t->team = me->team;
	t->group = t->home = me->group;
	t->final = me->final || (what->flags & OMP_TASK_FINAL);
	t->began = true;
	t->detach = new_event(t, what);
	t->own = me->own; /* part of the task around */
	t->told = me->told;
	fill_args(args, what, prepare, arg);
	f->omp = t;
	if (me->thread->top == me)
		me->thread->top = t;
	what->fn(args);
	if (t->detach) {
		while (!t->detach->fulfilled)
			hd_rt_block(HD_TS_EVENT, (uintptr_t)t->detach, HD_NEVER);
		hd_rt_event(HD_OP_FUTURE_GET, (uintptr_t)t->detach, 0, 0);
	}
	if (me->thread->top == t)
		me->thread->top = me;
	hd_omp_close_finish(t, false);
	me->loose_child |= t->loose;
	hd_omp_joins_move(&t->joins, joins_outside(t));
	f->omp = me;
	t->fiber = NULL;
	hd_omp_unref(t);
}

static bool has_begun(struct omp_task *t)
{
	return t->awaited->began;
}

static void defer(struct omp_task *me, const struct omp_new_task *what,
		  void (*prepare)(void *, void *), void *arg)
{
	struct omp_task *t = hd_omp_new_task(me, OMP_EXPLICIT);
	struct fiber *f;

	t->team = me->team;
	t->group = t->home = me->group;
	t->final = what->flags & OMP_TASK_FINAL;
	t->untied = what->flags & OMP_TASK_UNTIED;
	t->priority = what->priority;
	t->fn = what->fn;
	t->own = (struct omp_told){ .construct = what->construct ? what->construct : HD_IN_TASK,
				    .place = hd_omp_place_of(what->fn),
				    .part = HD_OMP_NO_PART };
	t->detach = new_event(t, what);
	t->block_size = (size_t)(what->size + what->align + 1);
	t->block = hd_omp_args(t->block_size);
	t->arg = align_up(t->block, what->align);
	fill_args(t->arg, what, prepare, arg);
	hd_omp_thread_shared(me);
	hd_omp_open_finish(me);
	me->children++;
	if (t->home)
		t->home->pending++;
	t->team->tasks++;
	f = hd_rt_light_new(task_main, t, task_ended);
	f->light.embodied = find_thread;
	f->omp = t;
	t->fiber = f;
	hd_rt_event(HD_OP_TASK_SPAWN, 0, f->id, 0);
	if (what->flags & OMP_TASK_DEPEND)
		hd_omp_depend(t, what->depend);
	if (!t->unmet)
		hd_omp_make_ready(t);
	if (t->team->nready < READY_MAX || t->unmet)
		return;
	t->refs++;
	me->awaited = t;
	hd_omp_wait(me, has_begun, false);
	me->awaited = NULL;
	hd_omp_unref(t);
}

void hd_omp_task(struct omp_task *me, const struct omp_new_task *what,
		 void (*prepare)(void *args, void *arg), void *arg)
{
	hd_rt_point();
	hd_omp_look_cancelled(me);
	if (me->team->cancelled || (me->group && me->group->cancelled))
		return;
	if (!what->if_clause || me->final || !me->team->level)
		run_included(me, what, prepare, arg);
	else
		defer(me, what, prepare, arg);
}

/* ---- the interface ---------------------------------------------------------------------- */

void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align,
	       bool if_clause, unsigned flags, void **depend, int priority, void *detach);
void GOMP_taskyield(void);
void omp_fulfill_event(uintptr_t event);

HD_EXPORT void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size,
			 long align, bool if_clause, unsigned flags, void **depend, int priority,
			 void *detach)
{
	const struct omp_new_task what = {
		.fn = fn,
		.data = data,
		.copy = copy,
		.size = size,
		.align = align,
		.if_clause = if_clause,
		.flags = flags,
		.depend = depend,
		.priority = flags & OMP_TASK_PRIORITY ? priority : 0,
		.detach = detach,
	};
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me) {
		hd_omp_task(me, &what, NULL, NULL);
	} else {
		char *room = __builtin_alloca((size_t)(size + align + 1)),
		     *args = align_up(room, align);

		fill_args(args, &what, NULL, NULL);
		fn(args);
	}
}

/* Not to be waited for: the thread may take a task if there is one for it. */
static bool any_time(struct omp_task *t)
{
	return t->awaited->began;
}

HD_EXPORT void GOMP_taskyield(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (!me)
		return;
	hd_rt_yield();
	/* The oldest ready one below, if the policy likes it: it runs to its end first. */
	for (struct omp_task *t = me->team->ready; t; t = t->next_ready) {
		struct fiber *either[] = { hd_rt.cur, t->fiber };

		if (t->parent != me || !hd_omp_depend_free(t))
			continue;
		if (hd_rt_choose(HD_PICK_RUN, either, 2) == hd_rt.cur) {
			hd_rt_explore_turn((uintptr_t)me->team, false);
			return;
		}
		t->refs++;
		me->awaited = t;
		hd_omp_wait(me, any_time, false);
		me->awaited = NULL;
		hd_omp_unref(t);
		return;
	}
}

HD_EXPORT void omp_fulfill_event(uintptr_t event)
{
	struct omp_event *e = (struct omp_event *)event;
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me) {
		hd_rt_point();
		if (e->fulfilled)
			hd_rt_misuse(0, "omp_fulfill_event of an event that is fulfilled already");
		hd_rt_event(HD_OP_FUTURE_PUT, (uintptr_t)e, 0, 0);
		hd_rt_progress();
	}
	e->fulfilled = true;
	if (me)
		hd_rt_wake_all(HD_TS_EVENT, (uintptr_t)e);
}
