#include "common/hash.h"
#include "task_thin_cell.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

_Static_assert(sizeof(struct hd_thin_cell) == 32, "half a line of the cache each");

#define LEAVES (1ul << (47 - HD_THIN_LEAF))
#define MORES  (1ul << 28)
#define BYTES  (1ul << 27)
#define STEPS  (1ul << 28) /* as many as hd_dpst_reserve() has room for */

static void *reserve(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

bool hd_thin_init(struct hd_thin *t, const struct hd_dpst *tree)
{
	*t = (struct hd_thin){ .leaves = reserve(LEAVES * sizeof(*t->leaves)),
			       .mores = reserve(MORES * sizeof(*t->mores)),
			       .dids = reserve(HD_THIN_DIDS * sizeof(*t->dids)),
			       .over = reserve(STEPS),
			       .nmores = 1,
			       .bytes = reserve(BYTES * sizeof(*t->bytes)),
			       .nbytes = 1,
			       .tree = tree };
	if (!t->leaves || !t->mores || !t->bytes || !t->dids || !t->over)
		return false;
	t->over[0] = true; /* nobody's: its place can be taken */
	return true;
}

void hd_thin_free(struct hd_thin *t)
{
	for (struct hd_thin_leaf *leaf = t->made, *next; leaf; leaf = next) {
		next = leaf->next;
		munmap(leaf, sizeof(*leaf));
	}
	munmap(t->leaves, LEAVES * sizeof(*t->leaves));
	munmap(t->mores, MORES * sizeof(*t->mores));
	munmap(t->bytes, BYTES * sizeof(*t->bytes));
	munmap(t->dids, HD_THIN_DIDS * sizeof(*t->dids));
	munmap(t->over, STEPS);
	hd_intern_free(&t->known);
}

/* --- what accesses make of what a step did --- */

HOT bool same_place(const struct hd_thin_place *a, const struct hd_thin_place *b)
{
	return a->pc_shape == b->pc_shape && a->ctx == b->ctx;
}

/* A number of @bits bits. */
HOT unsigned hash_of(const struct hd_thin_place *p, uint32_t doing, unsigned bits)
{
	uint64_t all = p->pc_shape ^ (uint64_t)p->ctx << 40 ^ (uint64_t)doing << 20;

	return (unsigned)hd_hash_bits(all, bits);
}

COLD uint32_t learn(struct hd_thin *t, struct hd_thin_learnt *l, uint32_t doing,
		    const struct hd_thin_place *p)
{
	uint32_t after = t->learn(t->arg, doing, p);

	*l = (struct hd_thin_learnt){ *p, doing, after };
	return after;
}

HOT uint32_t after(struct hd_thin *t, struct hd_thin_lane *l, uint32_t doing,
		   const struct hd_thin_place *p)
{
	struct hd_thin_learnt *k = &l->learnt[hash_of(p, doing, HD_THIN_LEARNT_LOG)];

	return same_place(&k->place, p) && k->before == doing ? k->after : learn(t, k, doing, p);
}

/* --- cells --- */

/* The leaf at @at, made by this thread or another one. */
COLD struct hd_thin_cell *new_leaf(struct hd_thin *t, struct hd_thin_cell **at)
{
	struct hd_thin_leaf *leaf = reserve(sizeof(*leaf));
	struct hd_thin_cell *none = NULL;

	if (!leaf)
		return NULL;
	if (!__atomic_compare_exchange_n(at, &none, leaf->cells, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		munmap(leaf, sizeof(*leaf));
		return none;
	}
	leaf->next = __atomic_load_n(&t->made, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&t->made, &leaf->next, leaf, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
	return leaf->cells;
}

/* The cell of @addr; NULL: there is no memory. */
HOT struct hd_thin_cell *cell_of(struct hd_thin *t, uint64_t addr)
{
	struct hd_thin_cell **at = &t->leaves[addr >> HD_THIN_LEAF & (LEAVES - 1)];
	struct hd_thin_cell *leaf = __atomic_load_n(at, __ATOMIC_ACQUIRE);

	leaf = leaf ? leaf : new_leaf(t, at);
	return leaf ? leaf + (addr >> 2 & (HD_THIN_CELLS - 1)) : NULL;
}

HOT uint8_t *used_page(const struct hd_thin *t, uint64_t addr)
{
	struct hd_thin_cell *cells = t->leaves[addr >> HD_THIN_LEAF & (LEAVES - 1)];
	struct hd_thin_leaf *leaf =
		(struct hd_thin_leaf *)((char *)cells - offsetof(struct hd_thin_leaf, cells));

	return &leaf->used[addr >> HD_THIN_PAGE & ((1u << (HD_THIN_LEAF - HD_THIN_PAGE)) - 1)];
}

HOT uint8_t part_of(uint64_t addr)
{
	return (uint8_t)(1u << (addr >> HD_THIN_PART &
				((1u << (HD_THIN_PAGE - HD_THIN_PART)) - 1)));
}

/* The line of @addr, whose cell there is. */
HOT struct hd_thin_cell *line_of(const struct hd_thin *t, uint64_t addr)
{
	struct hd_thin_cell *cells = t->leaves[addr >> HD_THIN_LEAF & (LEAVES - 1)];
	struct hd_thin_leaf *leaf =
		(struct hd_thin_leaf *)((char *)cells - offsetof(struct hd_thin_leaf, cells));

	return &leaf->lines[addr >> HD_THIN_LINE_LOG & (HD_THIN_LINES - 1)];
}

/* There will be locations around @addr, whose cell there is. */
HOT void use_page(struct hd_thin *t, uint64_t addr)
{
	uint8_t *used = used_page(t, addr), part = part_of(addr);

	if (!(__atomic_load_n(used, __ATOMIC_RELAXED) & part))
		__atomic_fetch_or(used, part, __ATOMIC_RELAXED);
}

/* --- entries of a cell --- */

static void lock_mores(struct hd_thin *t)
{
	while (__atomic_exchange_n(&t->mores_lock, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void unlock_mores(struct hd_thin *t)
{
	__atomic_store_n(&t->mores_lock, 0, __ATOMIC_RELEASE);
}

/* The last entry of @c goes where there is room for more; false: there is no memory. */
COLD bool add_more(struct hd_thin *t, struct hd_thin_cell *c)
{
	uint64_t *last = &c->entries[HD_THIN_INLINE - 1];
	uint32_t n;

	lock_mores(t);
	n = t->spare ? t->spare : t->nmores < MORES ? t->nmores++ : 0;
	if (t->spare)
		t->spare = (uint32_t)t->mores[n].entries[0];
	unlock_mores(t);
	if (!n)
		return false;
	t->mores[n] = (struct hd_thin_more){ .entries = { *last } };
	__atomic_store_n(last, (uint64_t)n << 32 | ELSEWHERE, __ATOMIC_RELEASE);
	return true;
}

/* The cells of the bytes of @c, which is HD_THIN_BYTES. */
HOT struct hd_thin_bytes *bytes_of(const struct hd_thin *t, const struct hd_thin_cell *c)
{
	return &t->bytes[look(&c->entries[1])];
}

static uint32_t new_bytes(struct hd_thin *t)
{
	uint32_t n;

	lock_mores(t);
	n = t->spare_bytes ? t->spare_bytes : t->nbytes < BYTES ? t->nbytes++ : 0;
	if (t->spare_bytes)
		t->spare_bytes = (uint32_t)t->bytes[n].cells[0].entries[1];
	unlock_mores(t);
	if (n)
		t->bytes[n] = (struct hd_thin_bytes){ 0 };
	return n;
}

static void clear(struct hd_thin *t, struct hd_thin_cell *c, uint32_t shape);

COLD void free_bytes(struct hd_thin *t, struct hd_thin_bytes *b)
{
	for (int i = 0; i < 4; i++)
		clear(t, &b->cells[i], 0);
	lock_mores(t);
	b->cells[0].entries[1] = t->spare_bytes;
	t->spare_bytes = (uint32_t)(b - t->bytes);
	unlock_mores(t);
}

/* Nothing is known of a cell that is entered. */
static void clear(struct hd_thin *t, struct hd_thin_cell *c, uint32_t shape)
{
	struct hd_thin_more *more = more_of(t, c);

	if (shape_of(c) == HD_THIN_BYTES)
		free_bytes(t, bytes_of(t, c));
	if (more) {
		lock_mores(t);
		more->entries[0] = t->spare;
		t->spare = (uint32_t)(more - t->mores);
		unlock_mores(t);
	}
	for (int i = 1; i < HD_THIN_INLINE; i++)
		__atomic_store_n(&c->entries[i], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&c->entries[0], (uint64_t)shape << 28 | BUSY, __ATOMIC_RELAXED);
}

/*
 * From one cell to many. While the line is busy so are its cells, which are of no shape yet: whoever
 * finds one of those looks at the line first, and waits here.
 */
COLD void take_apart(struct hd_thin *t, struct hd_thin_cell *line, struct hd_thin_cell *cells)
{
	const int n = HD_THIN_LINE / 4;
	struct hd_thin_more *more;
	uint32_t shape;

	enter(line);
	shape = shape_of(line);
	more = more_of(t, line);
	for (int i = 0; i < n && shape && shape != HD_THIN_APART; i++)
		__atomic_store_n(&cells[i].entries[0], BUSY, __ATOMIC_RELAXED);
	for (int i = 0; i < n && shape && shape != HD_THIN_APART; i++) {
		struct hd_thin_cell *c = &cells[i];

		if (shape == HD_THIN_LONG && i % 2) {
			__atomic_store_n(&c->entries[0], (uint64_t)HD_THIN_TAIL << 28,
					 __ATOMIC_RELEASE);
			continue;
		}
		for (int k = 1; k < HD_THIN_INLINE; k++)
			__atomic_store_n(&c->entries[k], line->entries[k], __ATOMIC_RELAXED);
		if (more) {
			c->entries[HD_THIN_INLINE - 1] = 0;
			if (add_more(t, c))
				*more_of(t, c) = *more;
		}
		__atomic_store_n(&c->entries[0], look(&line->entries[0]) & ~BUSY, __ATOMIC_RELEASE);
	}
	if (shape != HD_THIN_APART)
		clear(t, line, HD_THIN_APART);
	leave(line);
}

/* There will be a location at @addr, whose cell there is. */
HOT void use_cell(struct hd_thin *t, uint64_t addr)
{
	struct hd_thin_cell *line = line_of(t, addr);

	use_page(t, addr);
	if ((uint32_t)__atomic_load_n(&line->entries[0], __ATOMIC_ACQUIRE) >> 28 != HD_THIN_APART)
		take_apart(t, line, hd_thin_find(t, addr & ~(uint64_t)(HD_THIN_LINE - 1)));
}

/* --- the tree --- */

COLD uint32_t walk(struct hd_thin *t, struct hd_thin_lane *l, struct hd_dpst_answer *to,
		   hd_dpst_id a, hd_dpst_id b)
{
	l->walks++;
	*to = (struct hd_dpst_answer){ a, b, hd_dpst_find_out(t->tree, a, b) };
	return to->depth_why;
}

HOT uint32_t ask(struct hd_thin *t, struct hd_thin_lane *l, hd_dpst_id a, hd_dpst_id b)
{
	struct hd_dpst_answer *known = &l->answers[(a ^ b * 31) & (HD_THIN_ANSWERS - 1)];

	l->queries++;
	if (known->a == a && known->b == b)
		return known->depth_why;
	return walk(t, l, known, a, b);
}

HOT bool parallel(struct hd_thin *t, struct hd_thin_lane *l, hd_dpst_id a, hd_dpst_id b)
{
	return (ask(t, l, a, b) & hd_dpst_reasons(l->own)) &&
	       !(t->beside && l->keep && t->beside(t->arg, a, b));
}

void hd_thin_lane_forget(struct hd_thin_lane *l)
{
	memset(l->answers, 0, sizeof(l->answers));
	l->era++;
}

/*
 * The rule of task_cells.h: where @me, which began after the others, goes in a set of two, @a and @b:
 * 0 or 1; 2: only it remains, as 0; -1: nowhere.
 */
static int place(struct hd_thin *t, struct hd_thin_lane *l, hd_dpst_id a, hd_dpst_id b,
		 hd_dpst_id me)
{
	bool with_a, with_b;

	if (!a)
		return 0;
	with_a = parallel(t, l, a, me);
	if (!b)
		return with_a;
	with_b = parallel(t, l, b, me);
	if (!with_a && !with_b)
		return 2;
	if (with_a && with_b && ask(t, l, a, me) >> HD_DPST_WHY < ask(t, l, a, b) >> HD_DPST_WHY)
		return 0;
	return -1;
}

/* All entries, those of steps that began earlier first. */
static size_t sorted(struct hd_thin *t, struct hd_thin_cell *c, uint64_t *to)
{
	struct hd_thin_more *more = more_of(t, c);
	size_t n = 0, at;

	for (unsigned i = 0; i < count(more); i++) {
		uint64_t entry = look(entry_at(c, more, i)) & ENTRY;

		if (!(entry & HD_THIN_STEP))
			continue;
		for (at = n++; at && (to[at - 1] & HD_THIN_STEP) > (entry & HD_THIN_STEP); at--)
			to[at] = to[at - 1];
		to[at] = entry;
	}
	return n;
}

/* Steps that stand for all of @entries that did @kind. */
static void stand_for(struct hd_thin *t, struct hd_thin_lane *l, const uint64_t *entries, size_t n,
		      uint32_t kind, hd_dpst_id two[2])
{
	two[0] = two[1] = 0;
	for (size_t i = 0; i < n; i++) {
		hd_dpst_id me = entries[i] & HD_THIN_STEP;
		int at;

		if (!(kinds_of(doing_of(entries[i])) & kind))
			continue;
		at = place(t, l, two[0], two[1], me);
		if (at == 2)
			two[1] = 0;
		if (at >= 0)
			two[at & 1] = me;
	}
}

/* Leave out steps that have ended and that others stand for. */
COLD void make_room(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c)
{
	uint64_t all[ENTRIES];
	size_t n = sorted(t, c, all);
	struct hd_thin_more *more = more_of(t, c);
	hd_dpst_id keep[10];

	for (unsigned k = 0; k < 5; k++)
		stand_for(t, l, all, n, 1u << k, &keep[2 * k]);
	for (unsigned i = 0; i < count(more); i++) {
		uint64_t *at = entry_at(c, more, i);
		hd_dpst_id step = look(at) & HD_THIN_STEP;
		bool kept = !t->over[step];

		for (unsigned k = 0; k < 10; k++)
			kept |= keep[k] == step;
		if (!kept)
			set_entry(at, !i, 0);
	}
}

/* --- accesses --- */

/* What @step does next to a cell, and what it did so far. */
struct turn {
	hd_dpst_id step;
	uint32_t before, after;
	int mine, vacant;  /* numbers of entries; -1: there is none */
	uint32_t outdated; /* entries, as bits, that the access makes needless */
};

/* What @step did here; 0: nothing is known. */
HOT uint32_t find(struct hd_thin_cell *c, struct hd_thin_more *more, hd_dpst_id step)
{
	for (unsigned i = 0; i < count(more); i++) {
		uint64_t entry = look(entry_at(c, more, i));

		if ((entry & HD_THIN_STEP) == step)
			return doing_of(entry);
	}
	return 0;
}

/* False: there is no memory. */
HOT bool plan(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
	      const struct hd_thin_place *p, struct turn *turn)
{
	struct hd_thin_more *more = more_of(t, c);

	turn->before = more ? find(c, more, turn->step) : find(c, NULL, turn->step);
	turn->after = turn->before & (hd_thin_writes(p) ? HD_THIN_DONE_WRITE : HD_THIN_DONE_READ)
			      ? turn->before
			      : after(t, l, turn->before, p);
	return turn->after;
}

/*
 * False: that is a race, or may be one. What came before the step (nothing that is not parallel comes
 * after) and did no more than it is needless: all that is parallel to that is parallel to it, too.
 */
HOT bool suits_among(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
		     struct hd_thin_more *more, struct turn *turn)
{
	uint32_t kinds = kinds_of(turn->after), new = kinds & ~kinds_of(turn->before);
	bool write = new &HD_THIN_WROTE;
	bool first = write || ((new &HD_THIN_READ) && !(kinds & HD_THIN_WROTE));

	turn->mine = turn->vacant = -1;
	turn->outdated = 0;
	for (unsigned i = 0; i < count(more); i++) {
		uint64_t entry = look(entry_at(c, more, i));
		hd_dpst_id step = entry & HD_THIN_STEP;
		uint32_t did = kinds_of(doing_of(entry));
		bool conflicts = write || (did & HD_THIN_WROTE);

		if (!step) {
			turn->vacant = (int)i;
		} else if (step == turn->step) {
			if (doing_of(entry) != turn->before)
				return false; /* it was missed: add_more() moved it meanwhile */
			turn->mine = (int)i;
		} else if (first && (conflicts || !(did & ~kinds))) {
			if (!parallel(t, l, step, turn->step))
				turn->outdated |= did & ~kinds ? 0 : 1u << i;
			else if (conflicts)
				return false;
		} else if (new && (kinds & HD_THIN_WROTE) && !(did & ~kinds) &&
			   !parallel(t, l, step, turn->step)) {
			turn->outdated |= 1u << i;
		}
	}
	return true;
}

static bool suits_in_more(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
			  struct hd_thin_more *more, struct turn *turn)
{
	return suits_among(t, l, c, more, turn);
}

HOT bool suits(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c, struct turn *turn)
{
	struct hd_thin_more *more = more_of(t, c);

	return more ? suits_in_more(t, l, c, more, turn) : suits_among(t, l, c, NULL, turn);
}

/* The number of an entry that can be used; -1: there is no room. */
COLD int room_for(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c)
{
	struct hd_thin_more *more;

	if (!l->keep)
		make_room(t, l, c);
	for (int tries = 0; tries < 2; tries++) {
		more = more_of(t, c);
		for (unsigned i = 0; i < count(more); i++) {
			if (!(look(entry_at(c, more, i)) & HD_THIN_STEP))
				return (int)i;
		}
		if (more || !add_more(t, c))
			break;
	}
	return -1;
}

/* Note what suits(). False: there is no room. */
HOT bool note(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
	      const struct turn *turn)
{
	int at = turn->mine >= 0 ? turn->mine : turn->vacant;
	struct hd_thin_more *more = more_of(t, c);

	for (uint32_t left = turn->outdated; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		set_entry(entry_at(c, more, i), !i, 0);
		at = at < 0 ? (int)i : at;
	}
	if (at < 0) {
		at = room_for(t, l, c);
		more = more_of(t, c);
		if (at < 0)
			return false;
	}
	/* In front, where it is found at once; unless others that run are there. */
	for (int i = 0; turn->mine < 0 && i < at && i < HD_THIN_INLINE - 1; i++) {
		if (t->over[look(&c->entries[i]) & HD_THIN_STEP]) {
			set_entry(entry_at(c, more, (unsigned)at), false,
				  look(&c->entries[i]) & ENTRY);
			at = i;
		}
	}
	set_entry(entry_at(c, more, (unsigned)at), !at, (uint64_t)turn->after << 32 | turn->step);
	return true;
}

/* The entry in front changes, to something that is nobody else's business? */
HOT bool in_front(struct hd_thin_cell *c, uint32_t shape, const struct turn *turn,
		  struct hd_thin_move *move)
{
	const uint32_t new = kinds_of(turn->after) & ~kinds_of(turn->before);
	uint64_t now = (uint64_t)turn->before << 32 | shape << 28 | turn->step;

	if (!turn->before || (new &(HD_THIN_READ | HD_THIN_WROTE)))
		return false;
	if ((turn->after & HD_THIN_WROTE) && look(&c->entries[1]))
		return false; /* it may make that needless */
	move->from.entries[0] = now;
	move->to.entries[0] = (uint64_t)turn->after << 32 | (uint32_t)now;
	move->front = true;
	return __atomic_compare_exchange_n(&c->entries[0], &now, move->to.entries[0], false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

HOT struct hd_thin_move *move_of(struct hd_thin_lane *l, const struct hd_thin_cell *c,
				 const struct hd_thin_place *p)
{
	uint32_t doing = doing_of(look(&c->entries[0])) ^ doing_of(look(&c->entries[1])) << 3;

	return &l->moves[hash_of(p, doing, HD_THIN_MOVES_LOG)];
}

static void make_location(struct hd_thin_lane *l, struct hd_thin_cell *c, uint32_t shape,
			  unsigned locations)
{
	set_shape(c, shape);
	l->locations += locations;
	l->cells++;
}

/* @locations: how many there will be if there are none. */
static bool access_one(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
		       uint32_t shape, hd_dpst_id step, const struct hd_thin_place *p,
		       unsigned locations)
{
	struct hd_thin_move *move = move_of(l, c, p);
	struct turn turn = { .step = step };
	bool done = false;

	if (!plan(t, l, c, p, &turn))
		return false;
	l->done = turn.after & DONE;
	if (turn.before == turn.after && shape_of(c) == shape)
		return true;
	move->place = *p;
	move->done = l->done;
	move->step = 0;
	move->own = l->own;
	move->era = l->era;
	if (in_front(c, shape, &turn, move)) {
		move->step = step;
		return true;
	}
	enter(c);
	move->from = *c;
	move->made = shape_of(c) ? 0 : (uint8_t)locations;
	if (move->made)
		make_location(l, c, shape, locations);
	if (shape_of(c) == shape)
		done = suits(t, l, c, &turn) && note(t, l, c, &turn);
	if (done && !more_of(t, c)) {
		move->from.entries[0] &= ~BUSY;
		move->to = *c;
		move->to.entries[0] &= ~BUSY;
		move->front = false;
		move->step = step;
	}
	leave(c);
	return done;
}

HOT bool same_rest(const struct hd_thin_cell *a, const struct hd_thin_cell *b)
{
	uint64_t differ = 0;

	for (int i = 1; i < HD_THIN_INLINE; i++)
		differ |= look(&a->entries[i]) ^ b->entries[i];
	return !differ;
}

/* The same as before: a step often goes through many locations in the same way. */
HOT bool again(struct hd_thin_lane *l, struct hd_thin_cell *c, hd_dpst_id step,
	       const struct hd_thin_place *p)
{
	uint64_t first = look(&c->entries[0]);
	const struct hd_thin_move *m = move_of(l, c, p);
	bool same;

	if (m->step != step || m->own != l->own || m->era != l->era || !same_place(&m->place, p) ||
	    m->from.entries[0] != first)
		return false;
	l->done = m->done;
	if (m->front)
		return __atomic_compare_exchange_n(&c->entries[0], &first, m->to.entries[0], false,
						   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	if (!same_rest(c, &m->from) ||
	    !__atomic_compare_exchange_n(&c->entries[0], &first, first | BUSY, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	same = same_rest(c, &m->from);
	if (same) {
		for (int i = 1; i < HD_THIN_INLINE; i++)
			__atomic_store_n(&c->entries[i], m->to.entries[i], __ATOMIC_RELAXED);
		l->locations += m->made;
		l->cells += m->made > 0;
	}
	__atomic_store_n(&c->entries[0], same ? m->to.entries[0] : first, __ATOMIC_RELEASE);
	return same;
}

/* What was noted, as it was before. */
static void take_back(struct hd_thin *t, struct hd_thin_cell *c, const struct turn *turn)
{
	struct hd_thin_more *more = more_of(t, c);
	uint64_t before = turn->before ? (uint64_t)turn->before << 32 | turn->step : 0;

	for (unsigned i = 0; i < count(more); i++) {
		if ((look(entry_at(c, more, i)) & HD_THIN_STEP) == turn->step)
			set_entry(entry_at(c, more, i), !i, before);
	}
}

/* What @from knows, for @to, which is nobody else's yet. False: there is no memory. */
static bool inherit(struct hd_thin *t, struct hd_thin_cell *to, struct hd_thin_cell *from,
		    uint32_t shape)
{
	struct hd_thin_more *more = more_of(t, from);

	*to = *from;
	to->entries[0] = (to->entries[0] & ENTRY) | (uint64_t)shape << 28;
	if (!more)
		return true;
	to->entries[HD_THIN_INLINE - 1] = 0;
	if (!add_more(t, to))
		return false;
	*more_of(t, to) = *more;
	return true;
}

/* The first byte of a cell of this shape, and how many there are. */
static unsigned bytes_in(uint32_t shape, unsigned *first)
{
	*first = shape < 5 ? shape - 1 : shape == HD_THIN_WORD ? 0 : (shape - 5) * 2;
	return shape < 5 ? 1 : shape == HD_THIN_WORD ? 4 : 2;
}

/* The bytes of a cell that has a location get cells of their own. False: they did not. */
COLD bool make_bytes(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c)
{
	uint32_t number = new_bytes(t), shape;
	unsigned first, n;
	bool made = number;

	enter(c);
	shape = shape_of(c);
	if (made && shape && shape <= HD_THIN_WORD) {
		n = bytes_in(shape, &first);
		for (unsigned i = first; i < first + n; i++)
			made = inherit(t, &t->bytes[number].cells[i], c, 1) && made;
		if (made) {
			clear(t, c, HD_THIN_BYTES);
			__atomic_store_n(&c->entries[1], number, __ATOMIC_RELAXED);
			l->locations += n - 1;
			number = 0;
		}
	}
	made = shape_of(c) == HD_THIN_BYTES;
	leave(c);
	if (number)
		free_bytes(t, &t->bytes[number]);
	return made;
}

/* Cells that an access goes to at once: words, or bytes of words. */
struct group {
	struct hd_thin_cell *words[2], *of[8]; /* of: the word that a cell is or belongs to */
	struct hd_thin_cell *cells[8];
	unsigned nwords, n;
};

/* @n bytes of word @c, from @first on. False: it is not thin. */
static bool add_word(struct hd_thin *t, struct hd_thin_lane *l, struct group *g,
		     struct hd_thin_cell *c, unsigned first, unsigned n)
{
	uint32_t shape = shape_of(c);

	g->words[g->nwords++] = c;
	if (n == 4 && (!shape || shape == HD_THIN_WORD)) {
		g->of[g->n] = c;
		g->cells[g->n++] = c;
		return true;
	}
	if (shape != HD_THIN_BYTES && !make_bytes(t, l, c))
		return false;
	for (unsigned i = first; i < first + n; i++) {
		g->of[g->n] = c;
		g->cells[g->n++] = &bytes_of(t, c)->cells[i];
	}
	return true;
}

/* Is cell @i of @g, whose word is entered, still what it was? */
static bool is_still(const struct hd_thin *t, const struct group *g, unsigned i)
{
	struct hd_thin_cell *c = g->of[i];
	uint32_t shape = shape_of(c);

	if (g->cells[i] == c)
		return !shape || shape == HD_THIN_WORD;
	return shape == HD_THIN_BYTES && g->cells[i] >= bytes_of(t, c)->cells &&
	       g->cells[i] < bytes_of(t, c)->cells + 4;
}

/* Notes in all cells of @g, whose words are entered, or in none of them. */
static bool note_all(struct hd_thin *t, struct hd_thin_lane *l, struct group *g, struct turn *turns)
{
	for (unsigned i = 0; i < g->n; i++) {
		if (!is_still(t, g, i))
			return false;
		if (!shape_of(g->cells[i]))
			make_location(l, g->cells[i], g->cells[i] == g->of[i] ? HD_THIN_WORD : 1,
				      1);
		if (!suits(t, l, g->cells[i], &turns[i]))
			return false;
	}
	for (unsigned i = 0; i < g->n; i++) {
		if (note(t, l, g->cells[i], &turns[i]))
			continue;
		while (i--)
			take_back(t, g->cells[i], &turns[i]);
		return false;
	}
	return true;
}

static bool access_group(struct hd_thin *t, struct hd_thin_lane *l, struct group *g,
			 hd_dpst_id step, const struct hd_thin_place *p)
{
	struct turn turns[8];
	bool news = false, done;

	l->done = DONE;
	for (unsigned i = 0; i < g->n; i++) {
		turns[i] = (struct turn){ .step = step };
		if (!plan(t, l, g->cells[i], p, &turns[i]))
			return false;
		l->done &= turns[i].after;
		news |= turns[i].before != turns[i].after || !shape_of(g->cells[i]);
	}
	if (!news)
		return true;
	for (unsigned i = 0; i < g->nwords; i++)
		enter(g->words[i]);
	done = note_all(t, l, g, turns);
	for (unsigned i = g->nwords; i--;)
		leave(g->words[i]);
	return done;
}

/* Both halves, or none of them. */
COLD bool access_halves(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
			hd_dpst_id step, const struct hd_thin_place *p)
{
	struct group g = { .n = 0 };

	return add_word(t, l, &g, c, 0, 4) && add_word(t, l, &g, c + 1, 0, 4) &&
	       access_group(t, l, &g, step, p);
}

/* Bytes of a word that was accessed in other parts before. */
COLD bool access_bytes(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
		       hd_dpst_id step, uint64_t addr, const struct hd_thin_place *p)
{
	struct group g = { .n = 0 };

	return add_word(t, l, &g, c, addr & 3, hd_thin_size(p)) && access_group(t, l, &g, step, p);
}

bool hd_thin_seen_bytes(const struct hd_thin *t, hd_dpst_id step, uint64_t addr, unsigned size,
			bool write)
{
	const struct hd_thin_cell *c = hd_thin_find(t, addr);

	if (!c || size > 4 || shape_of(c) != HD_THIN_BYTES)
		return false;
	for (unsigned i = addr & 3; i < (addr & 3) + size; i++) {
		const struct hd_thin_cell *b = &bytes_of(t, c)->cells[i];

		if (!hd_thin_done(look(&b->entries[0]), step, write))
			return false;
	}
	return true;
}

/* Two cells that nobody has used become one. False: somebody has. */
HOT bool access_new(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
		    hd_dpst_id step, const struct hd_thin_place *p)
{
	uint32_t doing = after(t, l, 0, p);
	uint64_t first = 0, second = 0;

	l->done = doing & DONE;
	if (!doing || look(&c[1].entries[0]) ||
	    !__atomic_compare_exchange_n(&c->entries[0], &first, BUSY, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	if (__atomic_compare_exchange_n(&c[1].entries[0], &second, (uint64_t)HD_THIN_TAIL << 28,
					false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		first = (uint64_t)doing << 32 | (uint64_t)HD_THIN_LONG << 28 | step;
		l->locations++;
		l->cells += 2;
	}
	__atomic_store_n(&c->entries[0], first, __ATOMIC_RELEASE);
	return first;
}

/* Two words of what was one: both inherit all that is known. */
COLD void split(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c)
{
	enter(c);
	enter(c + 1);
	if (shape_of(c) == HD_THIN_LONG) {
		struct hd_thin_more *more = more_of(t, c);

		set_shape(c, HD_THIN_WORD);
		c[1] = *c; /* busy, too */
		l->locations++;
		if (more) {
			c[1].entries[HD_THIN_INLINE - 1] = 0;
			if (add_more(t, c + 1))
				*more_of(t, c + 1) = *more;
			else
				clear(t, c + 1, HD_THIN_WORD);
		}
	}
	leave(c + 1);
	leave(c);
}

bool hd_thin_access(struct hd_thin *t, struct hd_thin_lane *l, hd_dpst_id step, uint64_t addr,
		    const struct hd_thin_place *p)
{
	uint32_t want = hd_thin_shape(addr, hd_thin_size(p)), shape;
	struct hd_thin_cell *c = cell_of(t, addr);

	if (!c)
		return false;
	if (!shape_of(c) || (want == HD_THIN_LONG && !shape_of(c + 1)))
		use_cell(t, addr);
	if (again(l, c, step, p))
		return true;
	shape = shape_of(c);
	if (want != shape) {
		if (want == HD_THIN_LONG && !shape && access_new(t, l, c, step, p))
			return true;
		if (want != HD_THIN_LONG && (shape == HD_THIN_LONG || shape == HD_THIN_TAIL))
			split(t, l, shape == HD_THIN_LONG ? c : c - 1);
		if (want == HD_THIN_LONG && shape_of(c) != HD_THIN_LONG)
			return access_halves(t, l, c, step, p);
		shape = shape_of(c);
		if (want != HD_THIN_LONG && shape && shape != want && shape != HD_THIN_FAT)
			return access_bytes(t, l, c, step, addr, p);
	}
	return access_one(t, l, c, want, step, p, 1);
}

/* Pairs of words become words: both inherit all that is known. */
COLD void make_words(struct hd_thin_cell *line)
{
	enter(line);
	if (shape_of(line) == HD_THIN_LONG)
		set_shape(line, HD_THIN_WORD);
	leave(line);
}

bool hd_thin_access_line(struct hd_thin *t, struct hd_thin_lane *l, hd_dpst_id step, uint64_t addr,
			 unsigned size, bool write, uint64_t pc, uint32_t ctx)
{
	struct hd_thin_place p = hd_thin_place(
		pc, ctx, addr, size == 8 ? HD_THIN_ELEMENT8 : HD_THIN_ELEMENT4, write);
	uint32_t want = size == 8 ? HD_THIN_LONG : HD_THIN_WORD;
	struct hd_thin_cell *line;

	if (!cell_of(t, addr))
		return false;
	line = line_of(t, addr);
	if (shape_of(line) == HD_THIN_APART)
		return false;
	if (!shape_of(line))
		use_page(t, addr);
	if (again(l, line, step, &p))
		return true;
	if (want == HD_THIN_WORD && shape_of(line) == HD_THIN_LONG)
		make_words(line);
	if (shape_of(line) == HD_THIN_WORD)
		want = HD_THIN_WORD;
	return access_one(t, l, line, want, step, &p,
			  HD_THIN_LINE / (want == HD_THIN_LONG ? 8 : 4));
}

/* --- all of a stretch --- */

static void take_bytes(struct hd_thin *t, struct hd_thin_cell *c, uint64_t addr, hd_thin_fn *fn,
		       void *arg)
{
	uint64_t all[ENTRIES];

	for (unsigned i = 0; i < 4; i++) {
		struct hd_thin_cell *b = &bytes_of(t, c)->cells[i];

		if (shape_of(b))
			fn(arg, addr + i, 1, all, sorted(t, b, all));
	}
}

static void take(struct hd_thin *t, struct hd_thin_cell *c, uint64_t addr, hd_thin_fn *fn,
		 void *arg)
{
	uint32_t shape = shape_of(c);
	uint64_t all[ENTRIES];
	size_t n;

	if (shape == HD_THIN_BYTES) {
		take_bytes(t, c, addr, fn, arg);
		clear(t, c, HD_THIN_FAT);
		return;
	}
	n = sorted(t, c, all);
	if (shape == HD_THIN_LONG || shape == HD_THIN_WORD)
		fn(arg, addr, shape == HD_THIN_LONG ? 8 : 4, all, n);
	else if (shape && shape < 5)
		fn(arg, addr + shape - 1, 1, all, n);
	else if (shape && shape < HD_THIN_WORD)
		fn(arg, addr + (shape - 5) * 2, 2, all, n);
	clear(t, c, HD_THIN_FAT);
}

bool hd_thin_take(struct hd_thin *t, uint64_t addr, uint64_t len, hd_thin_fn *fn, void *arg)
{
	for (uint64_t at = addr & ~7ull; at < addr + len; at += 8) {
		struct hd_thin_cell *c = cell_of(t, at);
		bool first = addr<at + 4, second = addr + len> at + 4;

		if (!c)
			return false;
		if ((!first || shape_of(c) == HD_THIN_FAT) &&
		    (!second || shape_of(c + 1) == HD_THIN_FAT))
			continue;
		use_cell(t, at);
		enter(c);
		enter(c + 1);
		if (shape_of(c) == HD_THIN_LONG)
			first = second = true;
		if (first)
			take(t, c, at, fn, arg);
		if (second)
			take(t, c + 1, at + 4, fn, arg);
		leave(c + 1);
		leave(c);
	}
	return true;
}

static void forget_cell(struct hd_thin *t, struct hd_thin_cell *c)
{
	if (!shape_of(c))
		return;
	enter(c);
	clear(t, c, 0);
	leave(c);
}

static void forget_cells(struct hd_thin *t, uint64_t at, uint64_t stop)
{
	for (uint64_t next; at < stop; at = next) {
		struct hd_thin_cell *line = line_of(t, at), *c = hd_thin_find(t, at);

		next = (at | (HD_THIN_LINE - 1)) + 1;
		if (next > stop)
			next = stop;
		if (next - at < HD_THIN_LINE && shape_of(line))
			use_cell(t, at);
		for (size_t i = 0; i < (next - at) / 4 && shape_of(line) == HD_THIN_APART; i++)
			forget_cell(t, &c[i]);
		if (next - at == HD_THIN_LINE)
			forget_cell(t, line);
	}
}

/* From @at to @stop in one page: a task's stack is a page of which few bytes were used. */
static void forget_parts(struct hd_thin *t, uint64_t at, uint64_t stop)
{
	const uint64_t part = 1u << HD_THIN_PART;
	uint8_t *used = used_page(t, at), bits = __atomic_load_n(used, __ATOMIC_RELAXED);

	for (uint64_t next; bits && at < stop; at = next) {
		next = (at | (part - 1)) + 1;
		if (next > stop)
			next = stop;
		if (!(bits & part_of(at)))
			continue;
		forget_cells(t, at, next);
		if (next - at == part)
			__atomic_fetch_and(used, (uint8_t)~part_of(at), __ATOMIC_RELAXED);
	}
}

/* Is nothing known of this page and the seven after it, all in one leaf? */
static bool are_unused(const struct hd_thin *t, uint64_t at)
{
	uint64_t eight;

	if (at & ((8u << HD_THIN_PAGE) - 1))
		return false;
	memcpy(&eight, used_page(t, at), sizeof(eight));
	return !eight;
}

void hd_thin_forget(struct hd_thin *t, uint64_t addr, uint64_t len)
{
	const uint64_t page = 1u << HD_THIN_PAGE, end = (addr + len + 7) & ~7ull;

	/* Eight bytes at a time: nobody gets less of them than that. */
	for (uint64_t at = addr & ~7ull, next; at < end; at = next) {
		bool known = hd_thin_find(t, at);

		if (known && are_unused(t, at)) {
			next = at + 8 * page;
			continue;
		}
		next = known ? (at | (page - 1)) + 1 : ((at >> HD_THIN_LEAF) + 1) << HD_THIN_LEAF;
		if (known)
			forget_parts(t, at, next < end ? next : end);
	}
}
