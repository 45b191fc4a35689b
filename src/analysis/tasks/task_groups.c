#include "task_groups.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

struct member {
	uint32_t next;
	uint32_t group; /* place in groups */
	uint8_t mask, number;
};

/* Where an access of a kept step was. */
struct place {
	struct hd_did_at at;
	uint64_t addr;
};

bool hd_task_groups_init(struct hd_task_groups *g)
{
	*g = (struct hd_task_groups){ .at = { .record_size = sizeof(uint32_t) } };
	return hd_slab_init(&g->members, sizeof(struct member));
}

void hd_task_groups_free(struct hd_task_groups *g)
{
	hd_addr_map_free(&g->at, NULL);
	hd_slab_free(&g->members);
	hd_map_free(&g->group_of);
	hd_map_free(&g->answers);
	hd_intern_free(&g->stories);
	hd_intern_free(&g->places);
	free(g->groups);
}

/* --- members --- */

static uint32_t group_number(struct hd_task_groups *g, uint32_t number)
{
	uint64_t at = hd_map_get(&g->group_of, number + 1ull);

	if (at)
		return (uint32_t)at - 1;
	if (!HD_ROOM(g->groups, g->room, g->ngroups + 1) ||
	    !hd_map_set(&g->group_of, number + 1ull, g->ngroups + 1)) {
		g->failed = true;
		return 0;
	}
	g->groups[g->ngroups] = (struct hd_group_cell){ .number = number };
	return (uint32_t)g->ngroups++;
}

void hd_task_groups_add(struct hd_task_groups *g, uint64_t addr, uint64_t len, uint32_t number)
{
	uint32_t group = group_number(g, number);
	uint8_t member;

	if (g->failed || g->groups[group].nmembers == HD_MEMBERS_MAX)
		return;
	member = (uint8_t)g->groups[group].nmembers++;
	while (len) {
		unsigned low = addr & 7, n = len < 8 - low ? (unsigned)len : 8 - low;
		uint32_t *head = hd_addr_map_get(&g->at, (addr >> 3) + 1), i;

		i = head ? hd_slab_new(&g->members) : 0;
		if (!i) {
			g->failed = true;
			return;
		}
		*(struct member *)hd_slab_at(&g->members, i) = (struct member){
			.next = *head,
			.group = group,
			.number = member,
			.mask = (uint8_t)(((1u << n) - 1) << low),
		};
		*head = i;
		addr += n;
		len -= n;
	}
}

void hd_task_groups_forget(struct hd_task_groups *g, uint64_t addr, uint64_t len)
{
	if (g->ngroups && len >= 8)
		hd_addr_map_forget(&g->at, ((addr + 7) >> 3) + 1, len >> 3, NULL);
}

/* --- telling --- */

static void tell(struct hd_telling *t, struct hd_told told)
{
	if (t->n == 8 * HD_STORY_MAX || t->too_long) {
		t->too_long = true;
		return;
	}
	if (!HD_ROOM(t->told, t->room, t->n + 1))
		t->too_long = true;
	else
		t->told[t->n++] = told;
}

void hd_task_groups_lock(struct hd_telling *t, hd_lock_op op)
{
	size_t n = t->n;

	/* A loop of locks without accesses to groups. */
	if (n >= 3 && (op & HD_LOCK_OP_GIVE) && t->told[n - 1].item == (op & ~1u) &&
	    t->told[n - 2].item == op && t->told[n - 3].item == (op & ~1u)) {
		t->n--;
		return;
	}
	tell(t, (struct hd_told){ .item = op });
}

/* A third time in a row tells nothing new: leave it out. */
static void shorten(struct hd_telling *t)
{
	for (size_t k = 1; k <= 8 && 3 * k <= t->n; k++) {
		bool same = true;

		for (size_t i = t->n - k; i < t->n && same; i++) {
			const struct hd_told *x = &t->told[i], *y = x - k, *z = y - k;

			same = x->item == y->item && x->group == y->group && x->item == z->item &&
			       x->group == z->group;
		}
		if (same) {
			t->n -= k;
			return;
		}
	}
}

void hd_task_groups_access(struct hd_task_groups *g, struct hd_telling *t, uint64_t granule,
			   uint8_t mask, bool write, struct hd_did_at at)
{
	const uint32_t *head = hd_addr_map_find(&g->at, granule + 1);

	for (uint32_t i = head ? *head : 0; i;) {
		const struct member *m = hd_slab_at(&g->members, i);

		if (m->mask & mask) {
			shorten(t);
			tell(t, (struct hd_told){
					.item = HD_STORY_ACCESS | (uint32_t)m->number << 1 | write,
					.group = m->group,
					.at = at,
					.addr = granule << 3 | (unsigned)__builtin_ctz(m->mask),
				});
			t->accessed = true;
		}
		i = m->next;
	}
}

/* --- deciding --- */

struct story {
	uint32_t n;
	hd_story_item items[HD_STORY_MAX];
};

struct grid {
	const struct story *s, *t;
	uint32_t x, y;					     /* S before T on x, T before S on y */
	uint8_t seen[HD_STORY_MAX + 1][HD_STORY_MAX + 1][4]; /* 0, or how it was reached, plus 1 */
};

static bool conflicts(hd_story_item a, hd_story_item b, uint32_t member)
{
	return (a & b & HD_STORY_ACCESS) && (a & ~HD_STORY_ACCESS) >> 1 == member &&
	       (b & ~HD_STORY_ACCESS) >> 1 == member && ((a | b) & HD_STORY_WRITE);
}

/* The last of the first @n items of @story that conflicts with @item on @member; -1: none. */
static int conflicting(const struct story *story, uint32_t n, hd_story_item item, uint32_t member)
{
	for (uint32_t i = n; i-- > 0;) {
		if (conflicts(story->items[i], item, member))
			return (int)i;
	}
	return -1;
}

/* The locks that are held after @n items, as operations. */
static uint32_t held(const struct story *story, uint32_t n, hd_lock_op *out)
{
	uint32_t nout = 0;

	for (uint32_t i = 0; i < n; i++) {
		hd_story_item item = story->items[i];
		uint32_t k = 0;

		if (item & HD_STORY_ACCESS)
			continue;
		while (k < nout && out[k] >> 2 != item >> 2)
			k++;
		if (!(item & HD_LOCK_OP_GIVE))
			out[nout++] = item;
		else if (k < nout)
			out[k] = out[--nout];
	}
	return nout;
}

static bool excluded(const struct story *s, uint32_t i, const struct story *t, uint32_t j)
{
	hd_lock_op a[HD_STORY_MAX], b[HD_STORY_MAX];
	uint32_t na = held(s, i, a), nb = held(t, j, b);

	for (uint32_t p = 0; p < na; p++) {
		for (uint32_t q = 0; q < nb; q++) {
			if (a[p] >> 2 == b[q] >> 2 && !(a[p] & b[q] & HD_LOCK_OP_SHARED))
				return true;
		}
	}
	return false;
}

/* Go on from (i, j, flags) by one item of S (@by 0) or of T (@by 1). */
static void go(struct grid *g, uint32_t i, uint32_t j, unsigned flags, unsigned by)
{
	unsigned then = flags;

	if (by == 0 && conflicting(g->t, j, g->s->items[i], g->y) >= 0)
		then |= 2;
	if (by == 1 && conflicting(g->s, i, g->t->items[j], g->x) >= 0)
		then |= 1;
	i += by == 0;
	j += by == 1;
	if (!g->seen[i][j][then] && !excluded(g->s, i, g->t, j))
		g->seen[i][j][then] = (uint8_t)(1 + by * 4 + flags);
}

/* The four accesses of the cycle, in the order of a schedule that has it. */
struct cycle {
	uint8_t of_t[4], item[4];
	int n;
};

static void add_to_cycle(struct cycle *c, bool of_t, int item)
{
	for (int k = 0; k < c->n; k++) {
		if (c->of_t[k] == of_t && c->item[k] == item)
			return;
	}
	c->of_t[c->n] = of_t;
	c->item[c->n++] = (uint8_t)item;
}

/* Back from the end: which items closed the two halves, then these in their order. */
static void trace_back(const struct grid *g, uint32_t i, uint32_t j, struct cycle *out)
{
	struct cycle four = { .n = 0 }, order = { .n = 0 };
	unsigned flags = 3;
	uint32_t at_i = i, at_j = j;

	while (i || j) {
		unsigned how = g->seen[i][j][flags] - 1u, before = how & 3, by = how >> 2;

		i -= by == 0;
		j -= by == 1;
		if ((flags & ~before) & 2) {
			add_to_cycle(&four, false, (int)i);
			add_to_cycle(&four, true, conflicting(g->t, j, g->s->items[i], g->y));
		}
		if ((flags & ~before) & 1) {
			add_to_cycle(&four, true, (int)j);
			add_to_cycle(&four, false, conflicting(g->s, i, g->t->items[j], g->x));
		}
		flags = before;
	}
	/* The same way once more, for the order. */
	flags = 3;
	i = at_i;
	j = at_j;
	while (i || j) {
		unsigned how = g->seen[i][j][flags] - 1u, by = how >> 2;

		i -= by == 0;
		j -= by == 1;
		flags = how & 3;
		for (int k = 0; k < four.n; k++) {
			if (four.of_t[k] == by && four.item[k] == (by ? j : i)) {
				order.of_t[order.n] = four.of_t[k];
				order.item[order.n++] = four.item[k];
			}
		}
	}
	*out = (struct cycle){ .n = order.n };
	for (int k = 0; k < order.n; k++) {
		out->of_t[k] = order.of_t[order.n - 1 - k];
		out->item[k] = order.item[order.n - 1 - k];
	}
}

static bool find_cycle(struct grid *g, struct cycle *out)
{
	memset(g->seen, 0, sizeof(g->seen));
	g->seen[0][0][0] = 255;
	for (uint32_t i = 0; i <= g->s->n; i++) {
		for (uint32_t j = 0; j <= g->t->n; j++) {
			if (g->seen[i][j][3]) {
				trace_back(g, i, j, out);
				return true;
			}
			for (unsigned flags = 0; flags < 3; flags++) {
				if (!g->seen[i][j][flags])
					continue;
				if (i < g->s->n)
					go(g, i, j, flags, 0);
				if (j < g->t->n)
					go(g, i, j, flags, 1);
			}
		}
	}
	return false;
}

static uint32_t members_of(const struct story *s)
{
	uint32_t members = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		if (s->items[i] & HD_STORY_ACCESS)
			members |= 1u << ((s->items[i] & ~HD_STORY_ACCESS) >> 1);
	}
	return members;
}

static bool decide(const struct story *s, const struct story *t, struct cycle *out)
{
	static struct grid grid; /* not on a stack that may be small */
	uint32_t both = members_of(s) & members_of(t);

	grid.s = s;
	grid.t = t;
	for (grid.x = 0; grid.x < HD_MEMBERS_MAX; grid.x++) {
		for (grid.y = 0; grid.y < HD_MEMBERS_MAX; grid.y++) {
			if (grid.x != grid.y && (both >> grid.x & both >> grid.y & 1) &&
			    find_cycle(&grid, out))
				return true;
		}
	}
	return false;
}

static const struct story *story_at(const struct hd_task_groups *g, uint32_t number)
{
	size_t len;

	return hd_intern_get(&g->stories, number, &len);
}

static bool is_cycle(struct hd_task_groups *g, uint32_t s, uint32_t t)
{
	uint64_t key = (uint64_t)s << 32 | t, known = hd_map_get(&g->answers, key);
	struct cycle unused;

	if (!known) {
		known = 1 + decide(story_at(g, s), story_at(g, t), &unused);
		if (!hd_map_set(&g->answers, key, known))
			g->failed = true;
	}
	return known == 2;
}

/* --- steps --- */

static void report(struct hd_task_groups *g, struct hd_task_hits *hits, uint32_t group, uint32_t s,
		   const struct hd_did_step *of_s, uint32_t t, const struct hd_did_step *of_t)
{
	const struct hd_did_step *who[2] = { of_s, of_t };
	struct hd_task_hit hit = { .weight = HD_HIT_DECLARED,
				   .naccesses = 0,
				   .group = (int)g->groups[group].number };
	struct cycle cycle;

	if (!decide(story_at(g, s), story_at(g, t), &cycle))
		return;
	for (int k = 0; k < cycle.n; k++) {
		bool is_t = cycle.of_t[k];
		const struct story *story = story_at(g, is_t ? t : s);
		size_t len;
		const struct place *places = hd_intern_get(&g->places, who[is_t]->first.site, &len);
		int n = 0;

		for (int i = 0; i < cycle.item[k]; i++)
			n += (story->items[i] & HD_STORY_ACCESS) != 0;
		hit.steps[k] = who[is_t]->step;
		hit.at[k] = places[n].at;
		hit.addrs[k] = places[n].addr;
		hit.of_other[k] = is_t != cycle.of_t[0];
		hit.pattern[k] = story->items[cycle.item[k]] & HD_STORY_WRITE ? 'W' : 'R';
	}
	hit.naccesses = (uint8_t)cycle.n;
	hit.addr = hit.addrs[0];
	hit.size = hd_task_hits_at(hits, hit.at[0].site)->size;
	hd_task_hits_add(hits, &hit, false);
}

static void compare(struct hd_task_groups *g, struct hd_task_cells *cells,
		    struct hd_task_hits *hits, uint32_t group, uint32_t story,
		    const struct hd_did_step *who)
{
	for (uint32_t i = g->groups[group].cell.sets; i;) {
		const struct hd_did_set *set = hd_slab_at(&cells->sets, i);

		for (int k = 0; k < 2; k++) {
			const struct hd_did_step *other = &set->steps[k];

			if (other->step &&
			    hd_steps_parallel(cells->steps, other->step, who->step) &&
			    is_cycle(g, story, set->word))
				report(g, hits, group, story, who, set->word, other);
		}
		i = set->next;
	}
}

/* The story of one group; false: nothing to keep. */
static bool tell_story(struct hd_task_groups *g, const struct hd_telling *t, uint32_t group,
		       uint32_t *story, uint32_t *places)
{
	struct place where[HD_STORY_MAX];
	struct story s;
	uint32_t naccesses = 0;

	s.n = 0;
	memset(where, 0, sizeof(where));
	for (size_t i = 0; i < t->n; i++) {
		const struct hd_told *x = &t->told[i];

		if ((x->item & HD_STORY_ACCESS) && x->group != group)
			continue;
		if (s.n == HD_STORY_MAX) {
			g->left_out++;
			return false;
		}
		if (x->item & HD_STORY_ACCESS) {
			where[naccesses].at = x->at;
			where[naccesses++].addr = x->addr;
		}
		s.items[s.n++] = x->item;
	}
	*story = hd_intern_put(&g->stories, &s, (1 + s.n) * sizeof(uint32_t));
	*places = hd_intern_put(&g->places, where, naccesses * sizeof(*where));
	if (!*story || !*places)
		g->failed = true;
	return naccesses >= 2 && !g->failed;
}

void hd_task_groups_step(struct hd_task_groups *g, struct hd_telling *t, hd_dpst_id step,
			 struct hd_task_cells *cells, struct hd_task_hits *hits)
{
	if (t->too_long && t->accessed)
		g->left_out++;
	for (size_t i = 0; i < t->n && t->accessed && !t->too_long; i++) {
		uint32_t group = t->told[i].group, story, places;
		bool done = !(t->told[i].item & HD_STORY_ACCESS);
		struct hd_did_step who = { .step = step };

		for (size_t k = 0; k < i && !done; k++)
			done = (t->told[k].item & HD_STORY_ACCESS) && t->told[k].group == group;
		if (done || !tell_story(g, t, group, &story, &places))
			continue;
		who.first.site = places;
		compare(g, cells, hits, group, story, &who);
		hd_task_cells_add(cells, &g->groups[group].cell, HD_DID_PAIR, story, &who);
	}
	t->n = 0;
	t->accessed = t->too_long = false;
}
