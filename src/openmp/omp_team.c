/*
 * Teams: parallel regions, their threads, and what is kept between regions.
 */
#include "omp_rt.h"

#include "omp_iteration.h"
#include "omp_league.h"
#include "runtime/observe/findings.h"
#include "runtime/observe/tasks_online.h"

/* More threads in a team than this would only cost. */
#define TEAM_MAX 256u
/* How far down the first thread's stack may go, where nobody knows. */
#define MAIN_STACK (8u << 20)

uint64_t hd_omp_number(void)
{
	static uint64_t numbers = UINT64_C(1) << 40; /* those of the other task library are below */

	return ++numbers;
}

static void announce(void *p, size_t size)
{
	if (hd_rt.active && hd_rt_watches_memory())
		hd_rt_event(HD_OP_ALLOC, (uintptr_t)p, size, 0);
}

void *hd_omp_object(size_t size)
{
	void *p = hd_rt_alloc(size);

	announce(p, size);
	return p;
}

/*
 * Arguments of tasks lie close together and are used again soon, and nothing of the runtime's own lies between them: all that is
 * known of memory is known by address, and a task would be the first at its place each time.
 */
#define SLAB	 16384u
#define SMALLEST 32u
#define SIZES	 5u /* powers of two */

static void *unused[SIZES];

static unsigned slab_of(size_t size)
{
	unsigned i = 0;

	while (i < SIZES && SMALLEST << i < size)
		i++;
	return i;
}

void *hd_omp_args(size_t size)
{
	unsigned i = slab_of(size);
	void **p;

	if (i == SIZES)
		return hd_omp_object(size);
	if (!unused[i]) {
		char *slab = hd_rt_alloc(SLAB);

		for (unsigned at = SLAB; at; at -= SMALLEST << i)
			hd_omp_args_free(slab + at - (SMALLEST << i), size);
	}
	p = unused[i];
	unused[i] = *p;
	*p = NULL;
	announce(p, size);
	return p;
}

void hd_omp_args_free(void *p, size_t size)
{
	unsigned i = slab_of(size);

	if (i == SIZES) {
		hd_rt_free(p, size);
		return;
	}
	*(void **)p = unused[i];
	unused[i] = p;
}

void hd_omp_tell_again(const struct omp_task *me)
{
	const struct omp_told *t = &me->told;

	if (hd_rt_watches_order())
		hd_rt_event2(HD_OP_CONSTRUCT, t->region, t->place, t->part, t->construct);
}

void hd_omp_tell(struct omp_task *me, struct omp_told what)
{
	me->told = what;
	hd_omp_tell_again(me);
}

/* ---- tasks as records ---------------------------------------------------------- */

struct omp_task *hd_omp_new_task(struct omp_task *parent, enum omp_kind kind)
{
	struct omp_task *t = hd_rt_alloc(sizeof(*t));

	t->kind = kind;
	t->refs = 1;
	t->parent = parent;
	if (parent) {
		t->icv = parent->icv;
		t->depth = parent->depth + 1;
		parent->refs++;
	}
	return t;
}

void hd_omp_unref(struct omp_task *t)
{
	while (t && --t->refs == 0) {
		struct omp_task *parent = t->parent;

		hd_omp_deps_free(t);
		hd_rt_free(t->joins.at, t->joins.cap * sizeof(*t->joins.at));
		hd_rt_free(t, sizeof(*t));
		t = parent;
	}
}

/* ---- pools --------------------------------------------------------------------- */

/* The pool of thread @i of a team whose master has @p. Thread 0 is the master: it needs no host. */
static struct omp_pool *pool_below(struct omp_pool *p, unsigned i)
{
	if (i >= p->nbelow) {
		unsigned n = p->nbelow ? 2 * p->nbelow : 8;

		if (n <= i)
			n = i + 1;
		p->below =
			hd_rt_grow(p->below, p->nbelow * sizeof(*p->below), n * sizeof(*p->below));
		p->nbelow = n;
	}
	if (!p->below[i]) {
		p->below[i] = hd_rt_alloc(sizeof(*p));
		if (i)
			p->below[i]->host = hd_rt_light_host(hd_omp_stack_size());
	}
	return p->below[i];
}

struct omp_pool *hd_omp_pool_alone(struct omp_pool *p)
{
	return pool_below(p, 0);
}

static void pool_free(struct omp_pool *p)
{
	for (unsigned i = 0; i < p->nbelow; i++) {
		if (p->below[i])
			pool_free(p->below[i]);
	}
	hd_rt_free(p->below, p->nbelow * sizeof(*p->below));
	hd_rt_free(p->tsd.values, p->tsd.n * sizeof(*p->tsd.values));
	if (p->host)
		hd_rt_light_give_host(p->host);
	hd_rt_free(p, sizeof(*p));
}

/* ---- the initial thread ---------------------------------------------------------- */

static void initial_ended(struct fiber *f)
{
	struct omp_task *t = f->omp;
	struct omp_team *team = t->team;

	if (t->kind != OMP_IMPLICIT || team->level)
		return; /* left a region by pthread_exit: its threads may still be there */
	pool_free(team->threads->pool);
	hd_rt_free(team->threads, sizeof(*team->threads));
	hd_rt_free(team, sizeof(*team));
	f->omp = NULL;
	hd_omp_unref(t);
}

/* Around everything a thread of the program does there is a region that nobody sees. */
static struct omp_task *make_initial(struct fiber *f)
{
	struct omp_team *team = hd_rt_alloc(sizeof(*team));
	struct omp_thread *th = hd_rt_alloc(sizeof(*th));
	struct omp_task *t = hd_omp_new_task(NULL, OMP_IMPLICIT);

	hd_omp_icv_init(&t->icv);
	*th = (struct omp_thread){ .team = team,
				   .implicit = t,
				   .top = t,
				   .fs = f->fs,
				   .pool = hd_rt_alloc(sizeof(struct omp_pool)) };
	team->n = 1;
	team->nteams = 1;
	team->threads = th;
	team->ready_tail = &team->ready;
	hd_omp_implicit(t, th, f);
	f->omp = t;
	if (!f->light.ended)
		f->light.ended = initial_ended;
	return t;
}

struct omp_task *hd_omp_enter(uintptr_t caller)
{
	struct fiber *f = hd_rt_enter(caller);

	if (unlikely(!f))
		return NULL;
	return likely(f->omp != NULL) ? f->omp : make_initial(f);
}

/* ---- the threads of a team ------------------------------------------------------- */

static void *worker_main(void *arg)
{
	struct omp_thread *th = arg;
	struct omp_team *team = th->team;
	struct omp_task *me = th->implicit;
	struct fiber *f = me->fiber;

	f->tsd = th->pool->tsd;
	f->end.tls_dtors = th->pool->tls_dtors;
	th->fs = f->fs;
	hd_rt_event(HD_OP_TASK_BEGIN, 0, f->id, 0);
	hd_omp_own_begin(th, f->stack.low, f->stack.top);
	hd_omp_tell(me, me->own);
	team->fn(team->data);
	f->pc = team->pc;
	hd_omp_units_over(me);
	hd_omp_barrier(me, true);
	hd_omp_own_end(th, f->stack.low, f->stack.top);
	th->pool->tsd = f->tsd;
	th->pool->tls_dtors = f->end.tls_dtors;
	f->tsd = (struct hd_fiber_tsd){ 0 };
	f->end.tls_dtors = NULL;
	me->over = true;
	return NULL;
}

static void worker_ended(struct fiber *f)
{
	struct omp_task *t = f->omp;
	struct omp_team *team = t->team;

	if (!t->over) {
		hd_rt_misuse(0, "a thread of a parallel region is left by pthread_exit");
		team->arrived++;
		hd_omp_barrier_look(team);
	}
	hd_rt_event(HD_OP_TASK_END, 0, f->id, 0);
	hd_omp_joins_move(&t->joins, &team->joins);
	hd_omp_note_ended(&team->joins, f->id, NULL);
	t->fiber = NULL;
	t->thread->implicit = NULL;
	f->omp = NULL;
	hd_omp_unref(t);
	if (--team->running == 0)
		hd_rt_wake_all(HD_TS_TASKS, (uintptr_t)team);
}

static void start_worker(struct omp_team *team, unsigned i, struct omp_pool *pool)
{
	struct omp_thread *th = &team->threads[i];
	struct omp_task *t = hd_omp_new_task(team->parent, OMP_IMPLICIT);
	struct fiber *f;

	th->pool = pool_below(pool, i);
	th->implicit = th->top = t;
	f = hd_rt_light_new(worker_main, th, worker_ended);
	f->light.own_host = true;
	f->light.host = th->pool->host;
	f->omp = t;
	hd_omp_implicit(t, th, f);
	hd_rt_event(HD_OP_TASK_SPAWN, 0, f->id, 0);
}

static unsigned how_many(const struct omp_task *me, unsigned asked)
{
	unsigned n = asked ? asked : me->icv.nthreads;

	if (asked == 1 || me->team->active_level >= (unsigned)me->icv.max_active)
		return 1;
	if (me->icv.thread_limit && n > me->icv.thread_limit)
		n = me->icv.thread_limit;
	if (n > TEAM_MAX) {
		hd_rt_drop("OpenMP teams of more than 256 threads get 256");
		n = TEAM_MAX;
	}
	return n ? n : 1;
}

/*
 * Is one thread what the program says itself? It is not where that comes from outside (OMP_NUM_THREADS, --threads), nor
 * where it may come from an `if` clause: with other inputs there are more.
 */
static bool is_sole(const struct omp_task *me, unsigned asked)
{
	if (asked == (OMP_EXACTLY | 1))
		return true;
	if (me->team->active_level >= (unsigned)me->icv.max_active)
		return me->icv.levels_set;
	return !(asked & ~OMP_EXACTLY) && me->icv.nthreads == 1 && me->icv.threads_set;
}

/* Threads of regions inside get as many as the list in OMP_NUM_THREADS says for their level. */
static void inherit_icv(struct omp_team *team, struct omp_icv *icv)
{
	unsigned n = hd_omp_nthreads_at(team->level, icv->nthreads);

	icv->threads_set &= n == icv->nthreads;
	icv->nthreads = n;
}

void hd_omp_watch(void)
{
	if (hd_rt.opt.omp_tasks && hd_rt.opt.races && !hd_rt.opt.tasks)
		hd_rt.opt.tasks = 1; /* all schedules, from this one */
	hd_rt_tasks_start();
}

void hd_omp_fork(struct omp_task *me, void (*fn)(void *), void *data, unsigned nthreads,
		 enum hd_construct construct, uintptr_t *reductions, struct omp_work *work)
{
	struct omp_pool *pool = me->thread->pool;
	struct omp_team *team;
	struct fiber *f = me->fiber;

	hd_rt_point();
	hd_omp_watch();
	team = hd_omp_object(sizeof(*team));
	team->n = how_many(me, nthreads & ~OMP_EXACTLY);
	team->sole = team->n == 1 && is_sole(me, nthreads);
	team->outer = me->team;
	team->master = me->thread;
	team->parent = me;
	team->level = me->team->level + 1;
	team->active_level = me->team->active_level + (team->n > 1);
	team->team_num = me->team->team_num;
	team->nteams = me->team->nteams;
	team->threads = hd_rt_alloc(team->n * sizeof(*team->threads));
	team->ready_tail = &team->ready;
	team->running = team->n - 1;
	team->fn = fn;
	team->data = data;
	team->construct = construct;
	team->pc = f->pc;
	team->ctx = hd_rt_context();
	team->finish = hd_omp_number();
	team->first_phase = hd_omp_number();
	if (work) {
		team->works = work;
		team->first_work = work;
	}
	if (reductions) {
		hd_omp_reductions_register(reductions, NULL, team->n);
		team->reductions = reductions;
	}
	hd_rt_event(HD_OP_FINISH_BEGIN, 0, team->finish, 0);
	hd_rt_event(HD_OP_FINISH_BEGIN, 0, team->first_phase, 0);
	for (unsigned i = 0; i < team->n; i++)
		team->threads[i] =
			(struct omp_thread){ .team = team, .num = i, .marked = team->sole };
	for (unsigned i = 1; i < team->n; i++)
		start_worker(team, i, pool);
	hd_rt_tell_shared((uintptr_t)data, (uintptr_t)fn);
	for (unsigned i = 0; i < team->n; i++) {
		struct omp_thread *th = &team->threads[i];

		if (!i) {
			th->implicit = th->top = hd_omp_new_task(me, OMP_IMPLICIT);
			th->pool = pool_below(pool, 0);
			th->fs = f->fs;
			hd_omp_implicit(th->implicit, th, f);
		}
		inherit_icv(team, &th->implicit->icv);
		th->implicit->own = (struct omp_told){ .construct = (uint16_t)construct,
						       .place = hd_omp_place_of(fn),
						       .part = work ? HD_OMP_NO_PART : i };
		if (work) {
			th->work = work;
			th->works = 1;
		}
	}
	f->omp = team->threads->implicit;
	team->tls = f->tls;
	team->own_high = (uintptr_t)__builtin_frame_address(0);
	team->own_low = f->stack.low ? f->stack.low : team->own_high - MAIN_STACK;
	hd_omp_own_begin(team->threads, team->own_low, team->own_high);
	hd_omp_tell(f->omp, team->threads->implicit->own);
	for (unsigned i = 1; i < team->n; i++)
		hd_rt_light_ready(team->threads[i].implicit->fiber);
}

void hd_omp_join(struct omp_task *me)
{
	struct omp_team *team = me->team;
	struct omp_task *parent = team->parent;

	if (!team->level)
		return; /* no region is open: GOMP_parallel_end alone */
	me->fiber->pc = team->pc;
	hd_omp_units_over(me);
	hd_omp_barrier(me, true);
	hd_omp_own_end(me->thread, team->own_low, team->own_high);
	me->fiber->tls = team->tls;
	while (team->running)
		hd_rt_block(HD_TS_TASKS, (uintptr_t)team, HD_NEVER);
	hd_omp_join_all(&me->joins, NULL, true);
	hd_omp_join_all(&team->joins, NULL, true);
	hd_rt_event(HD_OP_PHASER_WAIT, (uintptr_t)team, team->phase - 1, HD_TEAM_LAST);
	hd_rt_event(HD_OP_FINISH_END, 0, team->finish, 0);
	me->fiber->omp = parent;
	me->fiber = NULL;
	hd_omp_tell_again(parent);
	hd_omp_works_free(team);
	hd_omp_unref(me);
	hd_rt_free(team->joins.at, team->joins.cap * sizeof(*team->joins.at));
	hd_rt_free(team->threads, team->n * sizeof(*team->threads));
	hd_rt_free(team, sizeof(*team));
}

/* ---- the interface ------------------------------------------------------------------ */

void GOMP_parallel(void (*fn)(void *), void *data, unsigned nthreads, unsigned flags);
void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned nthreads);
void GOMP_parallel_end(void);
unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned nthreads,
				  unsigned flags);

HD_EXPORT void GOMP_parallel(void (*fn)(void *), void *data, unsigned nthreads, unsigned flags)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me)
		hd_omp_parallel(me, fn, data, nthreads, HD_IN_PARALLEL, NULL);
	else
		fn(data);
}

HD_EXPORT void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned nthreads)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me)
		hd_omp_fork(me, fn, data, nthreads, HD_IN_PARALLEL, NULL, NULL);
}

HD_EXPORT void GOMP_parallel_end(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me)
		hd_omp_join(me);
}

/* The list of reductions is the first thing in @data. */
HD_EXPORT unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned nthreads,
					    unsigned flags)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	struct fiber *f;
	unsigned n;

	if (!me) {
		hd_omp_reductions_register(*(uintptr_t **)data, NULL, 1);
		fn(data);
		return 1;
	}
	f = me->fiber;
	hd_omp_fork(me, fn, data, nthreads, HD_IN_PARALLEL, *(uintptr_t **)data, NULL);
	n = ((struct omp_task *)f->omp)->team->n;
	fn(data);
	hd_omp_join(f->omp);
	return n;
}
