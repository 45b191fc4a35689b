/*
 * Leagues of teams on the host. The teams of a `teams` construct are threads of a region that nobody can
 * name: each is the initial thread of a team of its own. Inside `target` the compiler makes a
 * loop over the teams instead, which runs them one after the other.
 */
#include "omp_rt.h"

#include <limits.h>

#include "omp_iteration.h"
#include "omp_league.h"

/* Where the program does not say how many. */
#define DEFAULT_TEAMS 3u

struct league {
	void (*fn)(void *);
	void *data;
	unsigned thread_limit;
};

/* ---- a thread as if nothing was around it ------------------------------------------------------- */

void hd_omp_alone(struct omp_task *me, enum hd_construct construct, void (*fn)(void *), void *data,
		  unsigned team_num, unsigned nteams, unsigned thread_limit)
{
	struct fiber *f = me->fiber;
	struct omp_thread *outer = me->thread, *th = hd_rt_alloc(sizeof(*th));
	struct omp_team *team = hd_rt_alloc(sizeof(*team));
	struct omp_task *t = hd_omp_new_task(me, OMP_IMPLICIT);
	uintptr_t low, high;

	*th = (struct omp_thread){ .team = team,
				   .implicit = t,
				   .top = t,
				   .fs = f->fs,
				   .pool = hd_omp_pool_alone(outer->pool) };
	team->n = 1;
	team->outer = me->team;
	team->master = outer;
	team->threads = th;
	team->ready_tail = &team->ready;
	team->team_num = team_num;
	team->nteams = nteams;
	hd_omp_implicit(t, th, f);
	t->own = (struct omp_told){ .construct = (uint16_t)construct,
				    .place = hd_omp_place_of(fn),
				    .part = team_num };
	if (thread_limit) {
		t->icv.thread_limit = thread_limit;
		if (t->icv.nthreads > thread_limit)
			t->icv.nthreads = thread_limit;
	}
	f->omp = t;
	hd_omp_watch();
	high = (uintptr_t)__builtin_frame_address(0);
	low = f->stack.low && f->stack.low < high ? f->stack.low : high - (8u << 20);
	hd_rt_event(HD_OP_OWN, low, high - low,
		    1); /* teams that run one after the other use it in turn */
	hd_omp_tell(t, t->own);
	fn(data);
	hd_rt_event(HD_OP_OWN, low, high - low, 0);
	f->omp = me;
	hd_omp_tell_again(me);
	hd_omp_close_finish(t, false);
	hd_omp_joins_move(&t->joins, me->group ? &me->group->joins : &me->team->joins);
	hd_omp_joins_move(&team->joins, me->group ? &me->group->joins : &me->team->joins);
	hd_omp_works_free(team);
	hd_rt_free(team->joins.at, team->joins.cap * sizeof(*team->joins.at));
	t->fiber = NULL;
	hd_omp_unref(t);
	hd_rt_free(th, sizeof(*th));
	hd_rt_free(team, sizeof(*team));
}

static void one_team(void *arg)
{
	const struct league *l = arg;
	struct omp_task *me = hd_rt.cur->omp;

	hd_omp_alone(me, HD_IN_TEAMS, l->fn, l->data, me->thread->num, me->team->n,
		     l->thread_limit);
}

static unsigned how_many(const struct omp_task *me, unsigned asked)
{
	if (asked)
		return asked;
	return me->icv.nteams > 0 ? (unsigned)me->icv.nteams : DEFAULT_TEAMS;
}

void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned nteams, unsigned thread_limit,
		    unsigned flags);

HD_EXPORT void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned nteams,
			      unsigned thread_limit, unsigned flags)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	struct league l = { .fn = fn, .data = data, .thread_limit = thread_limit };
	struct fiber *f;
	int active;

	if (!me) {
		fn(data);
		return;
	}
	if (!l.thread_limit && me->icv.teams_thread_limit > 0)
		l.thread_limit = (unsigned)me->icv.teams_thread_limit;
	f = me->fiber;
	active = me->icv.max_active;
	me->icv.max_active = INT_MAX; /* a league is no level */
	hd_omp_fork(me, one_team, &l, how_many(me, nteams) | (nteams ? OMP_EXACTLY : 0),
		    HD_IN_TEAMS, NULL, NULL);
	me->icv.max_active = active;
	for (unsigned i = 0; i < ((struct omp_task *)f->omp)->team->n; i++) {
		struct omp_icv *icv = &((struct omp_task *)f->omp)->team->threads[i].implicit->icv;

		icv->max_active = active;
		icv->nthreads = me->icv.nthreads;
		icv->threads_set = me->icv.threads_set;
	}
	one_team(&l);
	hd_omp_join(f->omp);
}

/* ---- inside target --------------------------------------------------------------------------------- */

bool GOMP_teams4(unsigned low, unsigned high, unsigned thread_limit, bool first);
void GOMP_teams(unsigned nteams, unsigned thread_limit);

/* Once before each team: is there one more? */
HD_EXPORT bool GOMP_teams4(unsigned low, unsigned high, unsigned thread_limit, bool first)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	struct omp_team *team;

	if (!me)
		return first;
	team = me->team;
	hd_rt_point();
	if (first) {
		team->team_num = 0;
		team->nteams = how_many(me, high ? high : low);
		if (thread_limit) {
			me->icv.thread_limit = thread_limit;
			if (me->icv.nthreads > thread_limit)
				me->icv.nthreads = thread_limit;
		}
	} else {
		hd_omp_unit_end(me);
		if (++team->team_num >= team->nteams) {
			team->team_num = 0;
			hd_omp_units_over(me);
			hd_omp_tell(me, me->own);
			return false;
		}
	}
	if (first)
		hd_omp_tell_part(me, HD_IN_TEAMS, me->fiber->pc, HD_OMP_NO_PART);
	hd_omp_unit_begin(me, team->team_num, false);
	return true;
}

HD_EXPORT void GOMP_teams(unsigned nteams, unsigned thread_limit)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me && thread_limit)
		me->icv.thread_limit = thread_limit;
}

/* ---- what programs ask -------------------------------------------------------------------------------- */

int omp_get_num_teams(void);
int omp_get_team_num(void);
int omp_get_max_teams(void);
void omp_set_num_teams(int n);
int omp_get_teams_thread_limit(void);
void omp_set_teams_thread_limit(int n);

HD_EXPORT int omp_get_num_teams(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	return me ? (int)me->team->nteams : 1;
}

HD_EXPORT int omp_get_team_num(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	return me ? (int)me->team->team_num : 0;
}

HD_EXPORT int omp_get_max_teams(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	return me ? me->icv.nteams : 0;
}

HD_EXPORT void omp_set_num_teams(int n)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me && n >= 0)
		me->icv.nteams = n;
}

HD_EXPORT int omp_get_teams_thread_limit(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	return me ? me->icv.teams_thread_limit : 0;
}

HD_EXPORT void omp_set_teams_thread_limit(int n)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me && n >= 0)
		me->icv.teams_thread_limit = n;
}
