/*
 * Checking a run on workers: every construct and lock of a task, and what accesses par_access.c does
 * not answer, goes to the analysis of src/analysis, which is not made for several threads, hence
 * one lock around it.
 */
#include <stdlib.h>

#include "common/hash.h"
#include "futex_lock.h"
#include "lane.h"
#include "par_front.h"
#include "par_tell.h"
#include "runtime/observe/told_once.h"
#include "runtime/sys.h"

static struct hd_par_options options;
static struct hd_task_check *check;
static bool failed;

/* ---- the lock --------------------------------------------------------------------- */

static struct hd_futex_lock lock;

void hd_par_check_lock(void)
{
	hd_futex_lock(&lock, 100);
}

void hd_par_check_unlock(void)
{
	hd_futex_unlock(&lock);
}

/* ---- events ------------------------------------------------------------------------- */

void hd_par_take(const struct hd_event *ev)
{
	hd_par_check_lock();
	if (!failed && (hd_par_fronted ? hd_task_front_event(&hd_par_front, ev, HD_NO_INDEX)
				       : hd_task_check_event(check, ev, HD_NO_INDEX)) != HD_OK) {
		failed = true;
		hd_par_tell_drop("analysis of tasks: there is no memory");
	}
	hd_par_check_unlock();
}

static void event(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint16_t arg)
{
	const struct hd_par_strand *f = hd_par_lane.task;
	struct hd_event ev = {
		.addr = addr, .value = value, .value2 = value2, .arg = arg, .op = (uint8_t)op
	};

	if (!f)
		return;
	ev.thread = f->id;
	ev.pc = f->pc;
	ev.ctx = hd_par_context();
	if (op != HD_OP_FREE)
		hd_par_no_step();
	else if (hd_par_lane.noted)
		hd_par_words_new_step(); /* words of that memory are void */
	hd_par_take(&ev);
}

void hd_par_atomic(enum hd_op op, uintptr_t addr, unsigned size, int order, uintptr_t pc)
{
	const struct hd_par_strand *f = hd_par_lane.task;
	struct hd_event ev = { .addr = addr,
			       .size = size,
			       .arg = (uint16_t)(order & 0x7fff),
			       .op = (uint8_t)op,
			       .pc = pc };

	if (!f)
		return;
	ev.thread = f->id;
	ev.ctx = hd_par_context();
	hd_par_no_step();
	hd_par_take(&ev);
}

void hd_par_memory(enum hd_op op, uintptr_t addr, size_t len)
{
	event(op, addr, len, 0, 0);
}

static void range(const void *addr, size_t len, bool write)
{
	hd_par_access((uintptr_t)addr, len, write, hd_par_lane.task ? hd_par_lane.task->pc : 0);
}

/* What was on the stack below @top is over: calls that have returned, or a task that has ended. */
static void clean(struct hd_par_stack *s, uintptr_t top)
{
	if (s->dirty < top)
		hd_par_memory(HD_OP_FREE, s->dirty, top - s->dirty);
	s->dirty = top > s->dirty ? top : s->dirty;
}

static void began(struct hd_par_strand *f, struct hd_par_stack *s, uintptr_t top)
{
	hd_par_calls_enter(f);
	clean(s, top);
}

static void ended(struct hd_par_strand *f, struct hd_par_stack *s, uintptr_t top)
{
	clean(s, top);
	hd_par_calls_ended(f);
}

/* ---- telling -------------------------------------------------------------------------- */

/* Tasks that are mentioned, and who made them: each is told once. */
static void mention(uint32_t id)
{
	static uint8_t *told;
	uint32_t parent, ctx;
	uint64_t pc;

	if (!told)
		told = hd_rt_reserve(1ul << 32);
	if (!told || id <= 1 || told[id])
		return;
	told[id] = 1;
	if (!hd_task_check_origin(check, id, &parent, &pc, &ctx))
		return;
	mention(parent);
	hd_par_tell_task(id, parent, pc, ctx);
}

static void tell(void *arg, const struct hd_found *f)
{
	for (size_t i = 0; i < f->naccesses; i++)
		mention(f->accesses[i].event.thread);
	hd_par_tell_found(f);
}

/*
 * What the program named: kept until there is somebody to tell, for a run without tasks must not look
 * like one that was checked.
 */
#define NAMED_MAX (1u << 20)

struct named {
	uintptr_t addr;
	size_t len;
};
static struct named *named_data;
static unsigned nnamed, nnamed_told;

static void named(uintptr_t addr, size_t len)
{
	hd_par_check_lock();
	if (!named_data)
		named_data = hd_rt_reserve(NAMED_MAX * sizeof(*named_data));
	if (named_data && nnamed < NAMED_MAX)
		named_data[nnamed++] = (struct named){ .addr = addr, .len = len };
	else
		hd_par_tell_drop("data that HEDDLE_CHECK names: there is no room");
	hd_par_check_unlock();
}

static void tell_named(void)
{
	for (; nnamed_told < nnamed; nnamed_told++)
		hd_par_tell_named(named_data[nnamed_told].addr, named_data[nnamed_told].len);
}

static void tell_all(void)
{
	tell_named();
	if (check && hd_task_check_finish(check, tell, NULL) != HD_OK)
		failed = true;
	if (check)
		hd_par_tell_limits(check);
}

/* Each place tells a kind of misuse once. */
static bool told_before(uintptr_t pc, const char *text)
{
	static struct hd_told_once told;

	return hd_told_before(&told, pc, hd_fnv_text(HD_FNV_START, text));
}

static void misuse(uintptr_t addr, uintptr_t pc, uint32_t ctx, bool here, const char *text)
{
	uint32_t id = hd_par_lane.task ? hd_par_lane.task->id : 1;

	if (here && hd_par_lane.task)
		ctx = hd_par_context();
	hd_par_check_lock();
	if (!told_before(pc, text)) {
		if (check)
			mention(id);
		hd_par_tell_begin(HD_KIND_MISUSE, addr, 0, text, id);
		hd_par_tell_state(id, HD_TS_RUNNING, 0);
		hd_par_tell_frames(pc, ctx);
		hd_par_tell_finish();
	}
	hd_par_check_unlock();
}

static void permission(const struct hd_permit_conflict *c)
{
	uint32_t ctx = hd_par_context(), id = hd_par_lane.task->id;
	uintptr_t pc = hd_par_lane.task->pc;

	hd_par_check_lock();
	mention(c->other);
	mention(id);
	hd_par_tell_begin(HD_KIND_PERMISSION, c->addr, c->index, c->text, id);
	hd_par_tell_access(c->addr, c->other, c->other_writes, c->other_pc, c->other_ctx, 0);
	hd_par_tell_access(c->addr, id, c->write, pc, ctx, 1);
	hd_par_tell_finish();
	hd_par_check_unlock();
}

static void tell_waiting(struct hd_par_strand *f, void *arg)
{
	hd_par_tell_state(f->id, f->wait_why, f->wait_addr);
	hd_par_tell_frames(f->pc, f->ctx);
}

static void tell_mention(struct hd_par_strand *f, void *arg)
{
	if (check)
		mention(f->id);
}

static void deadlock(void)
{
	hd_par_check_lock();
	tell_all();
	hd_par_each_waiting(tell_mention, NULL);
	hd_par_tell_begin(HD_KIND_DEADLOCK, 0, 0, "no thread can go on", 1);
	hd_par_each_waiting(tell_waiting, NULL);
	hd_par_tell_finish();
	hd_par_tell_end(options.exitcode);
	hd_sys(SYS_exit_group, options.exitcode);
}

/* ---- the run ---------------------------------------------------------------------------- */

static void launched(struct hd_par_strand *root, bool begins)
{
	if (begins && (hd_par_instrumented || !options.checks)) {
		hd_par_check_lock();
		hd_par_tell_attach();
		hd_par_check_unlock();
	}
	if (!check)
		return;
	if (begins) {
		hd_par_calls_enter(root);
		return;
	}
	hd_par_calls_ended(root);
	hd_par_check_lock();
	tell_all();
	hd_par_check_unlock();
}

static void at_exit(int status, void *arg)
{
	hd_par_check_lock();
	tell_all();
	if (check && options.stats) {
		struct hd_task_stats s;

		hd_task_check_stats(check, &s);
		hd_par_front_stats(&s);
		hd_par_tell_stats(&s);
	}
	hd_par_tell_end(status);
	hd_par_check_unlock();
}

__attribute__((constructor(101))) static void start(void)
{
	hd_par_tell_start(&options);
	hd_par_want_workers(options.workers);
	on_exit(at_exit, NULL);
	hd_par_checker.misuse = misuse;
	hd_par_checker.deadlock = deadlock;
	hd_par_checker.launched = launched;
	if (!options.checks)
		return;
	check = hd_task_check_new(&options.tasks);
	if (!check) {
		hd_par_tell_drop("analysis of tasks: there is no memory");
		return;
	}
	hd_par_front_start(check, &options.tasks);
	hd_par_words_start();
	hd_par_checker.enter = hd_par_calls_enter;
	hd_par_checker.began = began;
	hd_par_checker.ended = ended;
	hd_par_checker.range = range;
	hd_par_checker.permission = permission;
	hd_par_checker.named = named;
	hd_par_checker.context = hd_par_context_now;
	hd_par_checker.event = event;
}
