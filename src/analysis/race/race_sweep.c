/* Many accesses side by side, all alike. */
#include "race_impl.h"

/* What hd_race_simple_run() knows of its accesses. */
struct sweep {
	const struct hd_race_sweep *of;
	const struct hd_race_view *view;
	uint32_t read_site, write_site;
	struct hd_shadow_cell last, becomes; /* what the last cell was, and what was made of it */
};

/* All of a page, from its begin, in one way. */
static bool sweep_page(struct hd_race *r, uint64_t addr, const struct hd_race_sweep *s, bool write)
{
	struct hd_event ev = { .addr = addr,
			       .size = s->size,
			       .op = write ? HD_OP_WRITE : HD_OP_READ,
			       .pc = write ? s->write_pc : s->read_pc,
			       .ctx = s->ctx };
	struct hd_race_access a = {
		.ev = &ev, .index = HD_NO_INDEX, .who = r->who, .write = write
	};

	return hd_race_access_page(r, &a, addr);
}

/* Neighbours mostly have the same history. */
static inline bool is_like(const struct hd_shadow_cell *a, const struct hd_shadow_cell *b)
{
	return a->tags.write == b->tags.write && a->tags.read == b->tags.read &&
	       a->more.lockset == b->more.lockset && a->more.extra == b->more.extra;
}

/* What is made of a cell like @s->last, of which all is accessed; false: it is not simple. */
static bool sweep_new(struct sweep *s)
{
	struct hd_shadow_cell c = s->last;
	uint64_t tag = s->view->epoch | HD_TAG_BYTES;
	uint32_t step;

	if (!hd_race_fits(&c.tags, 0))
		return false;
	if (s->of->read) {
		step = hd_race_step(s->view, &c, false);
		if (!step)
			return false;
		hd_race_put(&c, false, tag, s->read_site, step);
	}
	if (s->of->write) {
		step = hd_race_step(s->view, &c, true);
		if (!step)
			return false;
		hd_race_put(&c, true, tag, s->write_site, step);
	}
	s->becomes = c;
	return true;
}

/* @wide: of an access of eight bytes, on a page that is divided: its first half. */
static inline bool sweep_cell(struct sweep *s, struct hd_shadow_cell *c, bool wide)
{
	if (!is_like(c, &s->last) || !s->becomes.more.lockset) {
		s->last = *c;
		s->becomes.more.lockset = 0; /* nothing yet */
		if (!sweep_new(s)) {
			s->becomes.more.lockset = 0;
			return false;
		}
	}
	c->tags = s->becomes.tags;
	c->more.lockset = s->becomes.more.lockset;
	if (s->of->write)
		c->more.write_site = s->write_site;
	if (s->of->read)
		c->more.read_site = s->read_site;
	if (wide)
		*(s->of->write ? &c->tags.write : &c->tags.read) |= HD_TAG_WIDE;
	return true;
}

/* Both halves of eight bytes on a page that is divided, or none. */
static bool sweep_halves(struct sweep *s, struct hd_shadow_cell *even, struct hd_shadow_cell *odd)
{
	struct hd_shadow_cell before = *even;

	if (!sweep_cell(s, even, true))
		return false;
	if (sweep_cell(s, odd, false))
		return true;
	*even = before;
	return false;
}

/* A cell as a whole, to be compared and copied. */
typedef uint64_t __attribute__((may_alias)) cell_word;
/* A local cell is aligned as its words are. */
typedef long long __attribute__((vector_size(16), aligned(8), may_alias)) cell_half;
_Static_assert(sizeof(struct hd_shadow_cell) == 4 * sizeof(cell_word), "has no gaps");

/*
 * From @c on, those that are like the last in everything, sites too, and become what that became: most of
 * what loops go over, so a few instructions each. Returns the first that is not, or @end.
 */
static struct hd_shadow_cell *sweep_alike(const struct sweep *s, struct hd_shadow_cell *c,
					  const struct hd_shadow_cell *end)
{
	const cell_word *last = (const cell_word *)&s->last;
	const cell_half *becomes = (const cell_half *)&s->becomes;
	cell_word a = last[0], b = last[1], d = last[2], e = last[3];
	cell_half low = becomes[0], high = becomes[1];

	if (!s->becomes.more.lockset)
		return c;
	for (; c < end; c++) {
		const cell_word *w = (const cell_word *)c;

		if ((w[0] ^ a) | (w[1] ^ b) | (w[2] ^ d) | (w[3] ^ e))
			break;
		((cell_half *)c)[0] = low;
		((cell_half *)c)[1] = high;
	}
	return c;
}

/* Those from @c to @end, of eight bytes each. Returns the first that is not simple, or @end. */
static struct hd_shadow_cell *sweep_whole(struct sweep *s, struct hd_shadow_cell *c,
					  const struct hd_shadow_cell *end)
{
	while (c < end) {
		if (!sweep_cell(s, c, false))
			break;
		c = sweep_alike(s, c + 1, end);
	}
	return c;
}

/* In a page: from @at to @stop, as far as it is simple. Returns where it ends. */
static uint64_t sweep_in(struct sweep *s, struct hd_shadow_page *p, uint64_t at, uint64_t stop)
{
	bool wide = s->of->size == 8;
	struct hd_shadow_cell *c;

	if (!p->odd) { /* all eight bytes of a cell are accessed, in however many steps */
		if (at & 7)
			return at;
		c = hd_shadow_cell_at(p, at);
		return at + 8 * (uint64_t)(sweep_whole(s, c, c + (stop - at) / 8) - c);
	}
	for (; at < stop; at += wide ? 8 : 4) {
		c = hd_shadow_cell_at(p, at);
		if (wide ? !sweep_halves(s, c, hd_shadow_cell_at(p, at + 4))
			 : !sweep_cell(s, c, false))
			break;
	}
	return at;
}

size_t hd_race_simple_run(struct hd_race *r, const struct hd_race_view *v, uint64_t addr,
			  size_t len, const struct hd_race_sweep *of)
{
	struct sweep s = { .of = of, .view = v };
	uint64_t at = addr, end = addr + len;

	s.read_site = of->read ? hd_race_quick_site(v, of->size, false, of->read_pc, of->ctx) : 0;
	s.write_site = of->write ? hd_race_quick_site(v, of->size, true, of->write_pc, of->ctx) : 0;
	if ((of->read && !s.read_site) || (of->write && !s.write_site))
		return 0;
	while (at < end && at >> HD_PAGE_LOG < HD_DIRECT_PAGES) {
		struct hd_shadow_page *p = r->shadow.direct[at >> HD_PAGE_LOG];
		uint64_t stop = (at | 4095) + 1 < end ? (at | 4095) + 1 : end;

		if (p && p->narrow && !(at & 7)) {
			uint64_t whole = stop & ~(uint64_t)7;

			at = hd_race_narrow_sweep(r, p, at, whole, of,
						  of->write ? s.write_site : s.read_site);
			if (at == stop)
				continue;
			if (at == whole)
				break;
		}
		if (p && p->narrow && ((at & 7) || !hd_race_spread(r, p)))
			break;
		if ((!p || p->uniform) && !(at & 4095) && stop - at == 4096 &&
		    (!of->read || sweep_page(r, at, of, false)) &&
		    (!of->write || sweep_page(r, at, of, true))) {
			at = stop;
			continue;
		}
		if (!p || p->uniform)
			break;
		at = sweep_in(&s, p, at, stop);
		if (at < stop)
			break;
	}
	return (at - addr) & ~(uint64_t)7;
}
