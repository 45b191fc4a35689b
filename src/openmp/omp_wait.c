/*
 * Where a task stands still and its thread may take another: taskwait, taskgroup, barriers. Which
 * tasks may begin where.
 *
 * A thread is idle while its topmost task waits. A task that is ready may begin if some idle thread
 * of its team may take it: one at a barrier takes any, one whose task waits elsewhere takes only
 * tasks below that one (the specification's constraint on tied tasks; untied ones are kept to
 * it, too). Ready tasks are runnable exactly while that is so; which of them begins is the policy's
 * choice. The thread is found when it does (omp_task.c).
 */
#include "omp_iteration.h"

#include "runtime/explore/explore.h"

/* ---- who may begin ---------------------------------------------------------------- */

static bool is_below(const struct omp_task *t, const struct omp_task *top)
{
	while (t->depth > top->depth + 1)
		t = t->parent;
	return t->parent == top;
}

bool hd_omp_may_take(const struct omp_thread *th, const struct omp_task *t)
{
	return th->idle && (th->top->in_barrier || is_below(t, th->top)) && hd_omp_depend_free(t);
}

static bool may_begin(const struct omp_team *team, const struct omp_task *t)
{
	for (unsigned i = 0; team->idle && i < team->n; i++) {
		if (hd_omp_may_take(&team->threads[i], t))
			return true;
	}
	return false;
}

void hd_omp_offer(struct omp_team *team)
{
	for (struct omp_task *t = team->ready; t; t = t->next_ready) {
		if (may_begin(team, t)) {
			hd_rt_add_runnable(t->fiber);
		} else {
			hd_rt_hold(t->fiber);
			t->held = true;
		}
	}
}

/* @th has become idle: what nobody could begin, it may. */
static void offer_to(const struct omp_thread *th)
{
	for (struct omp_task *t = th->team->ready; t; t = t->next_ready) {
		if (t->fiber->run_index < 0 && hd_omp_may_take(th, t))
			hd_rt_add_runnable(t->fiber);
	}
}

/* Somebody has stopped being idle. */
static void withdraw(const struct omp_team *team)
{
	for (struct omp_task *t = team->ready; t; t = t->next_ready) {
		if (t->fiber->run_index >= 0 && !may_begin(team, t)) {
			hd_rt_hold(t->fiber);
			t->held = true;
		}
	}
}

/* Those of higher priority first: only the order of candidates, the policy is free. */
void hd_omp_make_ready(struct omp_task *t)
{
	struct omp_team *team = t->team;

	t->next_ready = NULL;
	t->prev_ready = team->ready_tail;
	*team->ready_tail = t;
	team->ready_tail = &t->next_ready;
	team->nready++;
	hd_rt_light_on_call(t->fiber);
	hd_rt_progress();
	if (may_begin(team, t))
		hd_rt_add_runnable(t->fiber);
	else
		t->held = true;
}

void hd_omp_unready(struct omp_task *t)
{
	struct omp_team *team = t->team;

	*t->prev_ready = t->next_ready;
	if (t->next_ready)
		t->next_ready->prev_ready = t->prev_ready;
	else
		team->ready_tail = t->prev_ready;
	team->nready--;
}

static void set_idle(struct omp_thread *th, bool idle)
{
	if (th->idle == idle)
		return;
	th->idle = idle;
	th->team->idle += idle ? 1u : -1u;
	if (idle && th->top->fiber == hd_rt.cur)
		hd_rt_explore_come((uintptr_t)th->team);
	if (idle)
		offer_to(th);
	else
		withdraw(th->team);
}

void hd_omp_busy(struct omp_thread *th)
{
	set_idle(th, false);
}

void hd_omp_unidle(struct omp_thread *th)
{
	struct omp_task *t = th->top;

	if (!t->waits)
		return;
	if (t->done(t))
		hd_omp_poke(t);
	else
		set_idle(th, true);
}

/* ---- standing still ----------------------------------------------------------------- */

void hd_omp_poke(struct omp_task *t)
{
	if (!t->waits || t->thread->top != t || !t->done(t))
		return;
	set_idle(t->thread, false);
	if (t->fiber != hd_rt.cur)
		hd_rt_wake(t->fiber, HD_WOKEN);
}

void hd_omp_wait(struct omp_task *me, bool (*done)(struct omp_task *t), bool barrier)
{
	struct omp_thread *th = me->thread;

	if (done(me))
		return;
	me->done = done;
	me->waits = true;
	hd_omp_thread_release(me);
	while (!done(me) || th->top != me) {
		if (th->top == me)
			set_idle(th, true);
		me->fiber->wait.told = true;
		hd_rt_block(barrier ? HD_TS_TEAM : HD_TS_TASKS,
			    barrier ? (uintptr_t)me->team : (uintptr_t)me, HD_NEVER);
		me->fiber->wait.told = false;
	}
	me->waits = false;
	set_idle(th, false);
	hd_omp_thread_acquire(me);
}

/* ---- joins ----------------------------------------------------------------------------- */

void hd_omp_note_ended(struct omp_joins *j, uint32_t id, struct omp_group *group)
{
	HD_RT_ROOM(j->at, j->cap, j->n, 4);
	j->at[j->n++] = (struct omp_ended){ .id = id, .group = group };
}

void hd_omp_joins_move(struct omp_joins *from, struct omp_joins *to)
{
	for (uint32_t i = 0; i < from->n; i++)
		hd_omp_note_ended(to, from->at[i].id, from->at[i].group);
	from->n = 0;
}

void hd_omp_join_all(struct omp_joins *j, const struct omp_group *group, bool all)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < j->n; i++) {
		if (all || j->at[i].group == group)
			hd_rt_event_always(HD_OP_JOIN, 0, j->at[i].id, 0, 0);
		else
			j->at[left++] = j->at[i];
	}
	j->n = left;
}

/*
 * The trace knows tasks by finishes. A taskwait waits for children but not for theirs: it is the end of a
 * finish around the children if each of these has waited for its own. Such a finish is opened
 * before the first task that is made after a taskwait. If it turns out not to be one, it
 * is ended as a scope (arg 2) and the children are joined one by one.
 */
void hd_omp_open_finish(struct omp_task *me)
{
	if (me->finish)
		return;
	me->finish = hd_omp_number();
	me->finish_group = me->group;
	me->loose_child = false;
	hd_rt_event(HD_OP_FINISH_BEGIN, 0, me->finish, 0);
}

void hd_omp_close_finish(struct omp_task *me, bool waited)
{
	if (!me->finish)
		return;
	if (!waited)
		me->loose = true;
	hd_rt_event(HD_OP_FINISH_END, 0, me->finish, waited ? 0 : 2);
	me->finish = 0;
}

/* ---- taskwait ------------------------------------------------------------------------------ */

static bool no_children(struct omp_task *t)
{
	return !t->children;
}

void hd_omp_taskwait(struct omp_task *me)
{
	hd_rt_point_before(HD_TS_TASKS, (uintptr_t)me);
	hd_omp_wait(me, no_children, false);
	if (me->finish && me->finish_group == me->group) {
		bool loose = me->loose_child;

		if (loose)
			hd_omp_close_finish(me, false);
		hd_omp_join_all(&me->joins, NULL, true);
		hd_omp_close_finish(me, true);
	} else {
		hd_omp_join_all(&me->joins, NULL, true);
	}
}

void GOMP_taskwait(void);

HD_EXPORT void GOMP_taskwait(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me)
		hd_omp_taskwait(me);
}

/* ---- taskgroup ------------------------------------------------------------------------------- */

void hd_omp_group_begin(struct omp_task *me)
{
	struct omp_group *g = hd_rt_alloc(sizeof(*g));

	g->outer = me->group;
	g->owner = me;
	g->number = hd_omp_number();
	me->group = g;
	hd_rt_event(HD_OP_FINISH_BEGIN, 0, g->number, 0);
}

static bool group_is_empty(struct omp_task *t)
{
	return !t->group->pending;
}

void hd_omp_group_end(struct omp_task *me)
{
	struct omp_group *g = me->group;

	if (!g || g->owner != me)
		return;
	hd_rt_point_before(HD_TS_TASKS, (uintptr_t)me);
	hd_omp_wait(me, group_is_empty, false);
	hd_omp_join_all(&me->joins, g, false);
	hd_omp_join_all(&g->joins, NULL, true);
	if (me->finish && me->finish_group == g) {
		/* A finish inside, of tasks that have all ended with those below them. */
		hd_rt_event(HD_OP_FINISH_END, 0, me->finish, 0);
		me->finish = 0;
	}
	hd_rt_event(HD_OP_FINISH_END, 0, g->number, 0);
	me->group = g->outer;
	hd_rt_free(g->joins.at, g->joins.cap * sizeof(*g->joins.at));
	hd_rt_free(g, sizeof(*g));
}

void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);

HD_EXPORT void GOMP_taskgroup_start(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me)
		hd_omp_group_begin(me);
}

HD_EXPORT void GOMP_taskgroup_end(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me)
		hd_omp_group_end(me);
}
