#include "task_thin.h"

#include <sys/mman.h>

_Static_assert(sizeof(struct hd_thin_cell) == 64, "a line of the cache each");

#define LEAVES (1ul << (47 - HD_THIN_LEAF))
#define MORES  (1ul << 30)
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
			       .over = reserve(STEPS), .nmores = 1, .tree = tree };
	return t->leaves && t->mores && t->over;
}

void hd_thin_free(struct hd_thin *t)
{
	for (struct hd_thin_leaf *leaf = t->made, *next; leaf; leaf = next) {
		next = leaf->next;
		munmap(leaf, sizeof(*leaf));
	}
	munmap(t->leaves, LEAVES * sizeof(*t->leaves));
	munmap(t->mores, MORES * sizeof(*t->mores));
	munmap(t->over, STEPS);
}

/* --- cells --- */

static void enter(struct hd_thin_cell *c)
{
	while (__atomic_exchange_n(&c->busy, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void leave(struct hd_thin_cell *c)
{
	__atomic_store_n(&c->busy, 0, __ATOMIC_RELEASE);
}

/* The leaf at @at, made by this thread or another one. */
static struct hd_thin_cell *new_leaf(struct hd_thin *t, struct hd_thin_cell **at)
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
static struct hd_thin_cell *cell_of(struct hd_thin *t, uint64_t addr)
{
	struct hd_thin_cell **at = &t->leaves[addr >> HD_THIN_LEAF & (LEAVES - 1)];
	struct hd_thin_cell *leaf = __atomic_load_n(at, __ATOMIC_ACQUIRE);

	leaf = leaf ? leaf : new_leaf(t, at);
	return leaf ? leaf + (addr >> 2 & (HD_THIN_CELLS - 1)) : NULL;
}

static struct hd_thin_more *more_of(struct hd_thin *t, struct hd_thin_cell *c)
{
	if (!c->more) {
		uint32_t n = __atomic_fetch_add(&t->nmores, 1, __ATOMIC_RELAXED);

		if (n >= MORES)
			return NULL;
		c->more = n;
	}
	if (!c->has_more) {
		t->mores[c->more] = (struct hd_thin_more){ 0 };
		c->has_more = true;
	}
	return &t->mores[c->more];
}

/* All but the number of what it may get again. */
static void clear(struct hd_thin_cell *c)
{
	c->doer = 0;
	c->flags = c->shape = c->has_more = 0;
	c->wrote = c->read[0] = c->read[1] = (struct hd_thin_one){ 0 };
	c->pair[0] = c->pair[1] = (struct hd_thin_two){ 0 };
	c->last = 0;
}

/* --- the tree --- */

static uint32_t ask(struct hd_thin *t, struct hd_thin_lane *l, hd_dpst_id a, hd_dpst_id b)
{
	struct hd_dpst_answer *known = &l->answers[(a ^ b * 31) & (HD_THIN_ANSWERS - 1)];

	l->queries++;
	if (known->a != a || known->b != b) {
		l->walks++;
		*known = (struct hd_dpst_answer){ a, b, hd_dpst_find_out(t->tree, a, b) };
	}
	return known->depth_parallel;
}

static bool parallel(struct hd_thin *t, struct hd_thin_lane *l, hd_dpst_id a, hd_dpst_id me)
{
	return a && a != me && (ask(t, l, a, me) & 1);
}

/* Where @me goes in a set of two, @a and @b: 0 or 1; 2: only it remains, as 0; -1: nowhere. */
static int place(struct hd_thin *t, struct hd_thin_lane *l, hd_dpst_id a, hd_dpst_id b,
		 hd_dpst_id me)
{
	bool with_a, with_b;

	if (a == me || b == me)
		return -1;
	if (!a)
		return 0;
	with_a = parallel(t, l, a, me);
	if (!b)
		return with_a;
	with_b = parallel(t, l, b, me);
	if (!with_a && !with_b)
		return 2;
	if (with_a && with_b && ask(t, l, a, me) >> 1 < ask(t, l, a, b) >> 1)
		return 0;
	return -1;
}

static void add_pair(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
		     hd_dpst_id me, uint32_t site)
{
	int at = place(t, l, c->pair[0].step, c->pair[1].step, me);

	if (at == 2)
		c->pair[1] = (struct hd_thin_two){ 0 };
	if (at >= 0)
		c->pair[at & 1] = (struct hd_thin_two){ me, c->last, site };
}

/* --- accesses --- */

/* Others were here since: what is still known of @me. */
static void take_over(struct hd_thin_cell *c, hd_dpst_id me)
{
	uint8_t flags = 0;

	c->last = 0;
	for (int i = 0; i < 2; i++) {
		if (c->read[i].step == me) {
			flags |= HD_THIN_READ | HD_THIN_LAST_READ;
			c->last = c->read[i].site;
		}
		if (c->pair[i].step == me)
			flags |= HD_THIN_PAIR;
	}
	if (c->wrote.step == me) { /* which came last is not known: no stale pair is made up */
		flags = (uint8_t)((flags | HD_THIN_WROTE) & ~HD_THIN_LAST_READ);
		c->last = c->wrote.site;
	}
	c->doer = me;
	c->flags = flags;
}

/* Is what @me does a race with what is known? Not if it did the same before. */
static bool races(struct hd_thin *t, struct hd_thin_lane *l, const struct hd_thin_cell *c,
		  hd_dpst_id me, bool write)
{
	if (c->doer == me && (c->flags & (write ? HD_THIN_WROTE : HD_THIN_READ)))
		return false;
	return parallel(t, l, c->wrote.step, me) ||
	       (write && (parallel(t, l, c->read[0].step, me) ||
			  parallel(t, l, c->read[1].step, me)));
}

/* A write after an access of the same step. */
static bool write_again(struct hd_thin *t, struct hd_thin_cell *c, hd_dpst_id me, uint32_t site)
{
	bool stale = (c->flags & (HD_THIN_LAST_READ | HD_THIN_STALE)) == HD_THIN_LAST_READ;
	bool twice = (c->flags & (HD_THIN_WROTE | HD_THIN_WRITES)) == HD_THIN_WROTE;
	struct hd_thin_more *more = stale || twice ? more_of(t, c) : NULL;

	if (!more)
		return !stale && !twice;
	if (stale)
		more->stale = (struct hd_thin_two){ me, c->last, site };
	if (twice)
		more->writes = (struct hd_thin_two){ me, c->wrote.site, site };
	c->flags |= (stale ? HD_THIN_STALE : 0) | (twice ? HD_THIN_WRITES : 0);
	return true;
}

/* Would what is known of a step that still runs be lost with the last access? */
static bool crowded(const struct hd_thin *t, const struct hd_thin_cell *c, hd_dpst_id me)
{
	hd_dpst_id other = c->doer;

	return other != me && other && !t->over[other] && c->wrote.step != other &&
	       c->read[0].step != other && c->read[1].step != other;
}

/*
 * Can the cell go on being thin with what @me does? *@at: where it goes among those that read; -1:
 * nowhere.
 */
static bool suits(struct hd_thin *t, struct hd_thin_lane *l, const struct hd_thin_cell *c,
		  hd_dpst_id me, bool write, int *at)
{
	*at = -1;
	if (races(t, l, c, me, write) || crowded(t, c, me))
		return false;
	if (write || (c->doer == me && (c->flags & HD_THIN_READ)))
		return true;
	*at = place(t, l, c->read[0].step, c->read[1].step, me);
	return *at || !c->read[0].step || t->over[c->read[0].step];
}

/* False: it is not thin any more; nothing was changed, unless there is no memory. */
static bool access_cell(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
			hd_dpst_id me, bool write, uint32_t site)
{
	int at;

	if (!suits(t, l, c, me, write, &at))
		return false;
	if (c->doer != me)
		take_over(c, me);
	if ((c->flags & (HD_THIN_READ | HD_THIN_WROTE)) && !(c->flags & HD_THIN_PAIR)) {
		add_pair(t, l, c, me, site);
		c->flags |= HD_THIN_PAIR;
	}
	if (write) {
		if (!write_again(t, c, me, site))
			return false;
		c->wrote = (struct hd_thin_one){ me, site };
		c->flags = (uint8_t)((c->flags | HD_THIN_WROTE) & ~HD_THIN_LAST_READ);
	} else {
		if (at == 2)
			c->read[1] = (struct hd_thin_one){ 0 };
		if (at >= 0)
			c->read[at & 1] = (struct hd_thin_one){ me, site };
		c->flags |= HD_THIN_READ | HD_THIN_LAST_READ;
	}
	c->last = site;
	return true;
}

static bool access_shape(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
			 unsigned shape, hd_dpst_id step, bool write, uint32_t site)
{
	bool done = false;

	enter(c);
	if (!c->shape) {
		c->shape = (uint8_t)shape;
		l->locations++;
	}
	if (c->shape == shape)
		done = access_cell(t, l, c, step, write, site);
	leave(c);
	return done;
}

/* Both halves, or none of them. */
static bool access_halves(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
			  hd_dpst_id step, bool write, uint32_t site)
{
	int at;

	for (int i = 0; i < 2; i++) {
		if (!c[i].shape) {
			c[i].shape = HD_THIN_WORD;
			l->locations++;
		}
		if (c[i].shape != HD_THIN_WORD || !suits(t, l, &c[i], step, write, &at))
			return false;
	}
	return access_cell(t, l, c, step, write, site) &&
	       access_cell(t, l, c + 1, step, write, site);
}

/* Two halves that are accessed as one from now on, or else each for itself. */
static bool access_long(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c,
			hd_dpst_id step, bool write, uint32_t site)
{
	bool done = false;

	enter(c);
	if (c->shape == HD_THIN_LONG) {
		done = access_cell(t, l, c, step, write, site);
		leave(c);
		return done;
	}
	enter(c + 1);
	if (!c->shape && !c[1].shape) {
		c->shape = HD_THIN_LONG;
		c[1].shape = HD_THIN_TAIL;
		l->locations++;
		done = access_cell(t, l, c, step, write, site);
	} else {
		done = access_halves(t, l, c, step, write, site);
	}
	leave(c + 1);
	leave(c);
	return done;
}

/* Two words of what was one: both inherit all that is known. */
static void split(struct hd_thin *t, struct hd_thin_lane *l, struct hd_thin_cell *c)
{
	enter(c);
	enter(c + 1);
	if (c->shape == HD_THIN_LONG) {
		uint32_t more = c[1].more;

		c->shape = HD_THIN_WORD;
		c[1] = *c; /* busy, too */
		c[1].more = more;
		c[1].has_more = false;
		if (c->has_more) {
			struct hd_thin_more *copy = more_of(t, &c[1]);

			if (copy)
				*copy = t->mores[c->more];
		}
		l->locations++;
	}
	leave(c + 1);
	leave(c);
}

bool hd_thin_access(struct hd_thin *t, struct hd_thin_lane *l, hd_dpst_id step, uint64_t addr,
		    unsigned size, bool write, uint32_t site)
{
	struct hd_thin_cell *c = cell_of(t, addr), *first;
	uint8_t shape;

	if (!c)
		return false;
	if (size == 8)
		return access_long(t, l, c, step, write, site);
	shape = __atomic_load_n(&c->shape, __ATOMIC_RELAXED);
	if (shape == HD_THIN_LONG || shape == HD_THIN_TAIL) {
		first = shape == HD_THIN_LONG ? c : c - 1;
		split(t, l, first);
	}
	return access_shape(t, l, c, (unsigned)(addr & 3) * 8 + size, step, write, site);
}

/* --- all of a stretch --- */

static void take(struct hd_thin *t, struct hd_thin_cell *c, uint64_t addr, hd_thin_fn *fn,
		 void *arg)
{
	const struct hd_thin_more *more = c->has_more ? &t->mores[c->more] : NULL;

	if (c->shape == HD_THIN_LONG)
		fn(arg, addr, 8, c, more);
	else if (c->shape && c->shape < HD_THIN_LONG)
		fn(arg, addr + (c->shape >> 3), c->shape & 7, c, more);
	clear(c);
	c->shape = HD_THIN_FAT;
}

bool hd_thin_take(struct hd_thin *t, uint64_t addr, uint64_t len, hd_thin_fn *fn, void *arg)
{
	for (uint64_t at = addr & ~7ull; at < addr + len; at += 8) {
		struct hd_thin_cell *c = cell_of(t, at);
		bool first = addr < at + 4, second = addr + len > at + 4;

		if (!c)
			return false;
		enter(c);
		enter(c + 1);
		if (c->shape == HD_THIN_LONG)
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

void hd_thin_forget(struct hd_thin *t, uint64_t addr, uint64_t len)
{
	/* Eight bytes at a time: nobody gets less of them than that. */
	for (uint64_t at = addr & ~7ull; at < addr + len;) {
		struct hd_thin_cell *c = hd_thin_find(t, at);

		if (!c) {
			at = ((at >> HD_THIN_LEAF) + 1) << HD_THIN_LEAF;
			continue;
		}
		for (int i = 0; i < 2; i++) {
			if (c[i].shape) {
				enter(&c[i]);
				clear(&c[i]);
				leave(&c[i]);
			}
		}
		at += 8;
	}
}
