/* Accesses to some bytes of cells, and those across them, where nothing special is to be said. */
#include "race_impl.h"

/* Did the thread do the same to the bytes of @tag, or write, in its epoch? On a page that is divided. */
static inline bool is_seen(const struct hd_cell *c, uint64_t tag, bool write)
{
	uint64_t mask = HD_TAG_EPOCH | HD_TAG_FREED | (tag & HD_TAG_BYTES);

	return !((c->write ^ tag) & mask) || (!write && !((c->read ^ tag) & mask));
}

/* As combine() in race_cell.c has it for a loop over bytes: more of them from one place, in one epoch. */
static bool joins(const struct hd_race_view *v, struct hd_shadow_cell *c, uint64_t tag, bool write,
		  uint32_t site)
{
	uint64_t *same = write ? &c->tags.write : &c->tags.read;
	uint64_t other = write ? c->tags.read : c->tags.write;
	uint32_t same_site = write ? c->more.write_site : c->more.read_site, step;

	if (((*same ^ tag) & (HD_TAG_EPOCH | HD_TAG_FREED)) || other || same_site != site)
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

	if (is_seen(&c->tags, tag, write))
		return true;
	if ((c->tags.write | c->tags.read) & ~tag & HD_TAG_BYTES)
		return joins(v, c, tag, write, site);
	step = hd_race_step(v, c, write);
	if (!step)
		return false;
	hd_race_put(c, write, tag, site, step);
	return true;
}

static bool touch_each(const struct hd_race_view *v, struct hd_race_split *s, uint64_t bytes,
		       bool write, uint32_t site)
{
	for (unsigned b = 0; b < 4; b++) {
		if ((bytes >> b & 1) &&
		    !touch(v, &s->bytes[b], v->epoch | UINT64_C(1) << b, write, site))
			return false;
	}
	return true;
}

/* As hd_race_access_range() names it. */
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
	struct hd_shadow_page *p = v->pages[addr >> HD_PAGE_LOG & (HD_DIRECT_PAGES - 1)];
	uint64_t end = addr + len, next;
	uint32_t site;

	if (!p || p->uniform || !p->odd || ((addr ^ (end - 1)) >> HD_PAGE_LOG) ||
	    addr >> HD_PAGE_LOG >= HD_DIRECT_PAGES)
		return false;
	site = site_of(v, len, write, pc, ctx);
	for (uint64_t at = addr; site && at < end; at = next) {
		struct hd_shadow_cell *c = hd_shadow_cell_at(p, at);
		uint64_t bytes = HD_TAG_BYTES << (at & 3) & HD_TAG_BYTES;

		next = (at & ~3ull) + 4;
		if (next > end)
			bytes &= HD_TAG_BYTES >> (next - end);
		if ((c->more.extra & (HD_EXTRA_SPLIT | HD_EXTRA_ATOMIC)) == HD_EXTRA_SPLIT
			    ? !touch_each(v, &v->race->splits[c->more.extra & HD_EXTRA_NUMBER],
					  bytes, write, site)
			    : !touch(v, c, v->epoch | bytes, write, site))
			return false;
	}
	return site;
}
