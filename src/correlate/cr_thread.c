#include "cr_thread.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_hashtable.h>
#include <pub_tool_machine.h>

#include "cr_call.h"
#include "cr_claim.h"
#include "cr_ir.h"
#include "cr_shadow.h"
#include "cr_footprint.h"
#include "cr_unit.h"
#include "cr_update.h"

struct cr_thread *cr_me;
ULong cr_now;
cr_label cr_control;
UInt cr_open_branches;

#define CR_TIDS 16384u /* of the core; more are not asked for */

static struct cr_thread *by_tid[CR_TIDS];
static UInt tids;		  /* one more than the highest so far */
static struct cr_thread *present; /* those that run, or were not joined */
static ULong epochs;

/* What is told of each thread that ever was; by number - 1. */
static struct cr_thread_origin *origins;
static UInt norigins, origins_room;

/* Slots of clocks; those of joined threads are given to others that come after them. */
static struct {
	Bool used;
	UInt last; /* clock of the last thread that had it, at its end */
} slots[CR_SLOTS];
static UInt nslots;

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
	return norigins;
}

const struct cr_thread_origin *cr_thread_origin(UInt number)
{
	return number && number <= norigins ? &origins[number - 1] : NULL;
}

UInt cr_thread_slots(void)
{
	return nslots;
}

struct cr_thread *cr_thread_next(UInt *cursor)
{
	while (*cursor < tids) {
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

void cr_thread_past(struct cr_past *into, const struct cr_thread *t)
{
	cr_past_join_all(into, &t->past);
	cr_past_add(into, t->slot, t->epoch, CR_PAST_RUN);
	cr_past_add(into, t->slot, t->epoch, CR_PAST_SURE);
	cr_past_add(into, t->slot, t->epoch, CR_PAST_WAITED);
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
		cr_thread_past(&t->past, creator);
	}
	t->clock[t->slot] = slots[t->slot].last + 1;
	if (norigins == origins_room) {
		origins_room = origins_room ? origins_room * 2 : 64;
		origins = VG_(realloc)("cr.threads", origins, origins_room * sizeof(*origins));
	}
	origins[norigins++] = (struct cr_thread_origin){ .creator = t->creator };
	t->number = norigins;
	t->next = present;
	present = t;
	by_tid[tid] = t;
	if (tid >= tids)
		tids = tid + 1;
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
	cr_ir_forget();
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
	t->ended = True;
	VG_(free)(t->frames);
	VG_(free)(t->branches);
	t->frames = NULL;
	t->branches = NULL;
	t->nframes = t->nbranches = 0;
}

/* ---- creating and joining ------------------------------------------------------------ */

/* Those that have ended and have this pthread_t: nobody will ask for them again. */
static void forget_ended(UWord pthread)
{
	for (struct cr_thread **at = &present; *at;) {
		struct cr_thread *t = *at;

		if (t->pthread != pthread || !t->ended || t == cr_me) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		cr_past_drop(&t->past);
		VG_(free)(t->clock);
		VG_(free)(t);
	}
}

/*
 * The kernel's new thread inherits its creator's clock (cr_thread_new). What the library
 * says adds which pthread_t it has, and where it was created.
 */
void cr_thread_began(UWord pthread)
{
	forget_ended(pthread);
	cr_me->pthread = pthread;
	forget_stack(cr_me->tid);
}

void cr_thread_created(UWord pthread)
{
	for (const struct cr_thread *t = present; t; t = t->next) {
		if (t->pthread == pthread && t->creator == cr_me->number) {
			origins[t->number - 1].pc = cr_call_pc();
			origins[t->number - 1].ctx = cr_call_above();
			return;
		}
	}
}

void cr_thread_step(struct cr_thread *t)
{
	step(t);
}

void cr_step(void)
{
	step(cr_me);
}

/* With these its own number tells one clock from another. */
void cr_thread_learnt(void)
{
	if (cr_options.flag_loops || cr_options.paper)
		step(cr_me);
	else
		new_epoch(cr_me);
}

void cr_thread_joined(UWord pthread)
{
	for (const struct cr_thread *t = present; t; t = t->next) {
		if (t->pthread != pthread || t == cr_me)
			continue;
		for (UInt i = 0; i < (t->ended ? t->nclock : nslots); i++) {
			if (t->clock[i] > cr_me->clock[i])
				cr_me->clock[i] = t->clock[i];
		}
		cr_thread_past(&cr_me->past, t);
		cr_thread_learnt();
		break;
	}
	forget_ended(pthread);
}

/* ---- locks ------------------------------------------------------------------------- */

#define TAKEN 8u /* calling contexts that are kept of a lock */

struct lock {
	VgHashNode node; /* key: address */
	UInt id, kind;
	UInt taken[TAKEN], ntaken;
	struct cr_past given_back[2]; /* by those that had it alone; that shared it */
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

static void enter_section(void)
{
	cr_footprint_enter();
	cr_update_enter();
}

static void leave_section(void)
{
	cr_claim_leave();
	cr_footprint_leave();
	cr_unit_leave();
	cr_update_leave();
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
	t->held[t->nheld++] = (struct cr_held){
		.lock = addr, .id = l->id, .times = 1, .shared = shared, .since = epochs + 1
	};
	cr_past_join(&t->past, &l->given_back[0], CR_PAST_RUN);
	if (!shared)
		cr_past_join(&t->past, &l->given_back[1], CR_PAST_RUN);
	locks_changed(t);
	if (t->nheld == 1)
		enter_section();
}

static void give_back(const struct cr_held *h, const struct cr_thread *t)
{
	struct cr_past *p = &lock_by_id[h->id]->given_back[h->shared];

	cr_past_join_all(p, &t->past);
	cr_past_add(p, t->slot, t->epoch, CR_PAST_RUN);
}

void cr_unlock(Addr addr, Bool altogether)
{
	struct cr_thread *t = cr_me;

	for (UInt i = 0; i < t->nheld; i++) {
		if (t->held[i].lock != addr)
			continue;
		if (--t->held[i].times && !altogether)
			return;
		if (t->nheld == 1)
			leave_section();
		give_back(&t->held[i], t);
		t->held[i] = t->held[--t->nheld];
		t->releases++;
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

		out[i] = (struct cr_lock_use){ .lock = l->node.key,
					       .shared = w & 1,
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

void cr_lockset_tells(UInt set)
{
	for (UInt i = 0; set && i < sets[set]->n; i++)
		cr_past_join(&cr_me->past, &lock_by_id[sets[set]->word[i] / 2]->given_back[0],
			     CR_PAST_SURE);
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

ULong cr_held_oldest(void)
{
	ULong oldest = 0;

	for (UInt i = 0; i < cr_me->nheld; i++) {
		if (!oldest || cr_me->held[i].since < oldest)
			oldest = cr_me->held[i].since;
	}
	return oldest;
}
