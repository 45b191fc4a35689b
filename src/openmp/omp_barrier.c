/*
 * Barriers of a team: open when all its threads are there and all its explicit tasks have ended.
 */
#include "omp_iteration.h"

#include "runtime/explore/explore.h"

static bool is_open(struct omp_task *t)
{
	return !t->in_barrier;
}

void hd_omp_barrier_look(struct omp_team *team)
{
	if (team->arrived < team->n || team->tasks)
		return;
	hd_rt_explore_turn((uintptr_t)team, false);
	team->arrived = 0;
	team->phase++;
	team->work_cancelled = false;
	hd_rt_progress();
	for (unsigned i = 0; i < team->n; i++) {
		struct omp_task *t = team->threads[i].implicit;

		if (t && t->in_barrier) {
			t->in_barrier = false;
			hd_omp_poke(t);
		}
	}
}

static void leave(struct omp_task *me, uint64_t phase)
{
	struct omp_team *team = me->team;

	hd_omp_join_all(&me->joins, NULL, true);
	if (!me->thread->num)
		hd_omp_join_all(&team->joins, NULL, true);
	hd_rt_event(HD_OP_PHASER_WAIT, (uintptr_t)team, phase, HD_TEAM_BARRIER);
}

void hd_omp_barrier(struct omp_task *me, bool last)
{
	struct omp_team *team = me->team;
	uint64_t phase = team->phase;

	hd_rt_point_before(HD_TS_TEAM, (uintptr_t)team);
	hd_omp_scan_phase_over(me);
	hd_omp_close_finish(me, false);
	if (!team->level)
		return; /* alone, and tasks outside of regions do not wait */
	hd_rt_event(HD_OP_PHASER_SIGNAL, (uintptr_t)team, phase, HD_TEAM_BARRIER);
	hd_rt_explore_come((uintptr_t)team);
	hd_rt.soft_progress++;
	me->in_barrier = true;
	team->arrived++;
	hd_omp_barrier_look(team);
	hd_omp_wait(me, is_open, true);
	hd_omp_thread_left(me); /* its tasks have ended */
	if (!last)		/* else what comes after is joined by the master */
		leave(me, phase);
}

void hd_omp_barrier_cancellable(struct omp_task *me)
{
	struct omp_team *team = me->team;
	uint64_t phase = team->phase;

	hd_rt_point_before(HD_TS_TEAM, (uintptr_t)team);
	hd_omp_look_cancelled(me);
	if (team->cancelled || !team->level)
		return;
	hd_omp_close_finish(me, false);
	hd_rt_event(HD_OP_PHASER_SIGNAL, (uintptr_t)team, phase, HD_TEAM_BARRIER);
	hd_rt_explore_come((uintptr_t)team);
	hd_rt.soft_progress++;
	me->in_barrier = me->may_skip = true;
	team->arrived++;
	hd_omp_barrier_look(team);
	hd_omp_wait(me, is_open, true);
	hd_omp_thread_left(me); /* its tasks have ended */
	if (me->may_skip)	/* else it did not open, and all go to the end of the region */
		leave(me, phase);
	me->may_skip = false;
}

/* Those who wait at barriers that a cancelled region skips. */
void hd_omp_barrier_cancel_all(struct omp_team *team)
{
	for (unsigned i = 0; i < team->n; i++) {
		struct omp_task *t = team->threads[i].implicit;

		if (!t || !t->in_barrier || !t->may_skip)
			continue;
		t->in_barrier = t->may_skip = false;
		team->arrived--;
		hd_omp_poke(t);
	}
}

void GOMP_barrier(void);

HD_EXPORT void GOMP_barrier(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me)
		hd_omp_barrier(me, false);
}

HD_EXPORT bool GOMP_barrier_cancel(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (!me)
		return false;
	hd_omp_look_cancelled(me);
	if (!me->team->cancelled)
		hd_omp_barrier_cancellable(me);
	hd_omp_look_cancelled(me);
	return me->team->cancelled;
}
