/*
 * Worksharing constructs: every thread of a team meets the same ones in the same order, so a
 * construct is known by its number. Sections and single; memory that a construct needs.
 */
#include "omp_iteration.h"

#include "runtime/explore/explore.h"
#include "runtime/observe/findings.h"
#include "runtime/sched/policy.h"

static void work_free(struct omp_work *w)
{
	if (w->memory)
		hd_rt_free(w->memory, w->memory_size);
	hd_rt_free(w->counts, w->ndims * sizeof(*w->counts));
	hd_rt_free(w->turn_object, w->turn_object ? 64 : 0);
	hd_rt_free(w->copy_object, w->copy_object ? 64 : 0);
	hd_omp_posts_free(w);
	hd_rt_free(w, sizeof(*w));
}

void hd_omp_works_free(struct omp_team *team)
{
	for (struct omp_work *w = team->works, *next; w; w = next) {
		next = w->next;
		work_free(w);
	}
	team->works = NULL;
}

struct omp_work *hd_omp_work_enter(struct omp_task *me, bool *first)
{
	struct omp_thread *th = me->thread;
	struct omp_team *team = me->team;
	struct omp_work **p = &team->works;

	while (*p && (*p)->seq != th->works)
		p = &(*p)->next;
	*first = !*p;
	if (!*p) {
		*p = hd_rt_alloc(sizeof(**p));
		(*p)->seq = th->works;
	}
	th->works++;
	th->work = *p;
	return *p;
}

void hd_omp_work_leave(struct omp_task *me)
{
	struct omp_thread *th = me->thread;
	struct omp_work *w = th->work, **p = &me->team->works;

	if (!w)
		return;
	th->work = NULL;
	if (++w->left < me->team->n || w->reductions)
		return;
	while (*p && *p != w)
		p = &(*p)->next;
	if (*p)
		*p = w->next;
	work_free(w);
}

void hd_omp_work_memory(struct omp_task *me, struct omp_work *w, void **mem, bool first)
{
	if (!mem)
		return;
	if (first) {
		w->memory_size = (size_t)*mem;
		w->memory = hd_omp_object(w->memory_size ? w->memory_size : 1);
	}
	*mem = w->memory;
}

/* ---- parts of the work, for whoever comes next ------------------------------------------------ */

void hd_omp_claim_point(void)
{
	if (hd_rt_policy->shares_work)
		hd_rt_policy->yielded(hd_rt.cur);
	hd_rt_point();
}

/*
 * The construct has the same name whoever comes to it first: its own address is not the same in executions
 * that differ in that, and what does not meet by name would not be tried in another order.
 */
bool hd_omp_claim(const struct omp_team *team, const struct omp_work *w, uint64_t part,
		  bool there_is)
{
	uintptr_t name = (uintptr_t)&team->claims[w->seq % OMP_CLAIMS];
	uint64_t state = part + (w->seq << 32);

	hd_rt_event(HD_OP_CLAIM, name, part, 0);
	if (there_is)
		hd_rt_explore_change(name, state, state + 1);
	else
		hd_rt_explore_peek(name);
	return there_is;
}

/* ---- single -------------------------------------------------------------------------------- */

/*
 * Any thread may be the one. It is settled beforehand, another one each time and not the first, so
 * that what a block shares with other blocks, or with the master, is seen to be shared. Only an
 * exploration gives it to whoever comes first, and tries them all.
 */
static unsigned winner(const struct omp_task *me)
{
	struct omp_team *team = me->team;
	unsigned settled = team->n > 2 ? 1 + (unsigned)(team->singles++ % (team->n - 1))
				       : (unsigned)(++team->singles % team->n);
	struct omp_task *other = team->threads[settled].implicit;
	struct fiber *either[] = { other ? other->fiber : NULL, me->fiber };

	if (!either[0] || either[0] == either[1])
		return settled;
	return hd_rt_choose(HD_PICK_GRANT, either, 2) == either[0] ? settled : me->thread->num;
}

static bool wins(struct omp_task *me)
{
	struct omp_work *w;
	bool first, mine;

	w = hd_omp_work_enter(me, &first);
	if (first)
		w->winner = winner(me);
	mine = w->winner == me->thread->num;
	if (hd_rt.exploring)
		hd_omp_claim(me->team, w, me->thread->num, mine);
	if (mine)
		hd_omp_thread_chosen(me);
	return mine;
}

bool GOMP_single_start(void);
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *data);

HD_EXPORT bool GOMP_single_start(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	bool mine;

	if (!me)
		return true;
	hd_rt_point();
	mine = wins(me);
	hd_omp_work_leave(me);
	return mine;
}

/* NULL: run the block, then say GOMP_single_copy_end with what the others are to copy. */
HD_EXPORT void *GOMP_single_copy_start(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	struct omp_work *w;
	void *copy;

	if (!me)
		return NULL;
	hd_rt_point_before(HD_TS_SINGLE, (uintptr_t)me->team);
	if (wins(me))
		return NULL;
	w = me->thread->work;
	while (!w->copied)
		hd_rt_block(HD_TS_SINGLE, (uintptr_t)w, HD_NEVER);
	hd_rt_event(HD_OP_FUTURE_GET, (uintptr_t)w->copy_object, 0, 0);
	copy = w->copy;
	hd_omp_work_leave(me);
	return copy;
}

/* The block's data is copied before anybody leaves: a barrier follows in the program. */
HD_EXPORT void GOMP_single_copy_end(void *data)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	struct omp_work *w = me ? me->thread->work : NULL;

	if (!w)
		return;
	hd_rt_point();
	w->copy_object = hd_omp_object(64);
	w->copy = data;
	w->copied = true;
	hd_rt_event(HD_OP_FUTURE_PUT, (uintptr_t)w->copy_object, 0, 0);
	hd_rt_progress();
	hd_rt_wake_all(HD_TS_SINGLE, (uintptr_t)w);
	hd_omp_work_leave(me);
}

/* ---- sections --------------------------------------------------------------------------------- */

static unsigned next_section(struct omp_task *me)
{
	struct omp_work *w = me->thread->work;

	hd_omp_unit_end(me);
	hd_omp_claim_point();
	hd_omp_look_cancelled(me);
	if (!w || w->given >= w->sections || me->team->work_cancelled) {
		if (w)
			hd_omp_claim(me->team, w, w->given, false);
		return 0;
	}
	hd_omp_claim(me->team, w, w->given, true);
	if (hd_omp_units_wanted(me))
		hd_omp_unit_begin(me, w->given, true);
	else
		hd_omp_tell_part(me, w->construct, w->place, w->given);
	return (unsigned)++w->given;
}

unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **mem);
unsigned GOMP_sections_next(void);
void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned nthreads, unsigned count,
			    unsigned flags);
void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned nthreads,
				  unsigned count);
void GOMP_sections_end(void);
void GOMP_sections_end_nowait(void);
bool GOMP_sections_end_cancel(void);
void GOMP_scope_start(uintptr_t *reductions);

static unsigned sections_start(uintptr_t caller, unsigned count, uintptr_t *reductions, void **mem)
{
	struct omp_task *me = hd_omp_enter(caller);
	struct omp_work *w;
	bool first;

	if (!me)
		return count ? 1 : 0;
	hd_rt_point();
	w = hd_omp_work_enter(me, &first);
	if (first) {
		w->sections = count;
		w->construct = HD_IN_SECTIONS;
		w->place = caller;
	}
	hd_omp_tell_part(me, w->construct, w->place, HD_OMP_NO_PART);
	hd_omp_work_memory(me, w, mem, first);
	if (reductions)
		hd_omp_reductions_share(me, w, reductions, first);
	return next_section(me);
}

HD_EXPORT unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **mem)
{
	return sections_start(HD_CALLER, count, reductions, mem);
}

HD_EXPORT unsigned GOMP_sections_start(unsigned count)
{
	return sections_start(HD_CALLER, count, NULL, NULL);
}

HD_EXPORT unsigned GOMP_sections_next(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	return me ? next_section(me) : 0;
}

static struct omp_work *sections_work(unsigned count, void (*fn)(void *))
{
	struct omp_work *w = hd_rt_alloc(sizeof(*w));

	w->sections = count;
	w->construct = HD_IN_PARALLEL_SECTIONS;
	w->place = hd_omp_place_of(fn);
	return w;
}

HD_EXPORT void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned nthreads,
				      unsigned count, unsigned flags)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me)
		hd_omp_parallel(me, fn, data, nthreads, HD_IN_PARALLEL_SECTIONS,
				sections_work(count, fn));
	else
		fn(data);
}

HD_EXPORT void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned nthreads,
					    unsigned count)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (me)
		hd_omp_fork(me, fn, data, nthreads, HD_IN_PARALLEL_SECTIONS, NULL,
			    sections_work(count, fn));
}

static void sections_left(struct omp_task *me)
{
	hd_omp_units_over(me);
	hd_omp_work_leave(me);
	hd_omp_tell(me, me->own);
}

HD_EXPORT void GOMP_sections_end_nowait(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (!me)
		return;
	sections_left(me);
}

HD_EXPORT void GOMP_sections_end(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (!me)
		return;
	sections_left(me);
	hd_omp_barrier(me, false);
}

HD_EXPORT bool GOMP_sections_end_cancel(void)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);

	if (!me)
		return false;
	sections_left(me);
	return GOMP_barrier_cancel();
}

HD_EXPORT void GOMP_scope_start(uintptr_t *reductions)
{
	struct omp_task *me = hd_omp_enter(HD_CALLER);
	bool first;

	if (!me)
		return;
	hd_rt_point();
	hd_omp_work_enter(me, &first);
	if (reductions)
		hd_omp_reductions_share(me, me->thread->work, reductions, first);
	hd_omp_work_leave(me);
}
