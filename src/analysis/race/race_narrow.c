/*
 * Narrow pages: cells of eight bytes. They serve accesses of four or eight bytes that are ordered after all
 * others by more than locks; whatever else there is goes to full cells, which say the same.
 */
#include "race_impl.h"

/* Is all that a cell knows before what @w does, by a clock? */
static inline bool is_before(const struct hd_vclock *clock, const struct hd_cell *c)
{
	return hd_race_before(clock, c->write) && hd_race_before(clock, c->read);
}

/* Which of the page's times is that of @w, with its locks? More than HD_NARROW_OWNER: there are too many. */
static inline uint32_t owner_of(struct hd_shadow_narrow *n, const struct hd_race_who *w)
{
	uint64_t epoch = w->epoch & HD_TAG_EPOCH;
	uint32_t i = 0;

	for (; i <= HD_NARROW_OWNER && n->owners[i].epoch; i++) {
		if (n->owners[i].epoch == epoch && n->owners[i].locks == w->locks &&
		    n->owners[i].exclusive == w->exclusive)
			return i;
	}
	if (i <= HD_NARROW_OWNER && w->locks <= HD_RACE_MAX_SET && w->exclusive <= HD_RACE_MAX_SET)
		n->owners[i] = (struct hd_narrow_owner){ epoch, w->locks, w->exclusive };
	else
		i = HD_NARROW_OWNER + 1;
	return i;
}

/* An access by @w in 32 bits; 0: they do not suffice. */
static inline uint32_t narrowed(struct hd_shadow_narrow *n, const struct hd_race_who *w,
				uint64_t part, uint32_t site)
{
	uint32_t owner = owner_of(n, w);
	uint32_t how = (uint32_t)(part >> 4 | (w->epoch & HD_TAG_FREED) >> 1);

	if (owner > HD_NARROW_OWNER || site >= HD_NARROW_SITES)
		return 0;
	return site << HD_NARROW_SITE_SHIFT | how | owner;
}

static inline bool put(struct hd_narrow_cell *c, uint32_t access, bool write)
{
	if (!access)
		return false;
	if (write)
		*c = (struct hd_narrow_cell){ .write = access };
	else
		c->read = access;
	return true;
}

bool hd_race_narrow_seen(const struct hd_race_view *v, struct hd_shadow_page *p, uint64_t addr,
			 unsigned size, bool write)
{
	struct hd_cell tags = hd_narrow_tags(p->narrow, *hd_shadow_narrow_at(p, addr));

	return hd_race_cell_seen(&tags, false, v->epoch, addr, size, write);
}

bool hd_race_narrow_simple(const struct hd_race_view *v, struct hd_shadow_page *p, uint64_t addr,
			   unsigned size, bool write, uint64_t pc, uint32_t ctx)
{
	struct hd_narrow_cell *c = hd_shadow_narrow_at(p, addr);
	struct hd_cell tags = hd_narrow_tags(p->narrow, *c);
	const struct hd_race_who *w = &v->race->who;
	uint64_t part = size == 8 ? 0 : hd_race_part(addr);
	uint32_t site;

	if (hd_race_cell_seen(&tags, false, v->epoch, addr, size, write))
		return true;
	if (size < 4 || !v->full_len || !hd_race_fits(&tags, part) || !is_before(w->full, &tags) ||
	    !is_before(w->weak, &tags))
		return false;
	site = hd_race_quick_site(v, size, write, pc, ctx);
	return site && put(c, narrowed(p->narrow, w, part, site), write);
}

uint64_t hd_race_narrow_access(struct hd_race *r, struct hd_race_access *a,
			       struct hd_shadow_page *p, uint64_t addr, uint64_t end)
{
	bool whole = !(addr & 7) && end - addr >= 8;
	uint64_t part = whole ? 0 : hd_race_part(addr);
	struct hd_narrow_cell *c;
	struct hd_cell tags;
	uint32_t site;

	if (!p->uniform || a->atomic || (addr & 3) || end - addr < 4)
		return 0;
	if (!p->narrow && (!hd_shadow_is_blank(&p->all) || !hd_shadow_make_narrow(&r->shadow, p)))
		return 0;
	c = hd_shadow_narrow_at(p, addr);
	tags = hd_narrow_tags(p->narrow, *c);
	if (!hd_race_fits(&tags, part) || !is_before(a->who.full, &tags) ||
	    !is_before(a->who.weak, &tags))
		return 0;
	site = hd_race_site_of(r, a);
	if (!site || !put(c, narrowed(p->narrow, &a->who, part, site), a->write))
		return 0;
	return whole ? 8 : 4;
}

bool hd_race_narrow_forget(struct hd_shadow_page *p, uint64_t addr, uint64_t stop)
{
	const struct hd_narrow_cell *first = hd_shadow_narrow_at(p, addr);
	struct hd_narrow_cell *last = hd_shadow_narrow_at(p, stop - 1);

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
	struct hd_narrow_cell *begin = hd_shadow_narrow_at(p, addr), *end = begin + len / 8;
	uint32_t site = hd_race_site_of(r, a), access;
	struct hd_race_who freed = a->who;

	for (struct hd_narrow_cell *c = begin; c < end; c++) {
		struct hd_cell tags = hd_narrow_tags(p->narrow, *c);

		if (!is_before(a->who.full, &tags))
			return false;
	}
	freed.epoch |= HD_TAG_FREED;
	access = site ? narrowed(p->narrow, &freed, 0, site) : 0;
	for (struct hd_narrow_cell *c = begin; access && c < end; c++)
		*c = (struct hd_narrow_cell){ .write = access };
	return access;
}
