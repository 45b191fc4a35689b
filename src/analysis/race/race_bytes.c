/* Accesses to some bytes of cells, and those across them, where nothing special is to be said. */
#include "race_impl.h"

/* What of an access lies in one cell. */
struct part {
	struct hd_shadow_cell *cell;
	struct hd_race_split *split; /* NULL: it is not split */
	uint64_t bytes;
	uint64_t next; /* address of what is behind it */
};

/* The first part of what is from @at to @end, on page @p, which is divided. */
static inline struct part part_at(const struct hd_race_view *v, struct hd_shadow_page *p,
				  uint64_t at, uint64_t end)
{
	struct part x = { .cell = hd_shadow_cell_at(p, at),
			  .bytes = HD_TAG_BYTES << (at & 3) & HD_TAG_BYTES,
			  .next = (at & ~3ull) + 4 };
	uint32_t extra = x.cell->more.extra;

	if (x.next > end)
		x.bytes &= HD_TAG_BYTES >> (x.next - end);
	if ((extra & (HD_EXTRA_SPLIT | HD_EXTRA_ATOMIC)) == HD_EXTRA_SPLIT)
		x.split = hd_race_split_at(v->race, extra);
	return x;
}

/* The page of an access that is all on it; NULL: it is not divided, or there are two of them. */
static inline struct hd_shadow_page *page_of(const struct hd_race_view *v, uint64_t addr,
					     unsigned len)
{
	struct hd_shadow_page *p;

	if (((addr ^ (addr + len - 1)) >> HD_PAGE_LOG) || addr >> HD_PAGE_LOG >= HD_DIRECT_PAGES)
		return NULL;
	p = v->pages[addr >> HD_PAGE_LOG];
	return p && !p->uniform && p->odd ? p : NULL;
}

/* Did the thread do the same to the bytes of @tag, or write, in its epoch? */
static inline bool is_seen(const struct hd_cell *c, uint64_t tag, bool write)
{
	uint64_t mask = HD_TAG_EPOCH | HD_TAG_FREED | (tag & HD_TAG_BYTES);

	return !((c->write ^ tag) & mask) || (!write && !((c->read ^ tag) & mask));
}

static inline bool all_seen(const struct hd_race_view *v, struct hd_shadow_page *p, uint64_t at,
			    uint64_t end, bool write)
{
	while (at < end) {
		struct part x = part_at(v, p, at, end);

		if (!x.split && !is_seen(&x.cell->tags, v->epoch | x.bytes, write))
			return false;
		for (unsigned b = 0; x.split && b < 4; b++) {
			if ((x.bytes >> b & 1) &&
			    !is_seen(&x.split->bytes[b].tags, v->epoch | UINT64_C(1) << b, write))
				return false;
		}
		at = x.next;
	}
	return true;
}

/* The same on a narrow page that is divided, of which one half of eight bytes or both may have been. */
static bool all_seen_narrow(const struct hd_race_view *v, uint64_t at, uint64_t end, bool write)
{
	struct hd_shadow_page *p;

	if (((at ^ (end - 1)) >> HD_PAGE_LOG) || at >> HD_PAGE_LOG >= HD_DIRECT_PAGES)
		return false;
	p = v->pages[at >> HD_PAGE_LOG];
	if (!p || !p->narrow || !p->narrow_odd)
		return false;
	while (at < end) {
		struct hd_cell tags = hd_narrow_tags(p, *hd_shadow_narrow_at(p, at));
		uint64_t bytes = HD_TAG_BYTES << (at & 3) & HD_TAG_BYTES, next = (at & ~3ull) + 4;

		if (next > end)
			bytes &= HD_TAG_BYTES >> (next - end);
		if (!is_seen(&tags, v->epoch | bytes, write))
			return false;
		at = next;
	}
	return true;
}

bool hd_race_bytes_seen(const struct hd_race_view *v, uint64_t addr, unsigned len, bool write)
{
	struct hd_shadow_page *p = page_of(v, addr, len);

	return p ? all_seen(v, p, addr, addr + len, write)
		 : all_seen_narrow(v, addr, addr + len, write);
}

/*
 * Other bytes of the cell have a history. If it is of the same epoch, and either has these bytes, too, or is of the
 * same place in the code (a loop over bytes), the two have one tag: as combine() in race_cell.c has it.
 */
static bool joins(const struct hd_race_view *v, struct hd_shadow_cell *c, uint64_t tag, bool write,
		  uint32_t site)
{
	uint64_t *same = write ? &c->tags.write : &c->tags.read;
	uint64_t other = write ? c->tags.read : c->tags.write;
	uint32_t same_site = write ? c->more.write_site : c->more.read_site, step;

	if (((*same ^ tag) & (HD_TAG_EPOCH | HD_TAG_FREED)) || other)
		return false;
	if (tag & ~*same & HD_TAG_BYTES ? same_site != site
					: v->race->sites[same_site].locks != v->locks)
		return false;
	step = hd_race_step(v, c, write);
	if (!step)
		return false;
	*same |= tag & HD_TAG_BYTES;
	c->more.lockset = step;
	return true;
}

/* Bytes of a cell that is not split, or one byte of one that is. False: it is not simple. */
static inline bool touch(const struct hd_race_view *v, struct hd_shadow_cell *c, uint64_t tag,
			 bool write, uint32_t site)
{
	uint32_t step;

	if ((c->tags.write | c->tags.read) & ~tag & HD_TAG_BYTES)
		return joins(v, c, tag, write, site);
	step = hd_race_step(v, c, write);
	if (!step)
		return false;
	hd_race_put(c, write, tag, site, step);
	return true;
}

static inline bool touch_part(const struct hd_race_view *v, const struct part *x, bool write,
			      uint32_t site)
{
	if (!x->split)
		return touch(v, x->cell, v->epoch | x->bytes, write, site);
	for (unsigned b = 0; b < 4; b++) {
		if ((x->bytes >> b & 1) &&
		    !touch(v, &x->split->bytes[b], v->epoch | UINT64_C(1) << b, write, site))
			return false;
	}
	return true;
}

/* As the runtime tells of it: up to eight bytes have a size, more are a range. */
static uint32_t site_of(const struct hd_race_view *v, unsigned len, bool write, uint64_t pc,
			uint32_t ctx)
{
	unsigned range = write ? HD_OP_WRITE_RANGE : HD_OP_READ_RANGE;
	unsigned plain = write ? HD_OP_WRITE : HD_OP_READ;
	const struct hd_race_place *p = &v->places[hd_race_place_of(pc, ctx, v->locks)];
	uint32_t how = len <= 8 ? hd_race_how(plain, len, 0) : hd_race_how(range, 0, 0);

	return p->pc == pc && p->ctx == ctx && p->locks == v->locks && p->how == how ? p->site : 0;
}

bool hd_race_bytes(const struct hd_race_view *v, uint64_t addr, unsigned len, bool write,
		   uint64_t pc, uint32_t ctx)
{
	struct hd_shadow_page *p = page_of(v, addr, len);
	uint64_t at = addr, end = addr + len;
	uint32_t site;

	if (!p)
		return all_seen_narrow(v, addr, end, write);
	if (all_seen(v, p, addr, end, write))
		return true;
	site = site_of(v, len, write, pc, ctx);
	while (site && at < end) {
		struct part x = part_at(v, p, at, end);

		if (!touch_part(v, &x, write, site))
			return false;
		at = x.next;
	}
	return site;
}
