#include "cr_thread.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_hashtable.h>
#include <pub_tool_machine.h>

#include "cr_call.h"
#include "cr_shadow.h"

struct cr_thread *cr_me;
ULong cr_now;
cr_label cr_control;
UInt cr_open_branches;

#define CR_TIDS 16384u /* of the core; more are not asked for */

static struct cr_thread *by_tid[CR_TIDS];
static struct cr_thread **all; /* by number - 1 */
static UInt nall, all_room;
static ULong epochs;

/* Slots of clocks; those of joined threads are given to others that come after them. */
static struct {
	Bool used;
	UInt last; /* clock of the last thread that had it, at its end */
} slots[CR_SLOTS];
static UInt nslots;

/* ---- segments ---------------------------------------------------------------------- */

struct cr_segment *cr_segments;
static UInt nsegments = 1, segments_room;
static UInt *segment_table; /* ids, open addressing */
static UInt segment_mask;

/*
 * The clocks of threads at their segments: what a segment is after. Only kept with --flag-loops, where
 * any write may turn out to be what another thread has waited for. The first word is how many
 * follow; segments that differ in locks alone share one.
 */
static UInt **snapshots; /* by segment */

static void keep_clock(struct cr_thread *t, UInt segment)
{
	if (!t->snapshot) {
		t->snapshot = VG_(malloc)("cr.snapshot", (nslots + 1) * sizeof(UInt));
		t->snapshot[0] = nslots;
		VG_(memcpy)(t->snapshot + 1, t->clock, nslots * sizeof(UInt));
	}
	snapshots[segment] = t->snapshot;
}

static void segments_grow(void)
{
	UInt room = segments_room ? segments_room * 2 : 1024;
	UInt mask = room * 2 - 1;

	cr_segments = VG_(realloc)("cr.segments", cr_segments, room * sizeof(*cr_segments));
	if (cr_options.flag_loops)
		snapshots = VG_(realloc)("cr.snapshots", snapshots, room * sizeof(*snapshots));
	segments_room = room;
	VG_(free)(segment_table);
	segment_table = VG_(calloc)("cr.segments", mask + 1, sizeof(UInt));
	segment_mask = mask;
	for (UInt id = 1; id < nsegments; id++) {
		const struct cr_segment *s = &cr_segments[id];
		UInt i = cr_hash((ULong)s->slot << 32 | s->clock, s->lockset) & mask;

		while (segment_table[i])
			i = (i + 1) & mask;
		segment_table[i] = id;
	}
}

static UInt intern_segment(struct cr_thread *t)
{
	UInt clock = t->clock[t->slot], i;

	if (nsegments >= segments_room)
		segments_grow();
	i = cr_hash((ULong)t->slot << 32 | clock, t->lockset) & segment_mask;
	for (; segment_table[i]; i = (i + 1) & segment_mask) {
		const struct cr_segment *s = &cr_segments[segment_table[i]];

		if (s->slot == t->slot && s->clock == clock && s->lockset == t->lockset)
			return segment_table[i];
	}
	cr_segments[nsegments] = (struct cr_segment){ t->slot, clock, t->lockset, t->number };
	segment_table[i] = nsegments;
	if (cr_options.flag_loops)
		keep_clock(t, nsegments);
	return nsegments++;
}

UInt cr_segment_make(void)
{
	cr_me->segment = intern_segment(cr_me);
	return cr_me->segment;
}

Bool cr_segment_past(UInt id)
{
	UInt cursor = 0;
	struct cr_thread *t;

	while ((t = cr_thread_next(&cursor))) {
		if (cr_segments[id].clock > t->clock[cr_segments[id].slot])
			return False;
	}
	return True;
}

/* Something changed that translated code must notice. */
static void new_epoch(struct cr_thread *t)
{
	t->epoch = ++epochs;
	t->segment = 0;
	if (t == cr_me)
		cr_now = t->epoch << CR_TAG_NUMBER_SHIFT | (ULong)t->slot << CR_TAG_SLOT_SHIFT |
			 0xffff;
}

/* ... and that can be told from what it did before. */
static void step(struct cr_thread *t)
{
	t->clock[t->slot]++;
	t->snapshot = NULL;
	new_epoch(t);
}

/* ---- threads ------------------------------------------------------------------------ */

struct cr_thread *cr_thread_of(ThreadId tid)
{
	return by_tid[tid];
}

UInt cr_threads_count(void)
{
	return nall;
}

const struct cr_thread *cr_thread_by_number(UInt number)
{
	return number && number <= nall ? all[number - 1] : NULL;
}

struct cr_thread *cr_thread_next(UInt *cursor)
{
	while (*cursor < CR_TIDS) {
		struct cr_thread *t = by_tid[(*cursor)++];

		if (t)
			return t;
	}
	return NULL;
}

/*
 * A slot whose last thread's end happened before @creator's present, or a new one; when
 * there are no more, any of a thread that ended: then a race with that one may be missed.
 */
static UInt take_slot(const struct cr_thread *creator)
{
	UInt any = CR_SLOTS;

	for (UInt i = 0; creator && i < nslots; i++) {
		if (slots[i].used)
			continue;
		if (creator->clock[i] >= slots[i].last)
			return i;
		any = i;
	}
	if (nslots < CR_SLOTS)
		return nslots++;
	if (any == CR_SLOTS)
		VG_(tool_panic)("correlate: more than 1024 threads at a time");
	return any;
}

static struct cr_thread *thread_make(ThreadId tid, struct cr_thread *creator)
{
	struct cr_thread *t = VG_(calloc)("cr.thread", 1, sizeof(*t));

	t->tid = tid;
	t->slot = take_slot(creator);
	slots[t->slot].used = True;
	t->clock = VG_(calloc)("cr.clock", CR_SLOTS, sizeof(UInt));
	if (creator) {
		t->creator = creator->number;
		VG_(memcpy)(t->clock, creator->clock, CR_SLOTS * sizeof(UInt));
	}
	t->clock[t->slot] = slots[t->slot].last + 1;
	if (nall == all_room) {
		all_room = all_room ? all_room * 2 : 64;
		all = VG_(realloc)("cr.threads", all, all_room * sizeof(*all));
	}
	all[nall++] = t;
	t->number = nall;
	by_tid[tid] = t;
	new_epoch(t);
	return t;
}

/* The stack that a new thread gets may have been another's. */
static void forget_stack(ThreadId tid)
{
	Addr top = VG_(thread_get_stack_max)(tid);
	const NSegment *seg = VG_(am_find_nsegment)(top);

	if (seg && (seg->kind == SkAnonC || seg->kind == SkFileC))
		cr_shadow_forget(seg->start, seg->end + 1 - seg->start);
}

void cr_thread_new(ThreadId parent, ThreadId child)
{
	struct cr_thread *creator = parent == VG_INVALID_THREADID ? NULL : by_tid[parent];

	thread_make(child, creator);
	if (creator) {
		/* What the creator does from now on is not before the new thread. */
		step(creator);
	} else {
		cr_me = by_tid[child];
		new_epoch(cr_me);
	}
}

void cr_thread_run(ThreadId tid)
{
	struct cr_thread *t = by_tid[tid];

	if (!t || t == cr_me)
		return;
	cr_me = t;
	cr_now = t->epoch << CR_TAG_NUMBER_SHIFT | (ULong)t->slot << CR_TAG_SLOT_SHIFT | 0xffff;
	cr_call_resume();
}

void cr_thread_end(ThreadId tid)
{
	struct cr_thread *t = by_tid[tid];

	if (!t)
		return;
	by_tid[tid] = NULL;
	slots[t->slot].used = False;
	slots[t->slot].last = t->clock[t->slot];
	/* All that is still of use is how far it came, if somebody joins it. */
	t->clock = VG_(realloc)("cr.clock", t->clock, nslots * sizeof(UInt));
	t->nclock = nslots;
	VG_(free)(t->frames);
	VG_(free)(t->branches);
	VG_(free)(t->seen);
	t->seen = NULL;
	t->frames = NULL;
	t->branches = NULL;
	t->nframes = t->nbranches = 0;
}

/* ---- creating and joining ------------------------------------------------------------ */

/*
 * The kernel's new thread inherits its creator's clock (cr_thread_new). What the library
 * says adds which pthread_t it has, and where it was created.
 */
void cr_thread_began(UWord pthread)
{
	cr_me->pthread = pthread;
	forget_stack(cr_me->tid);
}

void cr_thread_created(UWord pthread)
{
	for (UInt i = nall; i > 0; i--) {
		if (all[i - 1]->pthread == pthread && all[i - 1]->creator == cr_me->number) {
			all[i - 1]->created_pc = cr_call_pc();
			all[i - 1]->created_ctx = cr_call_above();
			return;
		}
	}
}

static void clock_join(UInt *into, const UInt *from, UInt n)
{
	for (UInt i = 0; i < n; i++) {
		if (from[i] > into[i])
			into[i] = from[i];
	}
}

void cr_step(void)
{
	step(cr_me);
}

/* The clock has taken something in. With --flag-loops its own number tells one from another. */
static void joined(void)
{
	if (cr_options.flag_loops)
		step(cr_me);
	else
		new_epoch(cr_me);
}

void cr_thread_joined(UWord pthread)
{
	for (UInt i = nall; i > 0; i--) {
		struct cr_thread *t = all[i - 1];

		if (t->pthread != pthread || !t->clock || t == cr_me)
			continue;
		clock_join(cr_me->clock, t->clock, t->nclock ? t->nclock : nslots);
		t->pthread = 0; /* its pthread_t may be another's from now on */
		VG_(free)(t->clock);
		t->clock = NULL;
		joined();
		return;
	}
}

/* ---- objects that order ---------------------------------------------------------------- */

struct order {
	VgHashNode node; /* key: address */
	UInt *clock;     /* CR_SLOTS */
	/* A barrier. */
	UInt count, inside, leaving;
	UInt *next; /* of those that are in; becomes clock when all are */
};

static VgHashTable *orders;

static struct order *order_of(Addr object, Bool make)
{
	struct order *o;

	if (!orders)
		orders = VG_(HT_construct)("cr.orders");
	o = VG_(HT_lookup)(orders, object);
	if (o || !make)
		return o;
	o = VG_(calloc)("cr.order", 1, sizeof(*o));
	o->node.key = object;
	o->clock = VG_(calloc)("cr.order", CR_SLOTS, sizeof(UInt));
	VG_(HT_add_node)(orders, o);
	return o;
}

void cr_after_segment(UInt id)
{
	struct cr_thread *t;

	if (cr_segments[id].slot == cr_me->slot || cr_segment_before(id))
		return;
	clock_join(cr_me->clock, snapshots[id] + 1, snapshots[id][0]);
	joined();
	/* What it does next is not before, even if nobody has waited for its write so far. */
	for (UInt cursor = 0; (t = cr_thread_next(&cursor));) {
		if (t->slot == cr_segments[id].slot && t->clock[t->slot] == cr_segments[id].clock)
			step(t);
	}
}

void cr_release(Addr object)
{
	struct order *o = order_of(object, True);

	clock_join(o->clock, cr_me->clock, nslots);
	cr_step();
}

Bool cr_acquires(Addr object)
{
	const struct order *o = order_of(object, False);

	for (UInt i = 0; o && i < nslots; i++) {
		if (o->clock[i] > cr_me->clock[i])
			return True;
	}
	return False;
}

void cr_acquire(Addr object)
{
	if (!cr_acquires(object))
		return;
	clock_join(cr_me->clock, order_of(object, False)->clock, nslots);
	joined();
}

void cr_barrier_init(Addr barrier, UInt count)
{
	struct order *o = order_of(barrier, True);

	o->count = count;
	o->inside = o->leaving = 0;
	if (!o->next)
		o->next = VG_(calloc)("cr.order", CR_SLOTS, sizeof(UInt));
	VG_(memset)(o->clock, 0, CR_SLOTS * sizeof(UInt));
	VG_(memset)(o->next, 0, CR_SLOTS * sizeof(UInt));
}

void cr_barrier_enter(Addr barrier)
{
	struct order *o = order_of(barrier, True);

	if (!o->next)
		cr_barrier_init(barrier, 0);
	clock_join(o->next, cr_me->clock, nslots);
	cr_step();
	o->inside++;
	if (o->count && o->inside < o->count)
		return;
	/* The last one: those of this round leave with what all of them brought. */
	VG_(memcpy)(o->clock, o->next, CR_SLOTS * sizeof(UInt));
	VG_(memset)(o->next, 0, CR_SLOTS * sizeof(UInt));
	o->inside = 0;
}

void cr_barrier_leave(Addr barrier)
{
	cr_acquire(barrier);
}

/* ---- locks ------------------------------------------------------------------------- */

#define TAKEN 8u /* calling contexts that are kept of a lock */

struct lock {
	VgHashNode node; /* key: address */
	UInt id, kind;
	UInt taken[TAKEN], ntaken;
};

static VgHashTable *locks;
static struct lock **lock_by_id;
static UInt nlocks = 1, locks_room;

static struct lock *lock_of(Addr addr, UInt kind)
{
	struct lock *l;

	if (!locks)
		locks = VG_(HT_construct)("cr.locks");
	l = VG_(HT_lookup)(locks, addr);
	if (l)
		return l;
	l = VG_(calloc)("cr.lock", 1, sizeof(*l));
	l->node.key = addr;
	l->kind = kind;
	if (nlocks >= locks_room) {
		locks_room = locks_room ? locks_room * 2 : 64;
		lock_by_id = VG_(realloc)("cr.locks", lock_by_id, locks_room * sizeof(l));
	}
	lock_by_id[nlocks] = l;
	l->id = nlocks++;
	VG_(HT_add_node)(locks, l);
	return l;
}

/* Sets of locks: sorted words, lock id times two plus shared. Set 0 is empty. */
struct lockset {
	UInt n;
	UInt word[];
};

static struct lockset **sets;
static UInt nsets, sets_room;
static UInt *set_table, set_mask;

static UInt set_hash(const UInt *word, UInt n)
{
	ULong h = n;

	for (UInt i = 0; i < n; i++)
		h = cr_hash(h, word[i]);
	return (UInt)h;
}

static void sets_grow(void)
{
	sets_room = sets_room ? sets_room * 2 : 64;
	sets = VG_(realloc)("cr.locksets", sets, sets_room * sizeof(*sets));
	set_mask = sets_room * 2 - 1;
	VG_(free)(set_table);
	set_table = VG_(calloc)("cr.locksets", set_mask + 1, sizeof(UInt));
	for (UInt id = 1; id < nsets; id++) {
		UInt i = set_hash(sets[id]->word, sets[id]->n) & set_mask;

		while (set_table[i])
			i = (i + 1) & set_mask;
		set_table[i] = id;
	}
}

static UInt intern_set(const UInt *word, UInt n)
{
	struct lockset *s;
	UInt i;

	if (!n)
		return 0;
	if (nsets >= sets_room)
		sets_grow();
	if (!nsets)
		nsets = 1; /* 0 is the empty one */
	for (i = set_hash(word, n) & set_mask; set_table[i]; i = (i + 1) & set_mask) {
		s = sets[set_table[i]];
		if (s->n == n && !VG_(memcmp)(s->word, word, n * sizeof(*word)))
			return set_table[i];
	}
	s = VG_(malloc)("cr.lockset", sizeof(*s) + n * sizeof(*word));
	s->n = n;
	VG_(memcpy)(s->word, word, n * sizeof(*word));
	sets[nsets] = s;
	set_table[i] = nsets;
	return nsets++;
}

static void locks_changed(struct cr_thread *t)
{
	UInt word[CR_HELD], n = 0;

	for (UInt i = 0; i < t->nheld; i++) {
		UInt w = t->held[i].id * 2 + t->held[i].shared, k = n++;

		for (; k > 0 && word[k - 1] > w; k--)
			word[k] = word[k - 1];
		word[k] = w;
	}
	t->lockset = intern_set(word, n);
	new_epoch(t);
}

static void note_taken(struct lock *l)
{
	UInt ctx = cr_call_ctx(), i = 0;

	while (i < l->ntaken && i < TAKEN && l->taken[i] != ctx)
		i++;
	if (i == l->ntaken || i == TAKEN)
		l->taken[l->ntaken++ % TAKEN] = ctx;
}

void cr_locked(Addr addr, Bool shared, UInt kind)
{
	struct cr_thread *t = cr_me;
	struct lock *l = lock_of(addr, kind);

	note_taken(l);
	for (UInt i = 0; i < t->nheld; i++) {
		if (t->held[i].lock == addr) {
			t->held[i].times++;
			return;
		}
	}
	if (t->nheld == CR_HELD)
		return;
	t->held[t->nheld++] = (struct cr_held){ .lock = addr, .id = l->id, .times = 1,
						.shared = shared, .since = epochs + 1 };
	locks_changed(t);
}

void cr_unlock(Addr addr, Bool altogether)
{
	struct cr_thread *t = cr_me;

	for (UInt i = 0; i < t->nheld; i++) {
		if (t->held[i].lock != addr)
			continue;
		if (--t->held[i].times && !altogether)
			return;
		t->held[i] = t->held[--t->nheld];
		locks_changed(t);
		return;
	}
}

UInt cr_lockset_get(UInt set, struct cr_lock_use *out, UInt max)
{
	UInt n = set ? sets[set]->n : 0;

	for (UInt i = 0; i < n && i < max; i++) {
		UInt w = sets[set]->word[i];
		const struct lock *l = lock_by_id[w / 2];

		out[i] = (struct cr_lock_use){ .lock = l->node.key, .shared = w & 1,
					       .kind = l->kind };
	}
	return n < max ? n : max;
}

Bool cr_lockset_empty(UInt set)
{
	return set == 0;
}

Bool cr_locksets_exclude(UInt a, UInt b)
{
	const struct lockset *x, *y;

	if (!a || !b)
		return False;
	x = sets[a];
	y = sets[b];
	for (UInt i = 0, k = 0; i < x->n && k < y->n;) {
		UInt p = x->word[i] / 2, q = y->word[k] / 2;

		if (p == q && !(x->word[i] & y->word[k] & 1))
			return True;
		i += p <= q;
		k += q <= p;
	}
	return False;
}

static Bool set_has(const struct lockset *s, UInt word)
{
	for (UInt i = 0; i < s->n; i++) {
		if (s->word[i] == word)
			return True;
	}
	return False;
}

Bool cr_lockset_within(UInt small, UInt big)
{
	if (!small || small == big)
		return True;
	if (!big)
		return False;
	for (UInt i = 0; i < sets[small]->n; i++) {
		if (!set_has(sets[big], sets[small]->word[i]))
			return False;
	}
	return True;
}

static Addr apart(Addr a, Addr b)
{
	return a < b ? b - a : a - b;
}

static Addr taken_at(UInt ctx)
{
	UInt parent;
	Addr pc = 0;

	if (ctx)
		cr_ctx_get(ctx, &parent, &pc);
	return pc;
}

static Bool taken_alike(const struct lock *a, Addr x, const struct lock *b, Addr y)
{
	Bool nearer = apart(a->node.key, x) < apart(b->node.key, x) &&
		      apart(b->node.key, y) < apart(a->node.key, y);

	for (UInt i = 0; i < a->ntaken && i < TAKEN; i++) {
		for (UInt k = 0; k < b->ntaken && k < TAKEN; k++) {
			if (a->taken[i] == b->taken[k] ||
			    (nearer && taken_at(a->taken[i]) == taken_at(b->taken[k])))
				return True;
		}
	}
	return False;
}

Bool cr_locksets_alike(UInt a, Addr x, UInt b, Addr y)
{
	for (UInt i = 0; a && b && i < sets[a]->n; i++) {
		for (UInt k = 0; k < sets[b]->n; k++) {
			if (taken_alike(lock_by_id[sets[a]->word[i] / 2], x,
					lock_by_id[sets[b]->word[k] / 2], y))
				return True;
		}
	}
	return False;
}

static Bool holds_of(UInt set, ULong epoch, Bool unbroken)
{
	for (UInt i = 0; set && i < cr_me->nheld; i++) {
		const struct cr_held *h = &cr_me->held[i];

		if ((h->since <= epoch) == unbroken &&
		    (set_has(sets[set], h->id * 2) || set_has(sets[set], h->id * 2 + 1)))
			return True;
	}
	return False;
}

Bool cr_held_since(UInt set, ULong epoch)
{
	return holds_of(set, epoch, True);
}

Bool cr_held_again(UInt set, ULong epoch)
{
	return holds_of(set, epoch, False) && !holds_of(set, epoch, True);
}
