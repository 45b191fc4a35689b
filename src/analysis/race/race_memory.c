/* Memory that comes and goes. */
#include "race_impl.h"

#include <stdlib.h>

void hd_race_drop_atomics(void *record)
{
	free(((struct hd_race_atomics *)record)->list);
}

/* What is blank is not written to, lest pages of the shadow come into being for it. */
static void clear_cell(struct hd_race *r, struct hd_shadow_cell *c)
{
	if (hd_shadow_is_blank(c))
		return;
	if (c->more.extra) {
		hd_race_readers_release(r, &c->more);
		hd_race_split_release(r, &c->more);
	}
	*c = (struct hd_shadow_cell){ 0 };
}

/* Does @from .. @to have a part of eight bytes of which something is known? Then the page must be divided. */
static bool has_part(struct hd_shadow_page *p, uint64_t from, uint64_t to)
{
	return ((from & 7) &&
		(hd_shadow_cell_at(p, from)->tags.write | hd_shadow_cell_at(p, from)->tags.read)) ||
	       ((to & 7) &&
		(hd_shadow_cell_at(p, to)->tags.write | hd_shadow_cell_at(p, to)->tags.read));
}

/* From @addr to @stop, of one page. */
static void forget_cells(struct hd_race *r, struct hd_shadow_page *p, uint64_t addr, uint64_t stop)
{
	uint64_t step;

	if (p->uniform && !p->narrow && !hd_shadow_is_blank(&p->all))
		hd_race_make_narrow(r, p);
	if (p->narrow ? hd_race_narrow_forget(p, addr, stop)
		      : p->uniform && hd_shadow_is_blank(&p->all))
		return;
	if (!hd_race_spread(r, p)) {
		r->failed = true;
		return;
	}
	if (!p->odd && has_part(p, addr, stop) && !hd_race_divide(r, p))
		return;
	step = p->odd ? 4 : 8;
	for (uint64_t b = addr; b < stop; b = (b & ~(step - 1)) + step)
		clear_cell(r, hd_shadow_cell_at(p, b));
}

static void forget_page(struct hd_race *r, struct hd_shadow_page *p, uint64_t addr)
{
	if (!p->uniform)
		forget_cells(r, p, addr, addr + 4096);
	hd_shadow_renew(&r->shadow, p);
}

static void forget(struct hd_race *r, uint64_t addr, uint64_t len)
{
	uint64_t end = addr + len;

	while (addr < end) {
		struct hd_shadow_page *p = hd_shadow_find(&r->shadow, addr);
		uint64_t page_end = (addr | 4095) + 1, stop = page_end < end ? page_end : end;

		if (p && addr + 4096 == stop)
			forget_page(r, p, addr);
		else if (p)
			forget_cells(r, p, addr, stop);
		addr = stop;
	}
}

static void free_cell(struct hd_race *r, const struct hd_race_access *a, uint64_t addr,
		      const struct hd_cell *c, const struct hd_cell_more *m)
{
	for (unsigned b = 0; (m->extra & HD_EXTRA_SPLIT) && b < 4; b++) {
		const struct hd_shadow_cell *byte = &hd_race_split_at(r, m->extra)->bytes[b];

		free_cell(r, a, addr + b, &byte->tags, &byte->more);
	}
	hd_race_check(r, a, addr, c->write, m->write_site, HD_TAG_BYTES);
	hd_race_check_reads(r, a, addr, c, m, HD_TAG_BYTES);
	if (m->extra & HD_EXTRA_ATOMIC)
		hd_race_check_atomics(r, a, addr, HD_TAG_BYTES);
}

/* On a page that is not divided: is it about the last four of its bytes alone? */
static bool is_upper(const struct hd_shadow_cell *c)
{
	return (c->tags.write | c->tags.read) & HD_TAG_UPPER;
}

/* The cell of @addr, on a page that is not uniform, or narrow. */
static void check_free(struct hd_race *r, const struct hd_race_access *a, struct hd_shadow_page *p,
		       uint64_t addr)
{
	struct hd_shadow_cell c;

	if (p->narrow && (hd_shadow_narrow_at(p, addr)->read & HD_NARROW_BOTH)) {
		if (hd_race_narrow_ordered(a, p, addr) || !hd_race_spread(r, p))
			return;
	}
	c = p->narrow ? hd_narrow_full(p, *hd_shadow_narrow_at(p, addr))
		      : *hd_shadow_cell_at(p, addr);
	free_cell(r, a, addr + (is_upper(&c) ? 4 : 0), &c.tags, &c.more);
}

/* Giving memory back conflicts with every access that is not ordered before. */
static void free_memory(struct hd_race *r, const struct hd_event *ev, uint64_t index)
{
	uint64_t addr = ev->addr & ~3ull, end = ev->addr + ev->value;
	struct hd_race_access a;

	if (!hd_race_access_of(r, &a, ev, index))
		return;
	a.write = true;
	while (addr < end) {
		struct hd_shadow_page *p = hd_shadow_find(&r->shadow, addr);

		if (p && (p->narrow || !p->uniform)) {
			check_free(r, &a, p, addr);
			addr = p->odd ? addr + 4 : (addr | 7) + 1;
			continue;
		}
		if (p)
			free_cell(r, &a, addr, &p->all.tags, &p->all.more);
		addr = (addr | 4095) + 1;
	}
}

/* ---- blocks ---------------------------------------------------------------- */

static bool is_before_all(const struct hd_race_access *a, const struct hd_shadow_cell *c)
{
	return !c->more.extra && hd_race_before(a->who.full, c->tags.write) &&
	       hd_race_before(a->who.full, c->tags.read);
}

/*
 * A block in one page that is not uniform, of whole cells, to be freed after all accesses to it: no
 * more than its mark is left. False: it is not like that; nothing was done.
 */
static bool free_simply(struct hd_race *r, struct hd_race_access *a, uint64_t addr, uint64_t len)
{
	struct hd_shadow_page *p = hd_shadow_find(&r->shadow, addr);
	struct hd_shadow_cell left = { 0 }, *c;
	uint64_t step;

	if (!len || !p || (p->uniform && !p->narrow) || ((addr ^ (addr + len - 1)) & ~4095ull) ||
	    ((addr | len) & (p->odd ? 3 : 7)) || a->who.exclusive > HD_RACE_MAX_SET)
		return false;
	if (p->narrow)
		return hd_race_narrow_free(r, a, p, addr, len);
	step = p->odd ? 4 : 8;
	for (uint64_t at = addr; at < addr + len; at += step) {
		if (!is_before_all(a, hd_shadow_cell_at(p, at)))
			return false;
	}
	left.tags.write = a->who.epoch | HD_TAG_FREED | HD_TAG_BYTES;
	left.more.write_site = hd_race_site_of(r, a);
	left.more.lockset = HD_RACE_EXCLUSIVE_WRITE | a->who.exclusive << HD_RACE_STATE_BITS;
	for (uint64_t at = addr; at < addr + len; at += step) {
		c = hd_shadow_cell_at(p, at);
		*c = left;
	}
	return true;
}

static void free_marking(struct hd_race *r, const struct hd_event *ev, uint64_t index)
{
	struct hd_race_access a;

	if (!hd_race_access_of(r, &a, ev, index))
		return;
	a.write = true;
	if (r->options.locksets && free_simply(r, &a, ev->addr, ev->value))
		return;
	free_memory(r, ev, index);
	forget(r, ev->addr, ev->value);
	a.who.epoch |= HD_TAG_FREED;
	hd_race_access_range(r, &a, ev->addr, ev->value);
}

/*
 * Until the memory is given out again, freeing it counts as a write, so that a use
 * which nothing orders after it is a race too. Pages that were unmapped may come back
 * unannounced: of those nothing is kept.
 */
void hd_race_memory_event(struct hd_race *r, const struct hd_event *ev, uint64_t index)
{
	if (ev->op == HD_OP_FREE && !(ev->arg & HD_FREE_PAGES)) {
		free_marking(r, ev, index);
	} else {
		if (ev->op == HD_OP_FREE)
			free_memory(r, ev, index);
		forget(r, ev->addr, ev->value);
	}
	hd_addr_map_forget(&r->atomics, (ev->addr & ~3ull) + 1, ev->value + 3,
			   hd_race_drop_atomics);
	hd_hb_forget(r->hb, ev->addr, ev->value);
}
