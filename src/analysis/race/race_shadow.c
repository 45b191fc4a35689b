#include "race_quick.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/hash.h"

/* Address space; NULL: there is none. */
static void *reserve(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p; /* NULL too: refused by the arena */
}

#define CELLS_BYTES (HD_PAGE_CELLS * sizeof(struct hd_shadow_cell))

/*
 * Cells come from one room, one after the other. Those behind the first, which most runs do not get to, are
 * of the kernel's large pages: there are fewer to fault in, and random accesses gain much by it.
 */
#define ROOM	    (UINT64_C(1) << 38)
#define PAGES_ROOM  (ROOM / CELLS_BYTES * sizeof(struct hd_shadow_page))
#define NARROW_ROOM (ROOM / CELLS_BYTES * sizeof(struct hd_shadow_narrow))
#define LARGE_PAGE  (UINT64_C(1) << 21)

static void make_room(struct hd_shadow_pool *p, size_t len)
{
	p->room = p->next = reserve(len);
	p->left = p->room ? len : 0;
}

static void use_large_pages(const struct hd_shadow_pool *p, size_t len)
{
	uintptr_t large = ((uintptr_t)p->room + 2 * LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);

	if (p->room)
		madvise((void *)large, len - (large - (uintptr_t)p->room), MADV_HUGEPAGE);
}

static void make_rooms(struct hd_shadow *s)
{
	make_room(&s->pages, PAGES_ROOM);
	make_room(&s->cells, ROOM);
	make_room(&s->narrow, NARROW_ROOM);
	use_large_pages(&s->cells, ROOM);
	use_large_pages(&s->narrow, NARROW_ROOM);
}

bool hd_shadow_init(struct hd_shadow *s, bool direct)
{
	*s = (struct hd_shadow){ .last_number = UINT64_MAX };
	if (direct) {
		s->direct = reserve(HD_DIRECT_PAGES * sizeof(*s->direct));
		make_rooms(s);
	}
	return true;
}

static uint32_t home(const struct hd_shadow *s, uint64_t number)
{
	return hd_hash_place(number, s->cap - 1);
}

static uint32_t probe(const struct hd_shadow *s, uint64_t number)
{
	uint32_t i = home(s, number);

	while (s->hashed[i] && s->hashed_keys[i] != number)
		i = (i + 1) & (s->cap - 1);
	return i;
}

static bool grow(struct hd_shadow *s)
{
	struct hd_shadow bigger = *s;

	bigger.cap = s->cap ? 2 * s->cap : 256;
	bigger.hashed = calloc(bigger.cap, sizeof(*bigger.hashed));
	bigger.hashed_keys = calloc(bigger.cap, sizeof(*bigger.hashed_keys));
	if (!bigger.hashed || !bigger.hashed_keys) {
		free(bigger.hashed);
		free(bigger.hashed_keys);
		return false;
	}
	for (uint32_t i = 0; i < s->cap; i++) {
		uint32_t j;

		if (!s->hashed[i])
			continue;
		j = probe(&bigger, s->hashed_keys[i]);
		bigger.hashed[j] = s->hashed[i];
		bigger.hashed_keys[j] = s->hashed_keys[i];
	}
	free(s->hashed);
	free(s->hashed_keys);
	*s = bigger;
	return true;
}

struct hd_shadow_page *hd_shadow_find(struct hd_shadow *s, uint64_t addr)
{
	uint64_t number = addr >> HD_PAGE_LOG;
	struct hd_shadow_page *p;

	if (s->direct && number < HD_DIRECT_PAGES)
		return s->direct[number];
	if (s->last_number == number)
		return s->last;
	if (!s->cap)
		return NULL;
	p = s->hashed[probe(s, number)];
	if (p) {
		s->last_number = number;
		s->last = p;
	}
	return p;
}

/*
 * Where there is no room: one allocation for many things of a size, which stay. Few at first, for most
 * runs need few.
 */
#define SLAB_FIRST 4u
#define SLAB_LAST  128u
#define LINE	   64u

struct hd_shadow_slab {
	struct hd_shadow_slab *next;
	uint32_t n, used;
	char things[] __attribute__((aligned(LINE)));
};

static struct hd_shadow_slab *new_slab(uint32_t n, size_t size)
{
	char *raw = calloc(1, sizeof(struct hd_shadow_slab) + n * size + 2 * LINE);
	struct hd_shadow_slab *slab;

	if (!raw)
		return NULL;
	/* As aligned as what is in it; where the allocation begins is kept before it. */
	slab = (struct hd_shadow_slab *)(((uintptr_t)raw + 2 * LINE - 1) & ~(uintptr_t)(LINE - 1));
	((char **)slab)[-1] = raw;
	slab->n = n;
	return slab;
}

/* All zero; NULL: out of memory. */
static void *new_thing(struct hd_shadow_pool *p, size_t size)
{
	struct hd_shadow_slab *slab = p->slabs;

	if (p->left >= size) {
		p->left -= size;
		p->next += size;
		return p->next - size;
	}
	if (!slab || slab->used == slab->n) {
		uint32_t n = !slab ? SLAB_FIRST : slab->n < SLAB_LAST ? 4 * slab->n : SLAB_LAST;

		slab = new_slab(n < SLAB_LAST ? n : SLAB_LAST, size);
		if (!slab)
			return NULL;
		slab->next = p->slabs;
		p->slabs = slab;
	}
	return slab->things + slab->used++ * size;
}

static void free_pool(struct hd_shadow_pool *p, size_t room)
{
	while (p->slabs) {
		struct hd_shadow_slab *slab = p->slabs;

		p->slabs = slab->next;
		free(((char **)slab)[-1]);
	}
	if (p->room)
		munmap(p->room, room);
}

/* What is in the first of cells that are not used. */
union unused {
	struct hd_shadow_cell cell;
	struct hd_shadow_cell *next;
};

struct hd_shadow_cell *hd_shadow_new_cells(struct hd_shadow *s)
{
	struct hd_shadow_cell *cells = s->unused;

	if (!cells)
		return new_thing(&s->cells, CELLS_BYTES);
	s->unused = ((union unused *)cells)->next;
	*cells = (struct hd_shadow_cell){ 0 };
	return cells;
}

static void put_cells(struct hd_shadow *s, struct hd_shadow_cell *cells)
{
	((union unused *)cells)->next = s->unused;
	s->unused = cells;
}

/* Of all pages that are uniform: only looked at. */
static struct hd_shadow_cell blank[HD_PAGE_CELLS];

struct hd_shadow_page *hd_shadow_get(struct hd_shadow *s, uint64_t addr)
{
	struct hd_shadow_page *p = hd_shadow_find(s, addr);
	uint64_t number = addr >> HD_PAGE_LOG;
	uint32_t i;

	if (p)
		return p;
	if (s->used * 2 >= s->cap && !grow(s))
		return NULL;
	p = new_thing(&s->pages, sizeof(*p));
	if (!p)
		return NULL;
	p->uniform = true;
	p->cells = blank;
	if (s->direct && number < HD_DIRECT_PAGES)
		s->direct[number] = p;
	/* In the hash in any case: the direct table is too large to walk at the end. */
	i = probe(s, number);
	s->hashed[i] = p;
	s->hashed_keys[i] = number;
	s->used++;
	return p;
}

/* ---- narrow pages ---------------------------------------------------------- */

union unused_narrow {
	struct hd_shadow_narrow narrow;
	struct hd_shadow_narrow *next;
};

static struct hd_shadow_narrow *new_narrow(struct hd_shadow *s)
{
	struct hd_shadow_narrow *n = s->unused_narrow;

	if (!n)
		return new_thing(&s->narrow, sizeof(*n));
	s->unused_narrow = ((union unused_narrow *)n)->next;
	memset(n, 0, sizeof(*n));
	return n;
}

static void put_narrow(struct hd_shadow *s, struct hd_shadow_narrow *n)
{
	((union unused_narrow *)n)->next = s->unused_narrow;
	s->unused_narrow = n;
}

bool hd_shadow_make_narrow(struct hd_shadow *s, struct hd_shadow_page *p)
{
	p->narrow = new_narrow(s);
	return p->narrow;
}

/* Of a cell of eight bytes: that of the first four is left, that of the last four is returned. */
static struct hd_narrow_cell divide_narrow_cell(struct hd_narrow_cell *c)
{
	uint32_t part = (c->write | c->read) & HD_NARROW_PART;
	struct hd_narrow_cell odd;

	c->write &= ~HD_NARROW_PART;
	c->read &= ~HD_NARROW_PART;
	odd = *c;
	if (part == HD_NARROW_PART) {
		*c = (struct hd_narrow_cell){ 0 };
	} else if (part) {
		odd = (struct hd_narrow_cell){ 0 };
	} else {
		c->write |= c->write ? HD_NARROW_WIDE : 0;
		c->read |= c->read ? HD_NARROW_WIDE : 0;
	}
	return odd;
}

bool hd_shadow_divide_narrow(struct hd_shadow *s, struct hd_shadow_page *p)
{
	struct hd_shadow_narrow *odd = new_narrow(s);

	if (!odd)
		return false;
	for (uint32_t i = 0; i < HD_PAGE_CELLS; i++) {
		if (p->narrow->cells[i].write | p->narrow->cells[i].read)
			odd->cells[i] = divide_narrow_cell(&p->narrow->cells[i]);
	}
	p->narrow_odd = odd;
	return true;
}

/* ---- full ones ------------------------------------------------------------- */

static void widen_cells(struct hd_shadow_cell *cells, const struct hd_shadow_page *p,
			const struct hd_shadow_narrow *n)
{
	for (uint32_t i = 0; i < HD_PAGE_CELLS; i++) {
		if (n->cells[i].write | n->cells[i].read)
			cells[i] = hd_narrow_full(p, n->cells[i]);
	}
}

static bool spread_narrow(struct hd_shadow *s, struct hd_shadow_page *p,
			  struct hd_shadow_cell *cells)
{
	struct hd_shadow_cell *odd = NULL;

	if (p->narrow_odd) {
		odd = hd_shadow_new_cells(s);
		if (!odd)
			return false;
		widen_cells(odd, p, p->narrow_odd);
	}
	widen_cells(cells, p, p->narrow);
	put_narrow(s, p->narrow);
	if (p->narrow_odd)
		put_narrow(s, p->narrow_odd);
	p->narrow = NULL;
	p->odd = odd;
	return true;
}

bool hd_shadow_spread(struct hd_shadow *s, struct hd_shadow_page *p)
{
	struct hd_shadow_cell *cells;

	if (!p->uniform)
		return true;
	cells = hd_shadow_new_cells(s);
	if (!cells)
		return false;
	if (p->narrow) {
		if (!spread_narrow(s, p, cells)) {
			put_cells(s, cells);
			return false;
		}
	} else if (!hd_shadow_is_blank(&p->all)) {
		for (uint32_t i = 0; i < HD_PAGE_CELLS; i++)
			cells[i] = p->all;
	}
	p->cells = cells;
	p->uniform = false;
	return true;
}

void hd_shadow_renew(struct hd_shadow *s, struct hd_shadow_page *p)
{
	if (!p->uniform)
		put_cells(s, p->cells);
	if (p->narrow) {
		put_narrow(s, p->narrow);
		if (p->narrow_odd)
			put_narrow(s, p->narrow_odd);
	} else if (p->odd) {
		put_cells(s, p->odd);
	}
	*p = (struct hd_shadow_page){ .cells = blank, .uniform = true };
}

void hd_shadow_free(struct hd_shadow *s)
{
	free_pool(&s->pages, PAGES_ROOM);
	free_pool(&s->cells, ROOM);
	free_pool(&s->narrow, NARROW_ROOM);
	free(s->hashed);
	free(s->hashed_keys);
	if (s->direct)
		munmap(s->direct, HD_DIRECT_PAGES * sizeof(*s->direct));
}
