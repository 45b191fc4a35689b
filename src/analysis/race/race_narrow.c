/*
 * Narrow pages: cells in eight bytes. They serve accesses of four or eight bytes that are ordered after all
 * others by more than locks, and reads by two threads that nothing orders; whatever else there is goes to full
 * cells, which say the same.
 */
#include "race_impl.h"

#define ENOUGH_SWEPT 64u

static inline bool is_ordered(const struct hd_race_who *w, const struct hd_cell *c)
{
	return hd_race_before(w->full, c->write) && hd_race_before(w->full, c->read);
}

/* Is all that a cell knows before what @w does, by more than locks? */
static inline bool is_before(const struct hd_race_who *w, const struct hd_cell *c)
{
	return is_ordered(w, c) && hd_race_before(w->weak, c->write) &&
	       hd_race_before(w->weak, c->read);
}

/* The same of @c, a cell of @p whose tags these are. */
static inline bool cell_is_before(const struct hd_shadow_page *p, const struct hd_race_who *w,
				  struct hd_narrow_cell c, const struct hd_cell *tags)
{
	struct hd_cell other;

	if (!is_before(w, tags))
		return false;
	if (!(c.read & HD_NARROW_BOTH))
		return true;
	other = hd_narrow_tags(p, hd_narrow_other(c));
	return is_before(w, &other);
}

bool hd_race_narrow_ordered(const struct hd_race_access *a, const struct hd_shadow_page *p,
			    uint64_t addr)
{
	struct hd_narrow_cell c = *hd_shadow_narrow_at(p, addr);
	struct hd_cell last = hd_narrow_tags(p, c), other = hd_narrow_tags(p, hd_narrow_other(c));

	return is_ordered(&a->who, &last) && is_ordered(&a->who, &other);
}

/* ---- runs of cells ---------------------------------------------------------- */

/* A cell as a whole, to be compared; and two of them, to be stored. */
typedef uint64_t __attribute__((may_alias)) cell_word;
typedef uint64_t __attribute__((vector_size(16), aligned(4), may_alias)) cell_pair;

/* Neighbours mostly have the same history: up to where is all like the cell @c, or up to @end? */
static inline struct hd_narrow_cell *alike_from(struct hd_narrow_cell *c,
						const struct hd_narrow_cell *end)
{
	const cell_word is = *(cell_word *)c++;

	for (; c + 4 <= end; c += 4) {
		const cell_word *w = (const cell_word *)c;

		if ((w[0] ^ is) | (w[1] ^ is) | (w[2] ^ is) | (w[3] ^ is))
			break;
	}
	while (c < end && *(cell_word *)c == is)
		c++;
	return c;
}

static inline void fill_cells(struct hd_narrow_cell *c, const struct hd_narrow_cell *end,
			      struct hd_narrow_cell with)
{
	cell_word word = *(cell_word *)&with;

	for (; c + 2 <= end; c += 2)
		*(cell_pair *)c = (cell_pair){ word, word };
	if (c < end)
		*c = with;
}

/* ---- times of a page -------------------------------------------------------- */

/* Do all threads know of what happened at @tag, so that nothing that still comes is compared with it? */
static bool is_history(const struct hd_race *r, uint64_t tag)
{
	return r->options.forked &&
	       hd_hb_is_history(r->hb, hd_race_slot(tag), (uint32_t)(tag >> 32));
}

/* The times that cells of @n are of; cells that are @history as a whole are dropped. Not all need be looked at if it is @all. */
static unsigned times_of(struct hd_shadow_narrow *n, unsigned history, unsigned all)
{
	struct hd_narrow_cell *c = n->cells, *end = c + HD_PAGE_CELLS, *next;
	unsigned used = 0;

	for (; c < end && used != all; c = next) {
		unsigned times = (unsigned)(c->write != 0) << (c->write & HD_NARROW_OWNER) |
				 (unsigned)(c->read != 0) << (c->read & HD_NARROW_OWNER);

		next = alike_from(c, end);
		if (times & ~history)
			used |= times;
		else if (times)
			fill_cells(c, next, (struct hd_narrow_cell){ 0 });
	}
	return used;
}

/* Times that no cell has are free for others. False: there are none. */
static bool free_owners(struct hd_race *r, struct hd_shadow_page *p)
{
	unsigned used, history = 0, all = (2u << HD_NARROW_OWNER) - 1;

	p->swept = 0;
	for (uint32_t i = 0; i <= HD_NARROW_OWNER; i++)
		history |= (unsigned)is_history(r, p->narrow->owners[i].epoch) << i;
	used = times_of(p->narrow, history, all);
	if (p->narrow_odd && used != all)
		used |= times_of(p->narrow_odd, history, all);
	for (uint32_t i = 0; i <= HD_NARROW_OWNER; i++) {
		if (!(used >> i & 1))
			p->narrow->owners[i].epoch = 0;
	}
	return used != all;
}

/* Which of the page's times is that of @w, with its locks? More than HD_NARROW_OWNER: there are too many. */
static inline uint32_t owner_of(struct hd_shadow_narrow *n, const struct hd_race_who *w)
{
	uint32_t unused = HD_NARROW_OWNER + 1;
	uint64_t epoch = w->epoch & HD_TAG_EPOCH;

	for (uint32_t i = HD_NARROW_OWNER + 1; i-- > 0;) {
		if (n->owners[i].epoch == epoch && n->owners[i].locks == w->locks &&
		    n->owners[i].exclusive == w->exclusive)
			return i;
		unused = n->owners[i].epoch ? unused : i;
	}
	if (w->locks > HD_RACE_MAX_SET || w->exclusive > HD_RACE_MAX_SET)
		return HD_NARROW_OWNER + 1;
	if (unused <= HD_NARROW_OWNER)
		n->owners[unused] = (struct hd_narrow_owner){ epoch, w->locks, w->exclusive };
	return unused;
}

/*
 * An access by @w in 32 bits, with the bits @part; 0: they do not suffice. What was known of cells may be history
 * now, and dropped.
 */
static inline uint32_t narrowed(struct hd_race *r, struct hd_shadow_page *p,
				const struct hd_race_who *w, uint32_t part, uint32_t site)
{
	uint32_t owner = owner_of(p->narrow, w);
	uint32_t how = part | (uint32_t)((w->epoch & HD_TAG_FREED) >> 1);

	/* Looking through all cells is worth it where loops go over many of them. */
	if (owner > HD_NARROW_OWNER && p->swept >= ENOUGH_SWEPT && free_owners(r, p))
		owner = owner_of(p->narrow, w);
	if (owner > HD_NARROW_OWNER || site >= HD_NARROW_SITES)
		return 0;
	return site << HD_NARROW_SITE_SHIFT | how | owner;
}

static inline void count_swept(struct hd_shadow_page *p, uint64_t n)
{
	uint64_t swept = p->swept + n;

	p->swept = swept > UINT16_MAX ? UINT16_MAX : (uint16_t)swept;
}

/* ---- accesses --------------------------------------------------------------- */

/* Of two reads the other one is not looked at: full cells do not either, and name the last place of a thread. */
bool hd_race_narrow_seen(const struct hd_race_view *v, struct hd_shadow_page *p, uint64_t addr,
			 unsigned size, bool write)
{
	struct hd_cell tags = hd_narrow_tags(p, *hd_shadow_narrow_at(p, addr));

	return hd_race_cell_seen(&tags, p->narrow_odd != NULL, v->epoch, addr, size, write);
}

/* Of eight bytes on a page that is divided, or of four on one that is not: bits that say so. */
static inline uint32_t part_of(const struct hd_shadow_page *p, uint64_t addr, bool whole)
{
	if (p->narrow_odd)
		return whole ? HD_NARROW_WIDE : 0;
	return whole ? 0 : (uint32_t)(hd_race_part(addr) >> 4);
}

static inline uint32_t slot_of(const struct hd_shadow_page *p, uint32_t access)
{
	return hd_race_slot(p->narrow->owners[access & HD_NARROW_OWNER].epoch);
}

/*
 * A read by @w, which is @access, of a cell that another thread has read: as *@c then is. False: that is not all
 * that is to be known of it. In full cells, too, such a read takes the place of one by the same thread, and leaves
 * the locks that all threads have held there; but those remember what was written before.
 */
static bool read_beside(struct hd_race *r, const struct hd_shadow_page *p,
			const struct hd_race_who *w, uint32_t access, struct hd_narrow_cell *c)
{
	uint32_t last = hd_narrow_last(*c).read, other = hd_narrow_other(*c).read, stays = last;
	const struct hd_narrow_owner *of;

	if (other && slot_of(p, last) == hd_race_slot(w->epoch))
		stays = other;
	else if (other ? slot_of(p, other) != hd_race_slot(w->epoch)
		       : !last || (c->write && !is_history(r, hd_narrow_tag(p, c->write))))
		return false;
	of = &p->narrow->owners[stays & HD_NARROW_OWNER];
	if (hd_race_before(w->full, of->epoch) || of->locks != w->locks)
		return false;
	*c = (struct hd_narrow_cell){ .write = stays, .read = access | HD_NARROW_BOTH };
	return true;
}

/* What *@c is after a read by @w. False: a narrow cell cannot say it. */
static inline __attribute__((always_inline)) bool
after_read(struct hd_race *r, const struct hd_shadow_page *p, const struct hd_race_who *w,
	   uint32_t access, struct hd_narrow_cell *c)
{
	struct hd_cell tags = hd_narrow_tags(p, *c);

	if (!cell_is_before(p, w, *c, &tags))
		return read_beside(r, p, w, access, c);
	*c = (struct hd_narrow_cell){ .write = hd_narrow_last(*c).write, .read = access };
	return true;
}

static inline __attribute__((always_inline)) bool after_write(const struct hd_shadow_page *p,
							      const struct hd_race_who *w,
							      uint32_t access,
							      struct hd_narrow_cell *c)
{
	struct hd_cell tags = hd_narrow_tags(p, *c);

	if (!cell_is_before(p, w, *c, &tags))
		return false;
	*c = (struct hd_narrow_cell){ .write = access };
	return true;
}

static inline __attribute__((always_inline)) bool
after(struct hd_race *r, const struct hd_shadow_page *p, const struct hd_race_who *w,
      uint32_t access, bool write, struct hd_narrow_cell *c)
{
	return write ? after_write(p, w, access, c) : after_read(r, p, w, access, c);
}

/* The cell of @addr, and the next one of eight bytes on a page that is divided, get an access by @w; or none does. */
static inline __attribute__((always_inline)) bool
put_access(struct hd_race *r, struct hd_shadow_page *p, const struct hd_race_who *w, uint64_t addr,
	   bool whole, bool write, uint32_t site)
{
	struct hd_narrow_cell *c = hd_shadow_narrow_at(p, addr), *d, even, odd;
	uint32_t access = site ? narrowed(r, p, w, part_of(p, addr, whole), site) : 0;

	even = *c;
	if (!access || !after(r, p, w, access, write, &even))
		return false;
	if (whole && p->narrow_odd) {
		d = hd_shadow_narrow_at(p, addr + 4);
		odd = *d;
		if (!after(r, p, w, access & ~HD_NARROW_WIDE, write, &odd))
			return false;
		*d = odd;
	}
	*c = even;
	return true;
}

bool hd_race_narrow_simple(const struct hd_race_view *v, struct hd_shadow_page *p, uint64_t addr,
			   unsigned size, bool write, uint64_t pc, uint32_t ctx)
{
	struct hd_cell tags = hd_narrow_tags(p, *hd_shadow_narrow_at(p, addr));
	bool whole = size == 8;

	if (hd_race_cell_seen(&tags, p->narrow_odd != NULL, v->epoch, addr, size, write))
		return true;
	if (size < 4 || !v->full_len ||
	    (!p->narrow_odd && !hd_race_fits(&tags, whole ? 0 : hd_race_part(addr))))
		return false;
	return put_access(v->race, p, &v->race->who, addr, whole, write,
			  hd_race_quick_site(v, size, write, pc, ctx));
}

uint64_t hd_race_narrow_access(struct hd_race *r, struct hd_race_access *a,
			       struct hd_shadow_page *p, uint64_t addr, uint64_t end)
{
	bool whole = !(addr & 7) && end - addr >= 8;
	struct hd_cell tags;

	if (!p->uniform || a->atomic || (addr & 3) || end - addr < 4)
		return 0;
	if (!p->narrow &&
	    ((a->write && !is_before(&a->who, &p->all.tags)) || !hd_race_make_narrow(r, p)))
		return 0;
	tags = hd_narrow_tags(p, *hd_shadow_narrow_at(p, addr));
	if (a->write && !is_before(&a->who, &tags))
		return 0;
	if (!p->narrow_odd && !hd_race_fits(&tags, whole ? 0 : hd_race_part(addr)) &&
	    !hd_shadow_divide_narrow(&r->shadow, p))
		return 0;
	if (!put_access(r, p, &a->who, addr, whole, a->write, hd_race_site_of(r, a)))
		return 0;
	return whole ? 8 : 4;
}

/* ---- many accesses side by side --------------------------------------------- */

struct sweep {
	struct hd_race *race;
	struct hd_shadow_page *page;
	uint32_t access;
	bool write;
};

/* What *@c is after the access, with the bits @part. False: it is not simple. */
static inline bool sweep_cell(const struct sweep *s, struct hd_narrow_cell *c, uint32_t part)
{
	struct hd_cell tags = hd_narrow_tags(s->page, *c);

	return (s->page->narrow_odd || hd_race_fits(&tags, 0)) &&
	       after(s->race, s->page, &s->race->who, s->access | part, s->write, c);
}

static uint64_t sweep_undivided(const struct sweep *s, uint64_t at, uint64_t stop)
{
	struct hd_narrow_cell *c = hd_shadow_narrow_at(s->page, at), *next;
	const struct hd_narrow_cell *first = c, *end = c + (stop - at) / 8;

	for (; c < end; c = next) {
		struct hd_narrow_cell now = *c;

		if (!sweep_cell(s, &now, 0))
			break;
		next = alike_from(c, end);
		fill_cells(c, next, now);
	}
	return at + 8 * (uint64_t)(c - first);
}

static uint64_t sweep_divided(const struct sweep *s, uint64_t at, uint64_t stop, uint32_t wide)
{
	struct hd_narrow_cell *c = hd_shadow_narrow_at(s->page, at), *next;
	struct hd_narrow_cell *d = hd_shadow_narrow_at(s->page, at + 4), *next_odd;
	const struct hd_narrow_cell *first = c, *end = c + (stop - at) / 8;

	for (; c < end; d += next - c, c = next) {
		struct hd_narrow_cell now = *c, now_odd = *d;

		if (!sweep_cell(s, &now, wide) || !sweep_cell(s, &now_odd, 0))
			break;
		next = alike_from(c, end);
		next_odd = alike_from(d, d + (next - c));
		next = c + (next_odd - d);
		fill_cells(c, next, now);
		fill_cells(d, next_odd, now_odd);
	}
	return at + 8 * (uint64_t)(c - first);
}

uint64_t hd_race_narrow_sweep(struct hd_race *r, struct hd_shadow_page *p, uint64_t at,
			      uint64_t stop, const struct hd_race_sweep *of, uint32_t site)
{
	struct sweep s = { .race = r, .page = p, .write = of->write };
	uint64_t end;

	s.access = narrowed(r, p, &r->who, 0, site);
	if (!s.access)
		return at;
	end = p->narrow_odd ? sweep_divided(&s, at, stop, of->size == 8 ? HD_NARROW_WIDE : 0)
			    : sweep_undivided(&s, at, stop);
	count_swept(p, (end - at) / 8);
	return end;
}

/* ---- from and to other pages ------------------------------------------------- */

/* Is @tag of all eight bytes of each cell, with a site that has room? */
static bool is_of_whole(uint64_t tag, uint32_t site)
{
	return (tag & (HD_TAG_BYTES | HD_TAG_WIDE | HD_TAG_PART)) == HD_TAG_BYTES &&
	       site < HD_NARROW_SITES;
}

/* The time of @tag, as the place of it has the locks. */
static struct hd_narrow_owner owner_as(struct hd_race *r, uint64_t tag, uint32_t site)
{
	hd_lockset locks = tag ? r->sites[site].locks : HD_LOCKSET_EMPTY;

	return (struct hd_narrow_owner){ .epoch = tag & HD_TAG_EPOCH,
					 .locks = locks,
					 .exclusive = hd_lockset_exclusive(r->sets, locks) };
}

bool hd_race_make_narrow(struct hd_race *r, struct hd_shadow_page *p)
{
	const struct hd_shadow_cell *all = &p->all;
	uint64_t write = all->tags.write, read = all->tags.read;
	struct hd_narrow_owner wrote, was_read;
	struct hd_narrow_cell c = { 0 };

	if (hd_shadow_is_blank(all))
		return hd_shadow_make_narrow(&r->shadow, p);
	wrote = owner_as(r, write, all->more.write_site);
	was_read = owner_as(r, read, all->more.read_site);
	if (all->more.extra || (write && !is_of_whole(write, all->more.write_site)) ||
	    (read && (!is_of_whole(read, all->more.read_site) || (read & HD_TAG_FREED))) ||
	    all->more.lockset !=
		    (read ? was_read.locks << HD_RACE_STATE_BITS | HD_RACE_EXCLUSIVE_READ
			  : wrote.exclusive << HD_RACE_STATE_BITS | HD_RACE_EXCLUSIVE_WRITE) ||
	    !hd_shadow_make_narrow(&r->shadow, p))
		return false;
	p->narrow->owners[0] = wrote;
	p->narrow->owners[1] = was_read;
	if (write)
		c.write = all->more.write_site << HD_NARROW_SITE_SHIFT |
			  (uint32_t)((write & HD_TAG_FREED) >> 1);
	if (read)
		c.read = all->more.read_site << HD_NARROW_SITE_SHIFT | 1;
	for (uint32_t i = 0; i < HD_PAGE_CELLS; i++)
		p->narrow->cells[i] = c;
	return true;
}

/* The earlier of two reads goes to a table, whose number is left where it was. */
static bool make_tables(struct hd_race *r, const struct hd_shadow_page *p,
			struct hd_shadow_narrow *n)
{
	for (uint32_t i = 0; i < HD_PAGE_CELLS; i++) {
		uint32_t other = hd_narrow_other(n->cells[i]).read;
		struct hd_cell_more m = { 0 };
		struct hd_race_readers *x = other ? hd_race_readers_make(r, &m) : NULL;
		struct hd_race_reader *reader =
			x ? hd_race_reader_at(r, x, slot_of(p, other)) : NULL;

		if (!other)
			continue;
		if (!reader)
			return false;
		*reader = (struct hd_race_reader){ .tag = hd_narrow_tag(p, other),
						   .site = other >> HD_NARROW_SITE_SHIFT };
		n->cells[i].write = m.extra;
	}
	return true;
}

bool hd_race_spread(struct hd_race *r, struct hd_shadow_page *p)
{
	if (p->narrow && (!make_tables(r, p, p->narrow) ||
			  (p->narrow_odd && !make_tables(r, p, p->narrow_odd)))) {
		r->failed = true;
		return false;
	}
	return hd_shadow_spread(&r->shadow, p);
}

/* ---- memory that comes and goes ---------------------------------------------- */

/* Cells of four bytes are blank as a whole, as full ones are. */
static void forget_divided(struct hd_shadow_page *p, uint64_t addr, uint64_t stop)
{
	for (uint64_t b = addr; b < stop; b = (b & ~3ull) + 4) {
		struct hd_narrow_cell *c = hd_shadow_narrow_at(p, b);

		if (c->write | c->read)
			*c = (struct hd_narrow_cell){ 0 };
	}
}

bool hd_race_narrow_forget(struct hd_shadow_page *p, uint64_t addr, uint64_t stop)
{
	const struct hd_narrow_cell *first = hd_shadow_narrow_at(p, addr);
	struct hd_narrow_cell *last = hd_shadow_narrow_at(p, stop - 1);

	if (p->narrow_odd) {
		forget_divided(p, addr, stop);
		return true;
	}
	if (((addr & 7) && (first->write | first->read)) ||
	    ((stop & 7) && (last->write | last->read)))
		return false;
	for (struct hd_narrow_cell *c = hd_shadow_narrow_at(p, addr); c <= last; c++) {
		if (c->write | c->read)
			*c = (struct hd_narrow_cell){ 0 };
	}
	return true;
}

bool hd_race_narrow_free(struct hd_race *r, struct hd_race_access *a, struct hd_shadow_page *p,
			 uint64_t addr, uint64_t len)
{
	uint32_t site = hd_race_site_of(r, a), access, step = p->narrow_odd ? 4 : 8;
	struct hd_race_who freed = a->who;

	for (uint64_t b = addr; b < addr + len; b += step) {
		if (!hd_race_narrow_ordered(a, p, b))
			return false;
	}
	freed.epoch |= HD_TAG_FREED;
	access = site ? narrowed(r, p, &freed, 0, site) : 0;
	for (uint64_t b = addr; access && b < addr + len; b += step)
		*hd_shadow_narrow_at(p, b) = (struct hd_narrow_cell){ .write = access };
	return access;
}
