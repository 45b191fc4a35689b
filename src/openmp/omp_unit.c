/*
 * Units of a worksharing construct as steps of their own in the trace, and where that is not sound.
 *
 * Units (iterations, chunks, sections) that one thread runs could have been run by different ones
 * at the same time. So accesses of two units to the same memory are a race even if it was one thread
 * here, unless the memory is the thread's own: its stack, its thread-local variables, what was
 * allocated in the region. And unless what the units do depends on the thread: its number, its
 * thread-local variables and keys, or values that it got by being the one who came first (a lock, an
 * atomic update or a single block outside of units). A thread of which that is known is *marked*
 * until the end of the region: its units are no longer told apart from each other, only
 * from those of other threads.
 *
 * Explicit tasks on one thread never overlap, so those that know its number may keep data by it. To
 * the analyses they hold a lock from then on to where they give the thread away. Where the program has a region of
 * one thread, all of its tasks do, and the implicit one from where it makes the first of them.
 */
#include "omp_iteration.h"

#include "runtime/thread/thread.h"

/* ---- units -------------------------------------------------------------------------------------- */

bool hd_omp_units_wanted(const struct omp_task *me)
{
	const struct omp_thread *th = me->thread;

	return me->kind == OMP_IMPLICIT && (!th->marked || (th->work && th->work->concurrent)) &&
	       hd_rt_watches_order();
}

void hd_omp_tell_part(struct omp_task *me, unsigned construct, uintptr_t place, uint64_t which)
{
	hd_omp_tell(me, (struct omp_told){ .construct = (uint16_t)construct,
					   .place = place,
					   .region = me->own.place,
					   .part = which });
}

void hd_omp_unit_begin(struct omp_task *me, uint64_t which, bool anybodys)
{
	struct omp_thread *th = me->thread;

	if (!hd_omp_units_wanted(me))
		return;
	hd_omp_close_finish(me, false);
	if (!th->unit)
		th->unit = hd_omp_number();
	th->in_unit = true;
	me->told.part = which;
	hd_rt_event2(HD_OP_ITERATION, 0, th->unit, which,
		     anybodys && th->team->n > 1 ? HD_UNIT_ANYBODYS : HD_UNIT_ONE);
}

void hd_omp_unit_end(struct omp_task *me)
{
	if (!me->thread->in_unit)
		return;
	hd_omp_close_finish(me, false);
	me->thread->in_unit = false;
}

static void units_over(struct omp_task *me, enum hd_unit_arg how)
{
	struct omp_thread *th = me->thread;

	hd_omp_unit_end(me);
	if (th->unit)
		hd_rt_event2(HD_OP_ITERATION, 0, th->unit, 0, how);
	th->unit = 0;
}

void hd_omp_units_over(struct omp_task *me)
{
	units_over(me, HD_UNIT_OVER);
}

void hd_omp_loop_left(struct omp_task *me)
{
	struct omp_thread *th = me->thread;

	hd_omp_units_over(me);
	if (th->work->ordered && th->iterations)
		hd_omp_ordered_pass(me);
	hd_omp_tell(me, me->own);
}

/* ---- what depends on the thread ------------------------------------------------------------------ */

static void mark(struct omp_thread *th)
{
	hd_omp_scan_by_thread(th->implicit);
	if (th->marked || !th->team->level)
		return;
	th->marked = true;
	units_over(th->implicit, th->in_unit ? HD_UNIT_LEFT : HD_UNIT_OVER);
}

/* The task that has a fiber of its own, of those that run on @me's. */
static struct omp_task *carrying(struct omp_task *me)
{
	while (me->kind == OMP_INCLUDED)
		me = me->parent;
	return me;
}

/* As an object of the trace. */
static uintptr_t lock_of(const struct omp_task *me)
{
	return (uintptr_t)&me->thread->own_lock | HD_TURN_TAG;
}

void hd_omp_thread_acquire(struct omp_task *me)
{
	uintptr_t lock = lock_of(me);

	if (!carrying(me)->asked)
		return;
	hd_rt_held_add(lock, HD_LOCK_OMP);
	hd_rt_event(HD_OP_ACQUIRE, lock, 0, HD_LOCK_OMP);
}

void hd_omp_thread_release(struct omp_task *me)
{
	uintptr_t lock = lock_of(me);

	if (!carrying(me)->asked)
		return;
	hd_rt_event(HD_OP_RELEASE, lock, 0, HD_LOCK_OMP);
	hd_rt_held_remove(lock);
}

static void ask(struct omp_task *me)
{
	if (me->asked)
		return;
	me->asked = true;
	hd_omp_thread_acquire(me);
}

void hd_omp_thread_matters(struct omp_task *me)
{
	me = carrying(me);
	if (me->kind == OMP_IMPLICIT)
		mark(me->thread);
	else
		ask(me);
}

void hd_omp_thread_shared(struct omp_task *me)
{
	if (me->team->sole)
		ask(carrying(me));
}

void hd_omp_thread_left(struct omp_task *me)
{
	hd_omp_thread_release(me);
	me->asked = false;
}

void hd_omp_thread_chosen(struct omp_task *me)
{
	me = carrying(me);
	if (me->kind == OMP_IMPLICIT && !me->thread->in_unit)
		mark(me->thread);
}

static void on_thread(struct fiber *f, bool always)
{
	struct omp_task *me = carrying(f->omp);

	if (always)
		f->tls.high = 0;
	if (always || !me->thread->in_unit)
		mark(me->thread);
}

/* ---- what is the thread's own ---------------------------------------------------------------------- */

/* Where libc keeps its own things above the thread pointer. */
#define THREAD_BLOCK 0x900u

void hd_omp_own_begin(struct omp_thread *th, uintptr_t low, uintptr_t high)
{
	struct fiber *f = th->implicit->fiber;

	f->tls = (struct hd_fiber_tls){ .low = f->fs - hd_rt_tls_size(),
					.high = f->fs + THREAD_BLOCK,
					.thread = f->fs,
					.on_thread = on_thread };
	hd_rt_event(HD_OP_OWN, low, high - low, 1);
	hd_rt_event(HD_OP_OWN, f->tls.low, f->fs + THREAD_BLOCK - f->tls.low, 1);
}

void hd_omp_own_end(struct omp_thread *th, uintptr_t low, uintptr_t high)
{
	struct fiber *f = th->implicit->fiber;
	uintptr_t tls_low = f->fs - hd_rt_tls_size();

	hd_rt_event(HD_OP_OWN, tls_low, f->fs + THREAD_BLOCK - tls_low, 0);
	hd_rt_event(HD_OP_OWN, low, high - low, 0);
	f->tls = (struct hd_fiber_tls){ 0 };
}

static void on_lent_thread(struct fiber *f, bool always)
{
	if (always)
		hd_omp_thread_matters(f->omp);
}

void hd_omp_lend(struct omp_thread *th, struct fiber *f)
{
	f->fs = th->fs;
	f->tls = (struct hd_fiber_tls){ .low = th->fs - hd_rt_tls_size(),
					.high = th->fs + THREAD_BLOCK,
					.thread = th->fs,
					.lender = th->implicit->fiber->id,
					.on_thread = on_lent_thread };
}

/* ---- simd ------------------------------------------------------------------------------------------- */

void hd_omp_note_simd(unsigned n);

/* A constructor that heddle cc put into a source with so many simd loops. */
HD_EXPORT void hd_omp_note_simd(unsigned n)
{
	while (n--)
		hd_rt_drop(
			"OpenMP simd loops ran lane after lane: races between lanes are not looked for");
}
