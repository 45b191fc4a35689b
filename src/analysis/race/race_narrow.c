/*
 * Narrow pages: cells in eight bytes. They serve accesses of four or eight bytes that are ordered after all
 * others by more than locks; whatever else there is goes to full cells, which say the same.
 */
#include "race_impl.h"

#define ENOUGH_SWEPT 64u

/* Is all that a cell knows before what @w does, by more than locks? */
static inline bool is_before(const struct hd_race_who *w, const struct hd_cell *c)
{
	return hd_race_before(w->full, c->write) && hd_race_before(w->full, c->read) &&
	       hd_race_before(w->weak, c->write) && hd_race_before(w->weak, c->read);
}

/* Times that no cell has are free for others. False: there are none. */
static bool free_owners(struct hd_shadow_page *p)
{
	const struct hd_shadow_narrow *odd = p->narrow_odd ? p->narrow_odd : p->narrow;
	unsigned used = 0, all = (2u << HD_NARROW_OWNER) - 1;

	p->swept = 0;
	for (uint32_t i = 0; i < HD_PAGE_CELLS && used != all; i++) {
		struct hd_narrow_cell c = p->narrow->cells[i], d = odd->cells[i];

		used |= (c.write != 0) << (c.write & HD_NARROW_OWNER);
		used |= (c.read != 0) << (c.read & HD_NARROW_OWNER);
		used |= (d.write != 0) << (d.write & HD_NARROW_OWNER);
		used |= (d.read != 0) << (d.read & HD_NARROW_OWNER);
	}
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

/* An access by @w in 32 bits, with the bits @part; 0: they do not suffice. */
static inline uint32_t narrowed(struct hd_shadow_page *p, const struct hd_race_who *w,
				uint32_t part, uint32_t site)
{
	uint32_t owner = owner_of(p->narrow, w);
	uint32_t how = part | (uint32_t)((w->epoch & HD_TAG_FREED) >> 1);

	/* Looking through all cells is worth it where loops have touched many. */
	if (owner > HD_NARROW_OWNER && p->swept >= ENOUGH_SWEPT && free_owners(p))
		owner = owner_of(p->narrow, w);
	if (owner > HD_NARROW_OWNER || site >= HD_NARROW_SITES)
		return 0;
	return site << HD_NARROW_SITE_SHIFT | how | owner;
}

static inline void put(struct hd_narrow_cell *c, uint32_t access, bool write)
{
	if (write)
		*c = (struct hd_narrow_cell){ .write = access };
	else
		c->read = access;
}

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

/* The cell of @addr, and the next one of eight bytes on a page that is divided, are of an access by @w. */
static bool put_access(struct hd_shadow_page *p, const struct hd_race_who *w, uint64_t addr,
		       bool whole, bool write, uint32_t site)
{
	uint32_t access = site ? narrowed(p, w, part_of(p, addr, whole), site) : 0;

	if (!access)
		return false;
	put(hd_shadow_narrow_at(p, addr), access, write);
	if (whole && p->narrow_odd)
		put(hd_shadow_narrow_at(p, addr + 4), access & ~HD_NARROW_WIDE, write);
	return true;
}

/* Is what is known of eight bytes, or of four, before what @w does? @tags: of the cell of @addr. */
static inline bool all_before(struct hd_shadow_page *p, const struct hd_race_who *w, uint64_t addr,
			      bool whole, const struct hd_cell *tags)
{
	struct hd_cell other;

	if (!is_before(w, tags))
		return false;
	if (!whole || !p->narrow_odd)
		return true;
	other = hd_narrow_tags(p, *hd_shadow_narrow_at(p, addr + 4));
	return is_before(w, &other);
}

bool hd_race_narrow_simple(const struct hd_race_view *v, struct hd_shadow_page *p, uint64_t addr,
			   unsigned size, bool write, uint64_t pc, uint32_t ctx)
{
	struct hd_cell tags = hd_narrow_tags(p, *hd_shadow_narrow_at(p, addr));
	const struct hd_race_who *w = &v->race->who;
	bool divided = p->narrow_odd != NULL, whole = size == 8;

	if (hd_race_cell_seen(&tags, divided, v->epoch, addr, size, write))
		return true;
	if (size < 4 || !v->full_len ||
	    (!divided && !hd_race_fits(&tags, whole ? 0 : hd_race_part(addr))) ||
	    !all_before(p, w, addr, whole, &tags))
		return false;
	return put_access(p, w, addr, whole, write, hd_race_quick_site(v, size, write, pc, ctx));
}

uint64_t hd_race_narrow_access(struct hd_race *r, struct hd_race_access *a,
			       struct hd_shadow_page *p, uint64_t addr, uint64_t end)
{
	bool whole = !(addr & 7) && end - addr >= 8;
	struct hd_cell tags;

	if (!p->uniform || a->atomic || (addr & 3) || end - addr < 4)
		return 0;
	if (!p->narrow && (!hd_shadow_is_blank(&p->all) || !hd_shadow_make_narrow(&r->shadow, p)))
		return 0;
	tags = hd_narrow_tags(p, *hd_shadow_narrow_at(p, addr));
	if (!all_before(p, &a->who, addr, whole, &tags))
		return 0;
	if (!p->narrow_odd && !hd_race_fits(&tags, whole ? 0 : hd_race_part(addr)) &&
	    !hd_shadow_divide_narrow(&r->shadow, p))
		return 0;
	if (!put_access(p, &a->who, addr, whole, a->write, hd_race_site_of(r, a)))
		return 0;
	return whole ? 8 : 4;
}

/* ---- many accesses side by side --------------------------------------------- */

struct sweep {
	struct hd_shadow_page *page;
	const struct hd_race_who *who;
	uint32_t access;
	bool write;
};

/*
 * @c is of the access, with the bits @part. Neighbours mostly have the same history: *@last was found to
 * be before it. False: it is not simple.
 */
static inline bool sweep_cell(const struct sweep *s, struct hd_narrow_cell *c,
			      struct hd_narrow_cell *last, uint32_t part)
{
	if (c->write != last->write || c->read != last->read) {
		struct hd_cell tags = hd_narrow_tags(s->page, *c);

		if ((!s->page->narrow_odd && !hd_race_fits(&tags, 0)) || !is_before(s->who, &tags))
			return false;
		*last = *c;
	}
	put(c, s->access | part, s->write);
	return true;
}

static uint64_t sweep_undivided(const struct sweep *s, uint64_t at, uint64_t stop)
{
	struct hd_narrow_cell last = { 0 }, *c = hd_shadow_narrow_at(s->page, at);

	for (; at < stop && sweep_cell(s, c, &last, 0); c++)
		at += 8;
	return at;
}

static uint64_t sweep_divided(const struct sweep *s, uint64_t at, uint64_t stop, uint32_t wide)
{
	struct hd_narrow_cell last = { 0 }, last_odd = { 0 };

	for (; at < stop; at += 8) {
		struct hd_narrow_cell *c = hd_shadow_narrow_at(s->page, at), before = *c;

		if (!sweep_cell(s, c, &last, wide))
			break;
		if (!sweep_cell(s, hd_shadow_narrow_at(s->page, at + 4), &last_odd, 0)) {
			*c = before;
			break;
		}
	}
	return at;
}

uint64_t hd_race_narrow_sweep(struct hd_race *r, struct hd_shadow_page *p, uint64_t at,
			      uint64_t stop, const struct hd_race_sweep *of, uint32_t site)
{
	struct sweep s = { .page = p, .who = &r->who, .write = of->write };
	uint64_t end, swept;

	s.access = narrowed(p, s.who, 0, site);
	if (!s.access)
		return at;
	end = p->narrow_odd ? sweep_divided(&s, at, stop, of->size == 8 ? HD_NARROW_WIDE : 0)
			    : sweep_undivided(&s, at, stop);
	swept = p->swept + (end - at) / 8;
	p->swept = swept > UINT16_MAX ? UINT16_MAX : (uint16_t)swept;
	return end;
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
		struct hd_cell tags = hd_narrow_tags(p, *hd_shadow_narrow_at(p, b));

		if (!hd_race_before(a->who.full, tags.write) ||
		    !hd_race_before(a->who.full, tags.read))
			return false;
	}
	freed.epoch |= HD_TAG_FREED;
	access = site ? narrowed(p, &freed, 0, site) : 0;
	for (uint64_t b = addr; access && b < addr + len; b += step)
		*hd_shadow_narrow_at(p, b) = (struct hd_narrow_cell){ .write = access };
	return access;
}
