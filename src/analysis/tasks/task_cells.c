#include "task_cells.h"

bool hd_task_cells_init(struct hd_task_cells *c, struct hd_steps *steps)
{
	*c = (struct hd_task_cells){ .granules = { .record_size = sizeof(uint32_t) },
				     .pages = { .record_size = 1 },
				     .steps = steps };
	return hd_slab_init(&c->cells, sizeof(struct hd_task_cell)) &&
	       hd_slab_init(&c->sets, sizeof(struct hd_did_set)) &&
	       hd_slab_init(&c->doing, sizeof(struct hd_doing));
}

void hd_task_cells_free(struct hd_task_cells *c)
{
	hd_addr_map_free(&c->granules, NULL);
	hd_addr_map_free(&c->pages, NULL);
	hd_slab_free(&c->cells);
	hd_slab_free(&c->sets);
	hd_slab_free(&c->doing);
}

static struct hd_task_cell *cell_at(const struct hd_task_cells *c, uint32_t i)
{
	return hd_slab_at(&c->cells, i);
}

static struct hd_did_set *set_at(const struct hd_task_cells *c, uint32_t i)
{
	return hd_slab_at(&c->sets, i);
}

static struct hd_doing *doing_at(const struct hd_task_cells *c, uint32_t i)
{
	return hd_slab_at(&c->doing, i);
}

uint64_t hd_task_cells_bytes(const struct hd_task_cells *c)
{
	return c->cells.live * sizeof(struct hd_task_cell) +
	       c->sets.live * sizeof(struct hd_did_set) + c->doing.live * sizeof(struct hd_doing) +
	       c->granules.used * sizeof(uint32_t) + c->granules.cap * sizeof(struct hd_addr_entry);
}

/* --- locations --- */

static uint32_t new_cell(struct hd_task_cells *c, uint8_t mask, uint32_t next)
{
	uint32_t i = hd_slab_new(&c->cells);

	*cell_at(c, i) = (struct hd_task_cell){ .mask = mask, .next = next };
	c->ncells++;
	c->failed |= c->cells.failed;
	return i;
}

static uint32_t copy_sets(struct hd_task_cells *c, uint32_t from)
{
	uint32_t head = 0, *tail = &head;

	for (; from; from = set_at(c, from)->next) {
		uint32_t i = hd_slab_new(&c->sets);

		if (!i) {
			c->failed = true;
			break;
		}
		*set_at(c, i) = *set_at(c, from);
		set_at(c, i)->next = 0;
		*tail = i;
		tail = &set_at(c, i)->next;
	}
	return head;
}

static uint32_t copy_doing(struct hd_task_cells *c, uint32_t from)
{
	uint32_t head = 0, *tail = &head;

	for (; from; from = doing_at(c, from)->next) {
		uint32_t i = hd_slab_new(&c->doing);

		if (!i) {
			c->failed = true;
			break;
		}
		*doing_at(c, i) = *doing_at(c, from);
		doing_at(c, i)->next = 0;
		*tail = i;
		tail = &doing_at(c, i)->next;
	}
	return head;
}

/* Keep only @mask of @cell; the rest becomes a location of its own. */
static void split(struct hd_task_cells *c, struct hd_task_cell *cell, uint8_t mask)
{
	uint32_t rest = new_cell(c, cell->mask & (uint8_t)~mask, cell->next);

	if (!rest)
		return;
	cell_at(c, rest)->sets = copy_sets(c, cell->sets);
	cell_at(c, rest)->doing = copy_doing(c, cell->doing);
	cell->next = rest;
	cell->mask &= mask;
}

void hd_task_cells_each(struct hd_task_cells *c, uint64_t granule, uint8_t mask,
			hd_task_cell_fn *fn, void *arg)
{
	uint32_t *head = hd_addr_map_get(&c->granules, granule + 1), i;

	if (!head || (!*head && !hd_addr_map_get(&c->pages, (granule >> HD_CELL_PAGE) + 1))) {
		c->failed = true;
		return;
	}
	for (i = *head; i && mask; i = cell_at(c, i)->next) {
		struct hd_task_cell *cell = cell_at(c, i);

		if (!(cell->mask & mask))
			continue;
		if (cell->mask & ~mask)
			split(c, cell, mask);
		mask &= (uint8_t)~cell->mask;
		fn(arg, granule, cell);
	}
	if (mask) {
		i = new_cell(c, mask, *head);
		if (!i)
			return;
		*head = i;
		fn(arg, granule, cell_at(c, i));
	}
}

static void drop_cell(struct hd_task_cells *c, uint32_t i)
{
	struct hd_task_cell *cell = cell_at(c, i);

	for (uint32_t s = cell->sets, next; s; s = next) {
		next = set_at(c, s)->next;
		hd_slab_drop(&c->sets, s);
	}
	for (uint32_t d = cell->doing, next; d; d = next) {
		next = doing_at(c, d)->next;
		hd_slab_drop(&c->doing, d);
	}
	hd_slab_drop(&c->cells, i);
}

static void forget_bytes(struct hd_task_cells *c, uint64_t granule, uint8_t mask)
{
	uint32_t *link = hd_addr_map_find(&c->granules, granule + 1), i;

	while (link && *link) {
		i = *link;
		cell_at(c, i)->mask &= (uint8_t)~mask;
		if (cell_at(c, i)->mask) {
			link = &cell_at(c, i)->next;
			continue;
		}
		*link = cell_at(c, i)->next;
		drop_cell(c, i);
	}
}

/* The first granule from @from on that is in a page with some. */
static uint64_t skip_pages(const struct hd_task_cells *c, uint64_t from, uint64_t to)
{
	uint64_t first = to;

	for (uint32_t i = 0; i < c->pages.cap; i++) {
		uint64_t at = (c->pages.entries[i].key - 1) << HD_CELL_PAGE;

		if (c->pages.entries[i].key && at >= from && at < first)
			first = at;
	}
	return first;
}

/* Granules @from .. @to - 1; most of a large range was never touched. */
static void forget_all(struct hd_task_cells *c, uint64_t from, uint64_t to)
{
	const uint64_t size = 1u << HD_CELL_PAGE;

	while (from < to) {
		uint64_t page = from >> HD_CELL_PAGE, next = (page + 1) << HD_CELL_PAGE;
		uint64_t end = next < to ? next : to;

		if (hd_addr_map_find(&c->pages, page + 1)) {
			for (uint64_t g = from; g < end; g++)
				forget_bytes(c, g, 0xff);
			hd_addr_map_forget(&c->granules, from + 1, end - from, NULL);
			if (end - from == size)
				hd_addr_map_forget(&c->pages, page + 1, 1, NULL);
		} else if (to - from > size * c->pages.cap) {
			end = skip_pages(c, from, to);
		}
		from = end;
	}
}

void hd_task_cells_forget(struct hd_task_cells *c, uint64_t addr, uint64_t len)
{
	uint64_t first = addr >> 3, end = (addr + len) >> 3;

	if (!len || !c->granules.used)
		return;
	if (first == end) {
		forget_bytes(c, first,
			     (uint8_t)(0xff << (addr & 7) & 0xff >> (8 - ((addr + len) & 7))));
		return;
	}
	if (addr & 7)
		forget_bytes(c, first++, (uint8_t)(0xff << (addr & 7)));
	if ((addr + len) & 7)
		forget_bytes(c, end, (uint8_t)(0xff >> (8 - ((addr + len) & 7))));
	if (first < end)
		forget_all(c, first, end);
}

/* --- steps that still run --- */

struct hd_doing *hd_task_doing(struct hd_task_cells *c, struct hd_task_cell *cell,
			       const struct hd_task *task)
{
	uint32_t *link = &cell->doing, i;

	for (i = *link; i; i = *link) {
		struct hd_doing *d = doing_at(c, i);

		if (d->step == task->step)
			return d;
		/* The others go when their step is over. */
		if (hd_steps_step_of(c->steps, d->task) != d->step) {
			*link = d->next;
			hd_slab_drop(&c->doing, i);
		} else {
			link = &d->next;
		}
	}
	i = hd_slab_new(&c->doing);
	if (!i)
		c->failed = true;
	*doing_at(c, i) =
		(struct hd_doing){ .step = task->step, .task = task->number, .next = cell->doing };
	cell->doing = i;
	return doing_at(c, i);
}

/* --- sets --- */

static struct hd_did_set *new_set(struct hd_task_cells *c, struct hd_task_cell *cell,
				  enum hd_did kind, hd_word word)
{
	uint32_t i = hd_slab_new(&c->sets);

	if (!i) {
		c->failed = true;
		return NULL;
	}
	*set_at(c, i) = (struct hd_did_set){ .next = cell->sets, .kind = kind, .word = word };
	cell->sets = i;
	return set_at(c, i);
}

/* Of one step, what it did last may be parallel to what comes where what it did first is not. */
static void keep_latest(struct hd_did_step *was, const struct hd_did_step *who)
{
	const struct hd_did_at *old = was->second.site ? &was->second : &was->first;
	const struct hd_did_at *new = who->second.site ? &who->second : &who->first;

	if (old->moment < new->moment)
		*was = *who;
}

/* By the tree alone two steps are enough. */
static void add_by_tree(struct hd_task_cells *c, struct hd_did_set *set,
			const struct hd_did_step *who)
{
	struct hd_dpst *tree = &c->steps->tree;
	struct hd_did_step *a = &set->steps[0], *b = &set->steps[1];
	bool with_a, with_b;

	if (a->step == who->step || b->step == who->step) {
		keep_latest(a->step == who->step ? a : b, who);
		return;
	}
	if (!a->step) {
		*a = *who;
		return;
	}
	with_a = hd_dpst_parallel(tree, a->step, who->step);
	if (!b->step) {
		*(with_a ? b : a) = *who;
		return;
	}
	with_b = hd_dpst_parallel(tree, b->step, who->step);
	if (!with_a && !with_b) {
		*a = *who;
		*b = (struct hd_did_step){ 0 };
	} else if (with_a && with_b &&
		   hd_dpst_lca_depth(tree, a->step, who->step) <
			   hd_dpst_lca_depth(tree, a->step, b->step)) {
		*a = *who;
	}
}

/* With other order about: all that need not come before @who, and it. */
static void add_to_all(struct hd_task_cells *c, struct hd_task_cell *cell, enum hd_did kind,
		       hd_word word, const struct hd_did_step *who)
{
	struct hd_did_step *room = NULL;
	struct hd_did_set *first = NULL;
	unsigned n = 0;

	for (uint32_t i = cell->sets; i; i = set_at(c, i)->next) {
		struct hd_did_set *set = set_at(c, i);

		if (set->kind != kind || set->word != word)
			continue;
		first = first ? first : set;
		for (int k = 0; k < 2; k++) {
			struct hd_did_step *s = &set->steps[k];

			if (s->step == who->step) {
				keep_latest(s, who);
				return;
			}
			if (s->step && !hd_steps_parallel(c->steps, s->step, who->step))
				*s = (struct hd_did_step){ 0 };
			if (!s->step)
				room = s;
			else
				n++;
		}
	}
	if (!room && n < HD_SET_MAX) {
		first = new_set(c, cell, kind, word);
		room = first ? &first->steps[0] : NULL;
	}
	if (room) {
		*room = *who;
	} else if (first) {
		c->crowded++;
		add_by_tree(c, first, who);
	}
}

struct hd_did_set *hd_task_cells_set(struct hd_task_cells *c, struct hd_task_cell *cell,
				     enum hd_did kind, hd_word word)
{
	uint32_t i = cell->sets;

	while (i && (set_at(c, i)->kind != kind || set_at(c, i)->word != word))
		i = set_at(c, i)->next;
	return i ? set_at(c, i) : new_set(c, cell, kind, word);
}

void hd_task_cells_add(struct hd_task_cells *c, struct hd_task_cell *cell, enum hd_did kind,
		       hd_word word, const struct hd_did_step *who)
{
	struct hd_did_set *set;

	if (c->keep_all) {
		add_to_all(c, cell, kind, word, who);
		return;
	}
	set = hd_task_cells_set(c, cell, kind, word);
	if (set)
		add_by_tree(c, set, who);
}
