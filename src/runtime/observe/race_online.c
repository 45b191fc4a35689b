#include "race_online.h"

#include "record.h"
#include "runtime/abi/inline_check.h"
#include "runtime/explore/equal_threads.h"
#include "runtime/memory/heap_check.h"
#include "runtime/thread/thread.h"
#include "runtime/explore/explore.h"

struct hd_race_view hd_rt_race_view;

struct hd_race *hd_rt_race;

/* A clock has a place for each thread that was not joined: clocks of n threads have n * n. */
#define UNJOINED_MAX 4096
static int64_t unjoined;

/*
 * Where tasks are analysed as such, what clocks add (races that values under locks may order) is not worth
 * much: so many places, and no more.
 */
#define TASK_SLOTS_MAX 256

static void give_up(const char *why)
{
	hd_rt.mode &= (uint16_t)~HD_M_RACE;
	hd_rt_drop(why);
	hd_rt_inline_refresh();
}

/* With where the block that it is on comes from: a trace without events has that nowhere else. */
static void tell_with_block(const struct hd_found *f)
{
	const struct hd_block *b = hd_rt.mode & HD_M_HEAP ? hd_rt_block_around(f->addr) : NULL;
	struct hd_found_access list[3];
	struct hd_found more = *f;

	if (b && hd_rt.opt.record != HD_REC_ALL && f->naccesses == 2) {
		list[0] = f->accesses[0];
		list[1] = f->accesses[1];
		list[2] = (struct hd_found_access){
			.event = { .op = HD_OP_ALLOC,
				   .addr = b->addr,
				   .size = b->size < UINT32_MAX ? (uint32_t)b->size : UINT32_MAX,
				   .thread = b->thread,
				   .pc = b->pc,
				   .ctx = b->ctx }
		};
		more.accesses = list;
		more.naccesses = 3;
	}
	hd_rt_tell_found(&more, f->kind, f->size, 0);
}

/* Into the trace, for the report to name and explain. */
static void tell(void *arg, const struct hd_found *f)
{
	if (hd_rt.exploring && f->kind == HD_KIND_RACE)
		hd_rt_explore_fault_between(HD_KIND_RACE, f->accesses[0].event.pc,
					    f->accesses[1].event.pc);
	tell_with_block(f);
}

void hd_rt_race_start(void)
{
	struct hd_race_options o = { .direct = true, .locksets = true, .forked = true };

	if (!hd_rt.opt.races || hd_rt_race)
		return;
	hd_rt_race = hd_race_new(&o, tell, NULL);
	hd_rt_race_refresh();
	if (!hd_rt_race_view.pages) {
		give_up(HD_DROP_DETECTION "no address space for its tables");
		return;
	}
	hd_rt.mode |= HD_M_RACE;
	hd_rt_inline_refresh();
	hd_rt_held_each(hd_rt_race_sync);
}

void hd_rt_race_refresh(void)
{
	hd_race_view_of(hd_rt_race, hd_rt.cur->id, &hd_rt_race_view);
	hd_rt_inline_refresh();
}

void hd_rt_race_lock(enum hd_op op, uintptr_t addr, uint16_t mode)
{
	uint64_t epoch = hd_rt_race_view.epoch;

	if (unlikely(!hd_race_lock(hd_rt_race, hd_rt.cur->id, op, addr, mode, &hd_rt_race_view)))
		give_up(HD_DROP_DETECTION "a thread synchronised too often, or there is no memory");
	else if (hd_rt_race_view.epoch != epoch)
		hd_rt_inline_new_time();
}

void hd_rt_race_new_time(void)
{
	if (!hd_race_new_time(hd_rt_race, hd_rt.cur->id, &hd_rt_race_view))
		give_up(HD_DROP_DETECTION "a thread synchronised too often, or there is no memory");
	hd_rt_inline_new_time();
}

/* Memory that comes and goes changes no clock. Of blocks that are watched nothing is known when they come. */
static void memory_event(const struct hd_event *ev)
{
	if (ev->op != HD_OP_ALLOC || !hd_rt_block_is_watched(ev->addr))
		hd_rt_inline_forget(ev->addr, ev->value);
	if (!hd_race_event(hd_rt_race, ev, HD_NO_INDEX))
		give_up(HD_DROP_DETECTION "there is no memory");
}

void hd_rt_race_sync(enum hd_op op, uintptr_t addr, uint64_t value, uint64_t value2, uint32_t size,
		     uint16_t arg)
{
	struct hd_event ev = { .addr = addr,
			       .value = value,
			       .value2 = value2,
			       .size = size,
			       .arg = arg,
			       .op = (uint8_t)op,
			       .thread = hd_rt.cur->id,
			       .pc = hd_rt.cur->pc,
			       .ctx = hd_rt_context() };

	if (op == HD_OP_ALLOC || op == HD_OP_FREE) {
		memory_event(&ev);
		return;
	}
	if (op == HD_OP_FORK && hd_rt_equal_maker((uint32_t)value))
		ev.thread = hd_rt_equal_maker((uint32_t)value);
	if (op == HD_OP_JOIN && hd_rt_equal_holds_back((uint32_t)value))
		return;
	unjoined += (op == HD_OP_FORK) - (op == HD_OP_JOIN);
	if (unjoined > UNJOINED_MAX && !(hd_rt.mode & HD_M_TASKS)) {
		give_up(HD_DROP_DETECTION
			"more than 4096 threads or tasks at once, from there on none "
			"(heddle run --algorithm complete has no such limit for tasks)");
		return;
	}
	if (!hd_race_event(hd_rt_race, &ev, HD_NO_INDEX))
		give_up(HD_DROP_DETECTION "a thread synchronised too often, or there is no memory");
	for (uint32_t t; op == HD_OP_JOIN && (t = hd_rt_equal_next_ended());) {
		ev.value = t;
		if (!hd_race_event(hd_rt_race, &ev, HD_NO_INDEX))
			give_up(HD_DROP_DETECTION "there is no memory");
	}
	hd_rt_race_refresh();
	if ((hd_rt.mode & HD_M_TASKS) &&
	    (unjoined > TASK_SLOTS_MAX || hd_race_slot(hd_rt_race_view.epoch) > TASK_SLOTS_MAX))
		give_up("races by clocks: more than 256 tasks at once, from there on only the "
			"analysis of tasks");
}

static bool is_simple(uintptr_t addr, uint64_t len, bool write, uintptr_t pc, uint32_t ctx)
{
	const struct hd_race_view *v = &hd_rt_race_view;

	if (len <= 8 && !(len & (len - 1)) && !(addr & (len - 1)))
		return hd_race_simple(v, addr, (unsigned)len, write, pc, ctx);
	return len <= HD_RACE_MOST_BYTES && hd_race_bytes(v, addr, (unsigned)len, write, pc, ctx);
}

void hd_rt_race_access(uintptr_t addr, uint64_t len, bool write, uint16_t flags, uintptr_t pc)
{
	struct hd_event ev = { .addr = addr, .arg = flags, .thread = hd_rt.cur->id, .pc = pc };
	bool ok;

	ev.ctx = hd_rt_context();
	/* Of those that are recorded, most tell nothing special here. */
	if (!flags && is_simple(addr, len, write, pc, ev.ctx))
		return;
	if (likely(len <= 8)) {
		ev.op = write ? HD_OP_WRITE : HD_OP_READ;
		ev.size = (uint32_t)len;
		ok = hd_race_plain(hd_rt_race, &ev);
	} else {
		ev.op = write ? HD_OP_WRITE_RANGE : HD_OP_READ_RANGE;
		ev.value = len;
		ok = hd_race_event(hd_rt_race, &ev, HD_NO_INDEX);
	}
	if (unlikely(!ok))
		give_up(HD_DROP_DETECTION "there is no memory");
}
