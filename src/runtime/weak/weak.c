#include "weak.h"

#include "common/hash.h"
#include "runtime/explore/explore.h"
#include "runtime/memory/arena.h"
#include "runtime/sched/policy.h"
#include "trace/event_meaning.h"
#include "weak_model.h"

#define ROOM	     256 /* operations that are remembered, */
#define ROOM_TSO     64	 /* where plain ones are among them; buffers are short */
#define ROOM_EXPLORE 2048
#define CHOICES	     32 /* that are offered at once; the newest */

/* Where the current fiber does something. */
struct place {
	unsigned slot;
	int loc;
	uintptr_t addr;
	unsigned size;
};

static struct hd_weak model;
static struct {
	struct place place;
	int order;
	int16_t src;
} taking; /* between hd_rt_weak_take() and hd_rt_weak_put() */

static void start(void)
{
	unsigned room = hd_rt.exploring ? ROOM_EXPLORE : hd_rt_is_tso() ? ROOM_TSO : ROOM;

	hd_weak_init(&model, hd_rt_alloc(room * sizeof(struct hd_weak_event)),
		     hd_rt_alloc(room * sizeof(struct hd_weak_location)),
		     hd_rt_alloc(3 * room * sizeof(int16_t)), room);
	model.tso = hd_rt_is_tso();
}

static unsigned begin(uint32_t thread)
{
	uint64_t settled = model.settled;
	unsigned slot;

	if (unlikely(!model.room))
		start();
	slot = hd_weak_begin(&model, thread);
	if (unlikely(model.settled != settled)) /* what is older cannot be read any more */
		hd_rt_explore_uses(HD_X_USES_SETTLED);
	return slot;
}

static int order_of(enum hd_weak_kind kind, int order)
{
	if (unlikely(!model.room))
		start();
	return hd_weak_order(&model, kind, order);
}

/* ---- memory ------------------------------------------------------------------- */

static void set_memory(uintptr_t addr, unsigned size, uint64_t value)
{
	switch (size) {
	case 1:
		*(volatile uint8_t *)addr = (uint8_t)value;
		return;
	case 2:
		*(volatile uint16_t *)addr = (uint16_t)value;
		return;
	case 4:
		*(volatile uint32_t *)addr = (uint32_t)value;
		return;
	default:
		*(volatile uint64_t *)addr = value;
	}
}

static const char mixed[] =
	"atomics of several sizes in the same bytes, which are sequentially consistent";

/* What stands for memory that the model does not have. */
static uint64_t mixed_key(uintptr_t addr)
{
	return UINT64_C(1) << 62 | addr >> 3;
}

/* Everybody who uses the same bytes with other sizes is in one order with the others. */
static int untangle(unsigned slot, uintptr_t addr, unsigned size)
{
	hd_rt_drop(mixed);
	hd_rt_explore_uses(HD_X_USES_MIXED);
	hd_weak_forget(&model, addr, size);
	hd_weak_take(&model, slot, mixed_key(addr));
	hd_weak_give(&model, slot, mixed_key(addr));
	return hd_weak_location(&model, addr, size, hd_rt_value_at(addr, size));
}

static int locate(unsigned slot, uintptr_t addr, unsigned size)
{
	int loc;

	hd_weak_apart(&model,
		      slot); /* between two atomic operations there is always something else */
	loc = hd_weak_location(&model, addr, size, hd_rt_value_at(addr, size));
	return likely(loc >= 0) ? loc : untangle(slot, addr, size);
}

void hd_rt_weak_wide(uintptr_t addr, size_t size, bool write)
{
	unsigned slot = begin(hd_rt.cur->id);

	hd_rt_drop(mixed);
	hd_rt_explore_uses(HD_X_USES_MIXED);
	hd_weak_forget(&model, addr, size);
	hd_weak_take(&model, slot, mixed_key(addr));
	if (write)
		hd_weak_give(&model, slot, mixed_key(addr));
}

/* ---- words that locked instructions work on ------------------------------------------- */

#define ATOMICS 4096u /* kept; beyond that plain accesses there are plain */

static uintptr_t atomics[ATOMICS];
static unsigned natomics;

static uintptr_t *atomic_place(uintptr_t addr)
{
	size_t i = hd_hash_place(addr, ATOMICS - 1);

	while (atomics[i] && atomics[i] != addr)
		i = (i + 1) % ATOMICS;
	return &atomics[i];
}

bool hd_rt_weak_is_atomic(uintptr_t addr)
{
	return natomics && *atomic_place(addr);
}

static void note_atomic(uintptr_t addr)
{
	uintptr_t *at = model.tso && natomics < ATOMICS / 2 ? atomic_place(addr) : NULL;

	if (!at || *at)
		return;
	*at = addr;
	natomics++;
}

/* ---- choosing ------------------------------------------------------------------ */

/* A write as events name it: 0 stands for the newest. */
static uint64_t name_of(int write)
{
	return (uint64_t)(write + 2);
}

/* Tell those who follow what happens before what. */
static void tell_place(uintptr_t addr, uint64_t reads, uint64_t writes, bool behind)
{
	if (reads || writes)
		hd_rt_event2(HD_OP_PLACE, addr, reads, writes, behind);
}

static struct hd_weak_where here(void)
{
	return (struct hd_weak_where){ .thread = hd_rt.cur->id, .pc = hd_rt.cur->pc };
}

/* The fiber has gone round a loop of older values: this one is not to be the same again. */
static unsigned keep_fresh(struct fiber *f, uintptr_t addr, const struct hd_weak_choice *list,
			   unsigned n)
{
	if (likely(f->weak.due_at != addr))
		return n;
	f->weak.once_more = false;
	f->weak.due_at = 0;
	while (n > 1 && list[n - 1].write == f->weak.due_write)
		n--;
	return n;
}

static void note_stale(struct fiber *f, uintptr_t addr, int write, bool stale)
{
	struct hd_fiber_weak *w = &f->weak;
	unsigned i = 0;

	w->stale = stale;
	w->nstale += stale;
	if (!stale)
		return;
	while (i < w->nolder && w->older[i].at != addr)
		i++;
	w->more |= i == HD_WEAK_OLDER;
	if (i == HD_WEAK_OLDER)
		i--;
	else if (i == w->nolder)
		w->nolder++;
	/* The last one comes last. */
	for (; i + 1 < w->nolder; i++)
		w->older[i] = w->older[i + 1];
	w->older[i] = (struct hd_fiber_older){ addr, write };
}

/* An explorer is told what is about to happen before it chooses how: the choice is part of it. */
static void announce(enum hd_op op, uintptr_t addr, unsigned size)
{
	if (unlikely(hd_rt.exploring))
		hd_rt_explore_soon(op, addr, size);
}

/* What was decided about it. The number of the operation. */
static uint32_t decided(unsigned what, int loc, int source)
{
	return unlikely(hd_rt.exploring)
		       ? hd_rt_explore_chosen(what, hd_weak_writer(&model, loc, source)->op)
		       : 0;
}

/* What the explorer has tried in an order where the fiber came earlier: a bit for each. */
static uint64_t tried_before(int loc, const struct hd_weak_choice *list, unsigned n)
{
	uint32_t since = hd_rt.exploring ? hd_rt_explore_since() : 0;
	uint64_t tried = 0;

	for (unsigned i = 0; since && i < n; i++) {
		if (hd_weak_writer(&model, loc, list[i].write)->op < since)
			tried |= UINT64_C(1) << i;
	}
	return tried;
}

/* What it may come to, into @list; others run before as long as nothing of it has to be tried. */
static unsigned find_choices(struct place *p, const struct hd_weak_want *want,
			     struct hd_weak_choice *list, uint64_t *tried)
{
	bool writes = want->kind != HD_WEAK_READ;

	for (;;) {
		unsigned n;

		p->slot = begin(hd_rt.cur->id);
		p->loc = locate(p->slot, p->addr, p->size);
		n = hd_weak_readable(&model, p->slot, p->loc, want, list, CHOICES);
		announce(writes ? HD_OP_ATOMIC_RMW : HD_OP_ATOMIC_LOAD, p->addr, p->size);
		if (unlikely(n == CHOICES)) /* there may be more */
			hd_rt_explore_uses(HD_X_USES_SETTLED);
		*tried = tried_before(p->loc, list, n);
		if (*tried != (UINT64_C(1) << n) - 1)
			return n;
		hd_rt_explore_put_off(p->addr, p->size, writes);
	}
}

static struct hd_weak_choice choose(struct place *p, const struct hd_weak_want *want)
{
	struct hd_weak_choice list[CHOICES];
	uint64_t tried;
	unsigned n = find_choices(p, want, list, &tried), k, fresh;

	hd_rt.cur->weak.nth++;
	fresh = keep_fresh(hd_rt.cur, p->addr, list, n);
	if (tried)
		hd_rt_explore_tried(tried & ((UINT64_C(1) << fresh) - 1), fresh);
	k = hd_rt_choose_number(fresh);
	hd_rt.cur->weak.moved = list[k].write != list[n - 1].write;
	note_stale(hd_rt.cur, p->addr, list[k].write,
		   list[k].write != hd_weak_newest(&model, p->loc));
	return list[k];
}

static uint64_t older_name(int loc, int write)
{
	return write == hd_weak_newest(&model, loc) ? 0 : name_of(write);
}

uint64_t hd_rt_weak_load(uintptr_t addr, unsigned size, int order)
{
	const struct hd_weak_want want = { .kind = HD_WEAK_READ,
					   .order = order_of(HD_WEAK_READ, order) };
	struct place p = { .addr = addr, .size = size };
	struct hd_weak_choice c = choose(&p, &want);
	uint64_t value = hd_weak_value(&model, p.loc, c.write);

	decided(HD_X_WEAK_READS, p.loc, c.write);
	tell_place(addr, older_name(p.loc, c.write), 0, false);
	hd_weak_read(&model, p.slot, p.loc, want.order, c.write);
	return value;
}

/* Is it the last in modification order? Then it is for memory. */
static bool put_store(uintptr_t addr, unsigned size, uint64_t value, int order)
{
	unsigned slot = begin(hd_rt.cur->id), n, k;
	int loc = locate(slot, addr, size);
	struct hd_weak_where where = here();
	int16_t places[CHOICES];
	bool last;

	order = hd_weak_order(&model, HD_WEAK_WRITE, order);
	n = hd_weak_places(&model, slot, loc, order, places, CHOICES);
	if (unlikely(n == CHOICES))
		hd_rt_explore_uses(HD_X_USES_SETTLED);
	announce(HD_OP_ATOMIC_STORE, addr, size);
	hd_rt.cur->weak.nth++;
	k = hd_rt_choose_number(n);
	last = places[k] == hd_weak_newest(&model, loc);
	where.op = decided(HD_X_WEAK_WRITES, loc, places[k]);
	tell_place(addr, 0, name_of((int)model.nevents), !last);
	hd_weak_write(&model, slot, loc, order, places[k], value, &where);
	return last;
}

void hd_rt_weak_store(uintptr_t addr, unsigned size, uint64_t value, int order)
{
	if (put_store(addr, size, value, order))
		set_memory(addr, size, value);
}

static void put(uint64_t value)
{
	struct hd_weak_where where = here();
	bool last = taking.src == hd_weak_newest(&model, taking.place.loc);

	hd_rt.cur->weak.nreads = 0; /* it does more than read */
	where.op = decided(HD_X_WEAK_READS | HD_X_WEAK_WRITES, taking.place.loc, taking.src);
	tell_place(taking.place.addr, older_name(taking.place.loc, taking.src),
		   name_of((int)model.nevents), !last);
	/* A loop that exchanges an older value for itself is to read something else than what it left there. */
	if (hd_rt.cur->weak.stale && value == hd_weak_value(&model, taking.place.loc, taking.src))
		hd_rt.cur->weak.older[hd_rt.cur->weak.nolder - 1].write = (int)model.nevents;
	hd_weak_rmw(&model, taking.place.slot, taking.place.loc, taking.order, taking.src, value,
		    &where);
	if (last)
		set_memory(taking.place.addr, taking.place.size, value);
}

static void take(const struct place *p, int order, int16_t src)
{
	taking.place = *p;
	taking.order = order;
	taking.src = src;
}

uint64_t hd_rt_weak_take(uintptr_t addr, unsigned size, int order)
{
	const struct hd_weak_want want = { .kind = HD_WEAK_RMW,
					   .order = order_of(HD_WEAK_RMW, order) };
	struct place p = { .addr = addr, .size = size };
	struct hd_weak_choice c = choose(&p, &want);

	note_atomic(addr);
	take(&p, want.order, c.write);
	return hd_weak_value(&model, p.loc, c.write);
}

void hd_rt_weak_put(uint64_t value)
{
	put(value);
}

/*
 * May a compare-exchange fail for no reason? An explorer would try every number of times: once in a row has to do, and
 * the proof says so.
 */
static bool may_fail_again(uintptr_t addr)
{
	bool again = hd_rt.opt.any_time && hd_rt.cur->weak.failed_at == addr;

	if (again)
		hd_rt_explore_uses(HD_X_USES_FAILS_ONCE);
	return !model.tso && !again;
}

static void note_failure(uintptr_t addr, bool for_no_reason)
{
	struct hd_fiber_weak *mine = &hd_rt.cur->weak;

	if (for_no_reason) {
		mine->failed_at = addr;
		mine->once_more = false;
		mine->nstale++;
	} else if (mine->failed_at == addr) {
		mine->failed_at = 0;
	}
}

bool hd_rt_weak_swap(uintptr_t addr, unsigned size, uint64_t *expected, uint64_t desired, int order,
		     int fail_order, bool may_fail)
{
	const struct hd_weak_want want = { .kind = HD_WEAK_RMW,
					   .order = order_of(HD_WEAK_RMW, order),
					   .compares = true,
					   .may_fail = may_fail && may_fail_again(addr),
					   .fail_order = order_of(HD_WEAK_RMW, fail_order),
					   .expected = *expected };
	struct place p = { .addr = addr, .size = size };
	struct hd_weak_choice c = choose(&p, &want);

	note_atomic(addr);
	*expected = hd_weak_value(&model, p.loc, c.write);
	note_failure(addr, c.fails && *expected == want.expected);
	if (c.fails) {
		decided(HD_X_WEAK_READS, p.loc, c.write);
		tell_place(addr, older_name(p.loc, c.write), 0, false);
		hd_weak_read(&model, p.slot, p.loc, want.fail_order, c.write);
		return false;
	}
	take(&p, want.order, c.write);
	put(desired);
	return true;
}

void hd_rt_weak_fence(int order)
{
	unsigned slot = begin(hd_rt.cur->id);

	hd_weak_fence(&model, slot, hd_weak_order(&model, HD_WEAK_FENCE, order));
}

/* ---- accesses that the program makes itself ---------------------------------------- */

/* The one that is being made; size 0: none. */
static struct {
	uintptr_t addr;
	unsigned size;
	uint64_t newest; /* what is to be there after it; */
	bool keep;	 /* no: what it writes */
	uint64_t older;	 /* what was put there for a load */
	int16_t event;	 /* of a store, whose value is known then; HD_WEAK_NONE: a load */
} made;

void hd_rt_weak_made(void)
{
	uint64_t value = hd_rt_value_at(made.addr, made.size);

	hd_rt.accessing = false;
	if (made.event >= 0) {
		hd_rt_settle(); /* the trace is to have it, too */
		model.events[made.event].value = value;
	} else if (value != made.older) { /* code without hooks has written there */
		return;
	}
	if (!made.keep)
		set_memory(made.addr, made.size, made.newest);
}

static void is_made(uintptr_t addr, unsigned size, bool keep, int event)
{
	made.addr = addr;
	made.size = size;
	made.keep = keep;
	made.event = (int16_t)event;
	made.newest = hd_rt_value_at(addr, size);
	hd_rt.accessing = true;
}

void hd_rt_weak_access(uintptr_t addr, size_t size, bool write)
{
	if (size > 8 || (size & (size - 1)) || (addr & (size - 1))) {
		hd_rt_weak_wide(addr, size, write);
	} else if (write) {
		bool last = put_store(addr, (unsigned)size, 0, __ATOMIC_RELAXED);

		is_made(addr, (unsigned)size, last, (int)model.nevents - 1);
	} else {
		uint64_t value = hd_rt_weak_load(addr, (unsigned)size, __ATOMIC_RELAXED);

		if (value == hd_rt_value_at(addr, (unsigned)size))
			return;
		is_made(addr, (unsigned)size, false, HD_WEAK_NONE);
		made.older = value;
		set_memory(addr, (unsigned)size, value);
	}
}

void hd_rt_weak_range(uintptr_t addr, size_t len, bool write)
{
	unsigned slot = begin(hd_rt.cur->id);

	hd_rt_explore_uses(HD_X_USES_MIXED);
	hd_weak_fence(&model, slot, __ATOMIC_SEQ_CST);
	hd_weak_forget(&model, addr, len);
	hd_weak_take(&model, slot, mixed_key(addr));
	if (write)
		hd_weak_give(&model, slot, mixed_key(addr));
}

/* ---- other ways to synchronise ---------------------------------------------------- */

static uint64_t shared_key(uintptr_t addr)
{
	return UINT64_C(1) << 63 | addr;
}

static void on_lock(unsigned slot, bool gives, uintptr_t addr, uint16_t mode)
{
	bool shared = mode & HD_LOCK_SHARED;

	if (mode & HD_LOCK_AGAIN)
		return;
	if (gives) {
		hd_weak_give(&model, slot, shared ? shared_key(addr) : addr);
		return;
	}
	hd_weak_take(&model, slot, addr);
	if (!shared)
		hd_weak_take(&model, slot, shared_key(addr));
}

/* Everything that @from knows, @to knows. */
static void hand_over(uint32_t from, uint32_t to)
{
	const uint64_t key = UINT64_C(3) << 62 | to;
	unsigned slot;

	begin(to); /* so that it has room beside the other */
	slot = begin(from);
	hd_weak_give(&model, slot, key);
	hd_weak_take(&model, begin(to), key);
}

void hd_rt_weak_event(enum hd_op op, uintptr_t addr, uint64_t value, uint16_t arg)
{
	enum hd_way way = hd_op_way(op);
	unsigned slot;

	if (op == HD_OP_FREE) {
		hd_weak_forget(&model, addr, value);
		return;
	}
	if (way != HD_WAY_GIVES && way != HD_WAY_TAKES)
		return;
	if (hd_op_about(op) == HD_ABOUT_CHILD) {
		if (way == HD_WAY_GIVES)
			hand_over(hd_rt.cur->id, (uint32_t)value);
		else
			hand_over((uint32_t)value, hd_rt.cur->id);
		return;
	}
	slot = begin(hd_rt.cur->id);
	if (hd_op_about(op) == HD_ABOUT_LOCK)
		on_lock(slot, way == HD_WAY_GIVES, addr, arg);
	else if (way == HD_WAY_GIVES)
		hd_weak_give(&model, slot, addr);
	else
		hd_weak_take(&model, slot, addr);
}

/* ---- loops -------------------------------------------------------------------------- */

static void spin_anew(struct fiber *f)
{
	f->spin.cycle = false;
	f->spin.nseen = 0;
	f->spin.hash = 0;
}

/*
 * The one of the older values of a loop that is not to be read again: one of them is the first to give way, whichever that
 * is. An explorer tries all.
 *
 * That nothing is lost, also if it is one that was read before the loop, or another thread waits as well: the thread is
 * where it was, has not moved to newer writes, and nobody has written another value. What can come of this was possible
 * when it was here first, where every older value was one of several to choose from: a round that changes nothing can be
 * left out of a consistent execution, for without its reads there is less that has to be in order.
 */
static void choose_due(struct hd_fiber_weak *w)
{
	unsigned k = 0;

	if (w->nolder > 1 && hd_rt.opt.any_time) {
		hd_rt_explore_uses(w->more ? HD_X_USES_OLDER | HD_X_USES_PATIENCE
					   : HD_X_USES_OLDER);
		w->nth++;
		k = hd_rt_choose_number(w->nolder);
	}
	w->due_at = w->nolder ? w->older[w->nolder - 1 - k].at : 0;
	w->due_write = w->nolder ? w->older[w->nolder - 1 - k].write : 0;
	w->nolder = 0;
	w->more = false;
}

bool hd_rt_weak_reads_on(struct fiber *f)
{
	struct hd_fiber_weak *w = &f->weak;

	choose_due(w);
	if (!w->due_at && (w->once_more || !w->failed_at)) {
		w->failed_at = 0;
		w->once_more = false;
		return false;
	}
	spin_anew(f);
	w->once_more = true;
	return true;
}

void hd_rt_weak_spin(void)
{
	struct fiber *f = hd_rt.cur;

	if (f->weak.moved) { /* what it has read is in no register yet */
		f->weak.moved = false;
		spin_anew(f);
	} else if (hd_rt.opt.any_time ||
		   !f->weak.stale) { /* sooner or later it reads something newer */
		hd_rt_spin();
	}
}

uint64_t hd_rt_weak_state(void)
{
	return model.room ? hd_weak_digest(&model) : 0;
}
