#include "trace_cells.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/budget.h"
#include "common/map.h"

/* A value that a range write must have left, because the next read shows it. */
struct guess {
	uint64_t value;
	bool known;
};

#define PAGE	 4096u /* bytes */
#define WORDS	 (PAGE / 8)
#define AT_HAND	 256u  /* pages */
#define RECENTLY 4096u /* accesses */

/*
 * The first cell that ends after the begin of each word of eight bytes, plus 1, page by page; 0: nobody has asked.
 * Programs come to the same places again and again.
 */
struct where {
	struct hd_map pages; /* number of a page -> its table, plus 1 */
	uint32_t **tables;
	size_t ntables, room;
	struct {
		uint64_t page; /* plus 1 */
		uint32_t *table;
	} at_hand[AT_HAND];
};

struct hd_cells {
	struct hd_trace *t;
	uint64_t index;	  /* of the event in hand */
	uint64_t highest; /* number of a thread */
	struct where where;
	struct hd_map seen; /* accesses, so that each kind is taken once */
	struct {
		uint64_t addr, end;
	} recently[RECENTLY]; /* that were seen */
	uint64_t *points;     /* begins and ends of accesses, in pairs until sorted */
	size_t npoints, points_room;
	struct hd_cell *cells;
	size_t ncells;
	struct guess *guesses;
	size_t nguesses, guesses_room, next_guess;
	hd_step_fn *fn;
	void *arg;
	struct hd_errbuf *eb;
};

typedef enum hd_err event_fn(struct hd_cells *c, const struct hd_event *ev);

int64_t hd_cell_signed(const struct hd_cell *cell, uint64_t value)
{
	return cell->size == 4 ? (int32_t)value : (int64_t)value;
}

static enum hd_err no_memory(struct hd_cells *c)
{
	return hd_fail(c->eb, HD_ERR_NOMEM, "out of memory while exporting");
}

static bool is_access(uint8_t op)
{
	return op == HD_OP_READ || op == HD_OP_WRITE || op == HD_OP_INIT ||
	       (op >= HD_OP_ATOMIC_LOAD && op <= HD_OP_ATOMIC_CAS_FAIL);
}

static bool is_range(uint8_t op)
{
	return op == HD_OP_READ_RANGE || op == HD_OP_WRITE_RANGE;
}

static bool is_write(uint8_t op)
{
	return op == HD_OP_WRITE || op == HD_OP_ATOMIC_STORE;
}

static uint64_t end_of(uint64_t addr, uint64_t len)
{
	return len > UINT64_MAX - addr ? UINT64_MAX : addr + len;
}

static uint64_t length_of(const struct hd_event *ev)
{
	uint64_t len = is_range(ev->op) ? ev->value : ev->size;

	return len || is_range(ev->op) ? len : 1;
}

/* One pass over the events; *@damage takes the error that ends it early, if any. */
static enum hd_err pass(struct hd_cells *c, event_fn *fn, enum hd_err *damage)
{
	const struct hd_event *ev;
	enum hd_err err;
	size_t n;

	hd_trace_rewind(c->t);
	c->index = 0;
	for (;;) {
		*damage = hd_trace_next(c->t, &ev, &n, c->eb);
		if (*damage || !n)
			return HD_OK;
		if (hd_budget_over())
			return hd_fail(c->eb, HD_ERR_STOPPED, "stopped while reading the run");
		for (size_t i = 0; i < n; i++, c->index++) {
			err = fn(c, &ev[i]);
			if (err)
				return err;
		}
	}
}

/* --- cutting --- */

static enum hd_err add_points(struct hd_cells *c, uint64_t from, uint64_t to)
{
	if (from == to)
		return HD_OK;
	for (int i = 0; i < 2; i++) {
		if (!HD_ROOM(c->points, c->points_room, c->npoints + 1))
			return no_memory(c);
		c->points[c->npoints++] = i ? to : from;
	}
	return HD_OK;
}

static void note_threads(struct hd_cells *c, const struct hd_event *ev)
{
	bool other = ev->op == HD_OP_FORK || ev->op == HD_OP_JOIN;

	if (ev->thread > c->highest)
		c->highest = ev->thread;
	if (other && ev->value > c->highest)
		c->highest = ev->value;
}

static enum hd_err collect(struct hd_cells *c, const struct hd_event *ev)
{
	uint64_t end, key, sizes;
	size_t hand;

	note_threads(c, ev);
	if (!is_access(ev->op))
		return HD_OK;
	end = end_of(ev->addr, length_of(ev));
	hand = (ev->addr ^ ev->addr >> 12 ^ (end - ev->addr) << 8) % RECENTLY;
	if (c->recently[hand].addr == ev->addr && c->recently[hand].end == end)
		return HD_OK;
	c->recently[hand].addr = ev->addr;
	c->recently[hand].end = end;
	/* Sizes up to 32 bytes, which are nearly all, are bits of one entry per address. */
	key = ev->addr;
	sizes = hd_map_get(&c->seen, key);
	if (end - ev->addr <= 32) {
		uint64_t bit = 1ull << (end - ev->addr);

		if (sizes & bit)
			return HD_OK;
		if (!hd_map_set(&c->seen, key, sizes | bit))
			return no_memory(c);
	}
	/* A value has eight bytes: what lies beyond is another cell. */
	if (end - ev->addr > 8) {
		if (add_points(c, ev->addr, ev->addr + 8))
			return HD_ERR_NOMEM;
		return add_points(c, ev->addr + 8, end);
	}
	return add_points(c, ev->addr, end);
}

static int compare_points(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The accesses' begins and ends, each sorted: a cell is where more began than ended. */
static enum hd_err cut(struct hd_cells *c)
{
	size_t n = c->npoints / 2, b = 0, e = 0;
	uint64_t *begins = malloc((n + 1) * sizeof(*begins)),
		 *ends = malloc((n + 1) * sizeof(*ends));
	uint64_t at = 0;

	c->cells = calloc(c->npoints + 1, sizeof(*c->cells));
	if (!begins || !ends || !c->cells) {
		free(begins);
		free(ends);
		return no_memory(c);
	}
	for (size_t i = 0; i < n; i++) {
		begins[i] = c->points[2 * i];
		ends[i] = c->points[2 * i + 1];
	}
	qsort(begins, n, sizeof(*begins), compare_points);
	qsort(ends, n, sizeof(*ends), compare_points);
	while (e < n) {
		uint64_t next = b < n && begins[b] < ends[e] ? begins[b] : ends[e];

		if (b > e && next > at) {
			c->cells[c->ncells] = (struct hd_cell){ .addr = at,
								.size = next - at,
								.number = (uint32_t)c->ncells };
			c->ncells++;
		}
		at = next;
		while (b < n && begins[b] == at)
			b++;
		while (e < n && ends[e] == at)
			e++;
	}
	free(begins);
	free(ends);
	return HD_OK;
}

/* The first cell that ends after @addr. */
static struct hd_cell *search_cell(struct hd_cells *c, uint64_t addr)
{
	size_t low = 0, high = c->ncells;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->cells[mid].addr + (c->cells[mid].size - 1) < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return &c->cells[low];
}

/* The table of @page; NULL: there is no memory for it. */
static uint32_t *table_of(struct where *w, uint64_t page)
{
	size_t hand = page % AT_HAND;
	uint64_t known;

	if (w->at_hand[hand].page == page + 1)
		return w->at_hand[hand].table;
	known = hd_map_get(&w->pages, page);
	if (!known) {
		uint32_t *table = calloc(WORDS, sizeof(*table));

		if (!table || !HD_ROOM(w->tables, w->room, w->ntables + 1) ||
		    !hd_map_set(&w->pages, page, w->ntables + 1)) {
			free(table);
			return NULL;
		}
		w->tables[w->ntables++] = table;
		known = w->ntables;
	}
	w->at_hand[hand].page = page + 1;
	w->at_hand[hand].table = w->tables[known - 1];
	return w->at_hand[hand].table;
}

static struct hd_cell *first_cell(struct hd_cells *c, uint64_t addr)
{
	uint32_t *table = table_of(&c->where, addr / PAGE), *known;
	struct hd_cell *cell, *last = c->cells + c->ncells;

	if (!table)
		return search_cell(c, addr);
	known = &table[addr % PAGE / 8];
	if (!*known)
		*known = (uint32_t)(search_cell(c, addr & ~7ull) - c->cells) + 1;
	cell = &c->cells[*known - 1];
	while (cell < last && cell->addr + (cell->size - 1) < addr)
		cell++;
	return cell;
}

/* The cells of an event: [first, last). */
static struct hd_cell *cells_of(struct hd_cells *c, const struct hd_event *ev,
				struct hd_cell **last)
{
	uint64_t end = end_of(ev->addr, length_of(ev));
	struct hd_cell *first = first_cell(c, ev->addr), *at = first;

	while (at < c->cells + c->ncells && at->addr < end)
		at++;
	*last = at;
	return first;
}

/* The part of an event's value that is in @cell; false: it was not recorded. */
static bool part(const struct hd_event *ev, const struct hd_cell *cell, uint64_t value,
		 uint64_t *out)
{
	uint64_t offset = cell->addr - ev->addr;

	*out = 0;
	if (is_range(ev->op) || cell->addr < ev->addr || offset >= 8 || cell->size > 8)
		return false;
	*out = value >> (8 * offset);
	if (cell->size < 8)
		*out &= (1ull << (8 * cell->size)) - 1;
	return true;
}

/* --- looking ahead: what did unseen writes leave? --- */

static enum hd_err look(struct hd_cells *c, const struct hd_event *ev)
{
	struct hd_cell *cell, *last;
	uint64_t value;

	if (!is_access(ev->op) && !is_range(ev->op))
		return HD_OK;
	for (cell = cells_of(c, ev, &last); cell < last; cell++) {
		bool known = part(ev, cell, ev->value, &value);

		if (!is_write(ev->op) && ev->op != HD_OP_WRITE_RANGE) {
			if (!known)
				continue; /* a range read shows nothing */
			if (cell->open)
				c->guesses[cell->open - 1] = (struct guess){ value, true };
			cell->open = 0;
		} else if (known) {
			cell->open = 0;
		} else {
			if (!HD_ROOM(c->guesses, c->guesses_room, c->nguesses + 1))
				return no_memory(c);
			c->guesses[c->nguesses++] = (struct guess){ 0 };
			cell->open = c->nguesses;
		}
	}
	return HD_OK;
}

/* --- telling --- */

static uint64_t index_of(const struct hd_cells *c, const struct hd_event *ev)
{
	return ev ? c->index : UINT64_MAX;
}

static enum hd_err tell(struct hd_cells *c, const struct hd_event *ev, uint8_t op, uint32_t thread,
			struct hd_cell *cell, uint64_t value, uint64_t value2)
{
	struct hd_cell_step s = { ev, index_of(c, ev), op, thread, cell, value, value2 };

	cell->used = true;
	cell->value = op == HD_OP_ATOMIC_RMW ? value2 : value;
	return c->fn(c->arg, &s, c->eb);
}

/* Make @cell hold @value before an event that shows it. */
static enum hd_err explain(struct hd_cells *c, struct hd_cell *cell, uint64_t value)
{
	if (cell->value == value)
		return HD_OK;
	if (!cell->used)
		return tell(c, NULL, HD_OP_INIT, 0, cell, value, 0);
	return tell(c, NULL, HD_OP_WRITE, 0, cell, value, 0);
}

static enum hd_err tell_write(struct hd_cells *c, const struct hd_event *ev, struct hd_cell *cell)
{
	uint8_t op = ev->op == HD_OP_WRITE_RANGE ? HD_OP_WRITE : ev->op;
	uint64_t value;

	if (!part(ev, cell, ev->value, &value)) {
		const struct guess *g = &c->guesses[c->next_guess++];

		value = g->known ? g->value : cell->value;
	}
	return tell(c, ev, op, ev->thread, cell, value, 0);
}

static enum hd_err tell_read(struct hd_cells *c, const struct hd_event *ev, struct hd_cell *cell)
{
	uint8_t op = ev->op == HD_OP_READ_RANGE ? HD_OP_READ : ev->op;
	uint64_t value, value2;
	enum hd_err err;

	if (!part(ev, cell, ev->value, &value))
		value = cell->value;
	if (!part(ev, cell, ev->value2, &value2))
		value2 = cell->value;
	err = explain(c, cell, value);
	return err ? err : tell(c, ev, op, ev->thread, cell, value, value2);
}

static enum hd_err tell_init(struct hd_cells *c, const struct hd_event *ev, struct hd_cell *cell)
{
	uint64_t value;

	if (!part(ev, cell, ev->value, &value))
		return HD_OK;
	/* Known memory, allocated anew: whoever filled it was not seen. */
	if (cell->used)
		return explain(c, cell, value);
	return tell(c, ev, HD_OP_INIT, 0, cell, value, 0);
}

static enum hd_err tell_event(struct hd_cells *c, const struct hd_event *ev)
{
	struct hd_cell *cell, *last;
	enum hd_err err = HD_OK;

	if (!is_access(ev->op) && !is_range(ev->op)) {
		struct hd_cell_step s = { ev,	c->index,  ev->op,    ev->thread,
					  NULL, ev->value, ev->value2 };

		return c->fn(c->arg, &s, c->eb);
	}
	for (cell = cells_of(c, ev, &last); cell < last && !err; cell++) {
		if (ev->op == HD_OP_INIT)
			err = tell_init(c, ev, cell);
		else if (is_write(ev->op) || ev->op == HD_OP_WRITE_RANGE)
			err = tell_write(c, ev, cell);
		else
			err = tell_read(c, ev, cell);
	}
	return err;
}

enum hd_err hd_cells_open(struct hd_cells **out, struct hd_trace *t, struct hd_errbuf *eb)
{
	struct hd_cells *c = *out = calloc(1, sizeof(*c));
	enum hd_err damage = HD_OK, err;

	if (!c)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for the run's memory");
	c->t = t;
	c->eb = eb;
	err = pass(c, collect, &damage);
	hd_map_free(&c->seen);
	if (!err)
		err = cut(c);
	free(c->points);
	c->points = NULL;
	if (!err)
		err = pass(c, look, &damage);
	if (err) {
		hd_cells_close(c);
		*out = NULL;
	}
	return err;
}

void hd_cells_close(struct hd_cells *c)
{
	if (!c)
		return;
	hd_map_free(&c->where.pages);
	for (size_t i = 0; i < c->where.ntables; i++)
		free(c->where.tables[i]);
	free(c->where.tables);
	free(c->cells);
	free(c->guesses);
	free(c);
}

size_t hd_cells_count(const struct hd_cells *c)
{
	return c->ncells;
}

uint64_t hd_cells_highest_thread(const struct hd_cells *c)
{
	return c->highest;
}

enum hd_err hd_cells_pass(struct hd_cells *c, hd_step_fn *fn, void *arg, struct hd_errbuf *eb)
{
	enum hd_err damage = HD_OK, err;

	for (size_t i = 0; i < c->ncells; i++) {
		c->cells[i].used = false;
		c->cells[i].value = 0;
	}
	c->next_guess = 0;
	c->fn = fn;
	c->arg = arg;
	c->eb = eb;
	err = pass(c, tell_event, &damage);
	return err ? err : damage;
}

enum hd_err hd_cells_each(struct hd_trace *t, hd_step_fn *fn, void *arg, struct hd_errbuf *eb)
{
	struct hd_cells *c;
	enum hd_err err = hd_cells_open(&c, t, eb);

	if (err)
		return err;
	err = hd_cells_pass(c, fn, arg, eb);
	hd_cells_close(c);
	return err;
}
