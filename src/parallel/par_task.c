/*
 * The life of a task on a worker, and launch.
 */
#include "worker.h"

static uint32_t numbers = 1; /* of tasks; the first is the launch's */
static uint32_t launches;

/* ---- launch ------------------------------------------------------------------ */

static struct {
	hj_fn *fn;
	void *arg;
	uintptr_t caller;
	struct hj_thrown_ *thrown;
} launch;

static void root_main(void)
{
	struct hd_par_task *t = hd_par_alloc(sizeof(*t));
	struct hd_worker *w = hd_par_self;

	t->task.strand = &t->strand;
	t->strand = (struct hd_par_strand){
		.id = launches++ ? __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED) : 1,
		.task = &t->task,
		.worker = w,
		.pc = launch.caller
	};
	w->current = &t->strand;
	if (hd_par_checker.launched)
		hd_par_checker.launched(&t->strand, true);
	launch.thrown = hd_task_root(&t->task, launch.fn, launch.arg, launch.caller);
	if (hd_par_checker.launched)
		hd_par_checker.launched(&t->strand, false);
	hd_par_free(t, sizeof(*t));
	hd_par_launch_over();
}

HD_EXPORT void hj_launch(hj_fn *fn, void *arg)
{
	uintptr_t caller = HD_CALLER;
	struct hj_thrown_ *thrown;

	if (hd_par_enter(caller)) {
		hd_par_misuse(0, "hj_launch inside a task");
		fn(arg);
		return;
	}
	hd_par_launch_lock();
	launch.fn = fn;
	launch.arg = arg;
	launch.caller = caller;
	hd_par_launch(root_main);
	thrown = launch.thrown;
	hd_par_launch_unlock();
	hd_throw(thrown);
}

/* ---- tasks --------------------------------------------------------------------- */

struct hd_task *hd_task_new(struct hd_task *me)
{
	struct hd_par_task *t = hd_par_alloc(sizeof(*t));

	t->task.strand = &t->strand;
	t->task.ief = t->task.top = me->top;
	__atomic_fetch_add(&me->top->pending, 1, __ATOMIC_RELAXED);
	t->strand.id = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	t->strand.task = &t->task;
	hd_carrier_event(HD_OP_TASK_SPAWN, 0, t->strand.id, 0);
	return &t->task;
}

void hd_task_go(struct hd_task *t)
{
	if (!t->nawait || !hd_task_awaits(t))
		hd_par_push(t);
}

void hd_par_ready(struct hd_par_strand *f)
{
	hd_par_push(f->task);
}

/* Noinline: where its frame begins is where the task's part of the stack does. */
HD_NOINLINE void hd_par_run(struct hd_worker *w, struct hd_task *t)
{
	struct hd_par_strand *outer = w->current, *f = t->strand;
	uintptr_t top = (uintptr_t)__builtin_frame_address(0);

	w->current = f;
	f->worker = w;
	if (hd_par_checked())
		hd_par_checker.began(f, w->stack, top);
	hd_task_perform(t);
	hd_task_wind_up(t);
	if (hd_par_checked()) {
		hd_par_checker.ended(f, w->stack, top);
		hd_par_checker.enter(outer);
	}
	w->current = outer;
	hd_par_free(t, sizeof(struct hd_par_task));
}

void hd_par_help(const void *future)
{
	struct hd_worker *w = hd_par_self;
	struct hd_task *t;

	if (!hd_par_stack_left(w))
		return;
	t = hd_deque_take(&w->deque);
	if (!t)
		return;
	/* Nothing can come of waiting for it with another task below. */
	if (t->result == future)
		hd_par_run(w, t);
	else
		hd_deque_put(&w->deque, t);
}

HD_EXPORT void hj_yield(void)
{
	struct hd_par_strand *f = hd_par_enter(HD_CALLER);

	/* Whoever has asked for its worker's number is that worker until it ends. */
	if (f && !f->task->worker)
		hd_par_yield();
}
