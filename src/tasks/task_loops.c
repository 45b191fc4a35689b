/*
 * Loops: a task for each chunk of steps, in one to three dimensions.
 */
#include "task.h"

#include "task_loops.h"

/* The part of a loop that one task runs: whole chunks, cut from the loop's ranges. */
struct part {
	struct hd_loop loop;
	struct hj_range r[3];
};

static long stride_of(const struct hj_range *r)
{
	return r->stride > 0 ? r->stride : 1;
}

static long chunk_of(const struct hj_range *r)
{
	return r->chunk > 0 ? r->chunk : 1;
}

static long steps_of(const struct hj_range *r)
{
	return r->high > r->low ? (r->high - r->low - 1) / stride_of(r) + 1 : 0;
}

/* Steps from..to-1 of @r. */
static struct hj_range cut(const struct hj_range *r, long from, long to)
{
	struct hj_range out = *r;

	out.low = r->low + from * stride_of(r);
	if (to < steps_of(r))
		out.high = r->low + to * stride_of(r);
	return out;
}

static void run_steps(const struct hd_loop *loop, const struct hj_range *r)
{
	for (long i = r[0].low; i < r[0].high; i += stride_of(&r[0])) {
		if (loop->dim == 1) {
			loop->step(loop, i, 0, 0);
			continue;
		}
		for (long j = r[1].low; j < r[1].high; j += stride_of(&r[1])) {
			if (loop->dim == 2) {
				loop->step(loop, i, j, 0);
				continue;
			}
			for (long k = r[2].low; k < r[2].high; k += stride_of(&r[2]))
				loop->step(loop, i, j, k);
		}
	}
}

static void run_part(void *arg)
{
	struct part *p = arg;

	run_steps(&p->loop, p->r);
}

static void split_part(void *arg);

static void spawn(struct hd_task *me, hj_fn *fn, const struct part *p)
{
	struct hd_task *t = hd_task_new(me);

	t->fn = fn;
	t->arg = hd_task_object(sizeof(*p));
	t->copied = sizeof(*p);
	*(struct part *)t->arg = *p;
	hd_task_go(t);
}

/* A task for each chunk. */
static void spawn_flat(struct hd_task *me, const struct hd_loop *loop, const struct hj_range *r,
		       unsigned dim, struct part *p)
{
	long n, chunk;

	if (dim == loop->dim) {
		spawn(me, run_part, p);
		return;
	}
	n = steps_of(&r[dim]);
	chunk = chunk_of(&r[dim]);
	for (long i = 0; i < n; i += chunk) {
		p->r[dim] = cut(&r[dim], i, i + chunk < n ? i + chunk : n);
		spawn_flat(me, loop, r, dim + 1, p);
	}
}

/* Halve the first dimension that is longer than a chunk; the second half is a task. */
static void split(struct hd_task *me, struct part *p)
{
	for (unsigned d = 0; d < p->loop.dim;) {
		long n = steps_of(&p->r[d]), half = (n + 1) / 2;
		struct part other = *p;

		if (n <= chunk_of(&p->r[d])) {
			d++;
			continue;
		}
		other.r[d] = cut(&p->r[d], half, n);
		p->r[d] = cut(&p->r[d], 0, half);
		spawn(me, split_part, &other);
	}
	run_steps(&p->loop, p->r);
}

static void split_part(void *arg)
{
	struct hd_task *me = hd_carrier_enter(HD_CALLER)->task;
	struct part p = *(struct part *)arg;

	split(me, &p);
}

static bool is_empty(const struct hd_loop *loop, const struct hj_range *r)
{
	for (unsigned d = 0; d < loop->dim; d++) {
		if (!steps_of(&r[d]))
			return true;
	}
	return false;
}

void hd_loop_run(struct hd_task *me, const struct hd_loop *loop, const struct hj_range *r,
		 bool recursive)
{
	struct part p = { .loop = *loop };

	for (unsigned d = 0; d < loop->dim; d++)
		p.r[d] = r[d];
	if (is_empty(loop, r))
		return;
	if (!me)
		run_steps(loop, p.r);
	else if (recursive)
		spawn(me, split_part, &p);
	else
		spawn_flat(me, loop, r, 0, &p);
}

/* ---- the interface --------------------------------------------------------------- */

static void step1(const struct hd_loop *loop, long i, long j, long k)
{
	((hj_body1 *)loop->fn)(i, loop->arg);
}

static void step2(const struct hd_loop *loop, long i, long j, long k)
{
	((hj_body2 *)loop->fn)(i, j, loop->arg);
}

static void step3(const struct hd_loop *loop, long i, long j, long k)
{
	((hj_body3 *)loop->fn)(i, j, k, loop->arg);
}

#define DEFINE_LOOPS(d)                                                                            \
	HD_EXPORT void hj_forasync##d(const struct hj_range *r, hj_body##d *fn, void *arg)         \
	{                                                                                          \
		struct hd_loop loop = { .dim = d, .step = step##d, .fn = (void *)fn, .arg = arg }; \
                                                                                                   \
		hd_loop_run(hd_task_enter(HD_CALLER, "hj_forasync"), &loop, r, false);             \
	}                                                                                          \
                                                                                                   \
	HD_EXPORT void hj_forall##d(const struct hj_range *r, hj_body##d *fn, void *arg)           \
	{                                                                                          \
		struct hd_loop loop = { .dim = d, .step = step##d, .fn = (void *)fn, .arg = arg }; \
		struct hd_task *me = hd_task_enter(HD_CALLER, "hj_forall");                        \
                                                                                                   \
		if (me) {                                                                          \
			hd_task_may_block(me, "hj_forall");                                        \
			hd_finish_begin(me);                                                       \
		}                                                                                  \
		hd_loop_run(me, &loop, r, false);                                                  \
		if (me) {                                                                          \
			hd_carrier_calm_point();                                                   \
			hd_throw(hd_finish_end(me));                                               \
		}                                                                                  \
	}

DEFINE_LOOPS(1)
DEFINE_LOOPS(2)
DEFINE_LOOPS(3)

struct phased_step {
	hj_body1 *fn;
	void *arg;
	long i;
};

static void run_phased_step(void *arg)
{
	struct phased_step *s = arg;

	s->fn(s->i, s->arg);
}

HD_EXPORT void hj_forall1_phased(const struct hj_range *r, hj_body1 *fn, void *arg)
{
	struct hd_task *me = hd_task_enter(HD_CALLER, "hj_forall1_phased");
	struct phased_step *steps;
	struct hj_phased on = { .mode = HJ_SIG_WAIT_SINGLE };
	struct hj_thrown_ *thrown;
	long n = steps_of(r);

	if (!n)
		return;
	if (me)
		hd_task_may_block(me, "hj_forall1_phased");
	steps = hd_task_object((size_t)n * sizeof(*steps));
	if (me)
		hd_finish_begin(me);
	on.phaser = hj_phaser_new(HJ_SIG_WAIT_SINGLE);
	for (long i = 0; i < n; i++) {
		steps[i] = (struct phased_step){ .fn = fn,
						 .arg = arg,
						 .i = r->low + i * stride_of(r) };
		hj_async_phased(run_phased_step, &steps[i], &on, 1);
	}
	thrown = me ? hd_finish_end(me) : NULL;
	hj_phaser_free(on.phaser);
	hd_carrier_free(steps, (size_t)n * sizeof(*steps));
	hd_throw(thrown);
}

/* ---- over the program's own iterators ------------------------------------------------ */

struct item_step {
	hj_body_item *fn;
	void *item, *arg;
};

static void run_item(void *arg)
{
	struct item_step *s = arg;

	s->fn(s->item, s->arg);
}

static void each_item(struct hd_task *me, uintptr_t caller, hj_next_item *next, void *iterator,
		      struct item_step step)
{
	while (next(iterator, &step.item)) {
		struct hd_task *t;

		if (!me) {
			step.fn(step.item, step.arg);
			continue;
		}
		hd_carrier_enter(caller);
		t = hd_task_new(me);
		t->fn = run_item;
		t->arg = hd_task_object(sizeof(step));
		t->copied = sizeof(step);
		*(struct item_step *)t->arg = step;
		hd_task_go(t);
	}
	if (me)
		hd_carrier_enter(caller);
}

HD_EXPORT void hj_forasync_items(hj_next_item *next, void *iterator, hj_body_item *fn, void *arg)
{
	uintptr_t caller = HD_CALLER;

	each_item(hd_task_enter(caller, "hj_forasync_items"), caller, next, iterator,
		  (struct item_step){ .fn = fn, .arg = arg });
}

HD_EXPORT void hj_forall_items(hj_next_item *next, void *iterator, hj_body_item *fn, void *arg)
{
	uintptr_t caller = HD_CALLER;
	struct hd_task *me = hd_task_enter(caller, "hj_forall_items");

	if (me) {
		hd_task_may_block(me, "hj_forall_items");
		hd_finish_begin(me);
	}
	each_item(me, caller, next, iterator, (struct item_step){ .fn = fn, .arg = arg });
	if (me) {
		hd_carrier_calm_point();
		hd_throw(hd_finish_end(me));
	}
}
