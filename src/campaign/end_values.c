#include "end_values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "report/explain.h"
#include "report/printable.h"

struct cell {
	uint64_t addr, value;
	uint32_t size;
};

/* How a run ended. */
struct ended {
	struct hd_trial *trial;
	struct hd_map at; /* addr + 1 -> number of the cell + 1 */
	struct cell *cells;
	size_t n, room;
	uint64_t saw[2]; /* what the racing accesses read, if they did */
	bool read[2], over;
};

static bool writes_value(const struct hd_event *ev)
{
	return (ev->op == HD_OP_WRITE || ev->op == HD_OP_ATOMIC_STORE ||
		ev->op == HD_OP_ATOMIC_RMW) &&
	       ev->size && ev->size <= 8;
}

static bool reads_value(uint8_t op)
{
	return op == HD_OP_READ || op == HD_OP_ATOMIC_LOAD || op == HD_OP_ATOMIC_CAS_FAIL;
}

static bool note_write(struct ended *e, const struct hd_event *ev)
{
	size_t i = hd_map_get(&e->at, ev->addr + 1);

	if (!i) {
		if (!HD_ROOM(e->cells, e->room, e->n + 1) ||
		    !hd_map_set(&e->at, ev->addr + 1, e->n + 1))
			return false;
		i = ++e->n;
	}
	e->cells[i - 1] =
		(struct cell){ .addr = ev->addr,
			       .size = ev->size,
			       .value = ev->op == HD_OP_ATOMIC_RMW ? ev->value2 : ev->value };
	return true;
}

static bool is_on(const struct hd_apart *race, uint64_t addr, uint32_t size)
{
	return addr < race->addr + (race->size ? race->size : 1) && race->addr < addr + size;
}

/* The goal of the plan is reached by the second of the two accesses: the last ones before it are they. */
static void note_read(struct ended *e, const struct hd_apart *race, const struct hd_event *ev)
{
	for (int i = 0; i < 2 && !e->over; i++) {
		if (ev->pc == race->pc[i] && reads_value(ev->op) && reads_value(race->op[i]) &&
		    is_on(race, ev->addr, ev->size)) {
			e->saw[i] = ev->value;
			e->read[i] = true;
		}
	}
}

static bool note(struct ended *e, const struct hd_apart *race, const struct hd_event *ev)
{
	if (ev->op == HD_OP_GOAL)
		e->over = true;
	note_read(e, race, ev);
	if (!writes_value(ev) ||
	    (!is_on(race, ev->addr, ev->size) && !hd_run_module_at(&e->trial->run, ev->addr)))
		return true;
	return note_write(e, ev);
}

static bool look(struct ended *e, struct hd_trial *t, const struct hd_apart *race)
{
	const struct hd_event *ev;
	bool ok = true;
	size_t n;

	*e = (struct ended){ .trial = t };
	hd_trace_rewind(t->trace);
	while (ok && hd_trace_next(t->trace, &ev, &n, NULL) == HD_OK && n) {
		for (size_t i = 0; i < n && ok; i++)
			ok = note(e, race, &ev[i]);
	}
	hd_trace_rewind(t->trace);
	return ok;
}

static bool like_pointers(uint64_t a, uint64_t b)
{
	return a >> 32 && b >> 32 && a >> 48 == 0 && b >> 48 == 0;
}

/* The first cell that differs; of the location itself if @own, else of others. NULL: none. */
static const struct cell *differing(const struct ended *a, const struct ended *b,
				    const struct hd_apart *race, bool own, uint64_t *other)
{
	const struct cell *best = NULL;

	for (size_t i = 0; i < a->n; i++) {
		const struct cell *c = &a->cells[i];
		size_t k = hd_map_get(&b->at, c->addr + 1);

		if (!k || c->value == b->cells[k - 1].value || c->size != b->cells[k - 1].size ||
		    like_pointers(c->value, b->cells[k - 1].value) ||
		    is_on(race, c->addr, c->size) != own || (best && best->addr < c->addr))
			continue;
		best = c;
		*other = b->cells[k - 1].value;
	}
	return best;
}

/* A location that only one of the two wrote to. */
static const struct cell *in_one(const struct ended *a, const struct ended *b)
{
	const struct cell *best = NULL;

	for (size_t i = 0; i < a->n; i++) {
		const struct cell *c = &a->cells[i];

		if (!hd_map_get(&b->at, c->addr + 1) && (!best || c->addr < best->addr))
			best = c;
	}
	return best;
}

static void put_cell(FILE *out, const struct hd_run *run, const struct cell *c)
{
	char name[512];

	if (hd_location_name(run, c->addr, c->size, name, sizeof(name))) {
		putc('\'', out);
		hd_put_printable(out, name);
		putc('\'', out);
	} else {
		fputs("the location", out);
	}
}

static bool put_difference(FILE *out, const struct ended *a, const struct ended *b,
			   const struct hd_apart *race)
{
	const struct hd_run *run = &a->trial->run;
	const struct cell *c;
	uint64_t other = 0;

	for (int own = 1; own >= 0; own--) {
		c = differing(a, b, race, own, &other);
		if (!c)
			continue;
		put_cell(out, run, c);
		fprintf(out, " ends as %" PRIu64 " or %" PRIu64, c->value, other);
		return true;
	}
	c = in_one(a, b) ? in_one(a, b) : in_one(b, a);
	if (c) {
		put_cell(out, run, c);
		fputs(" is written in one order only", out);
		return true;
	}
	for (int i = 0; i < 2; i++) {
		if (a->read[i] && b->read[i] && a->saw[i] != b->saw[i]) {
			fprintf(out, "the read sees %" PRIu64 " or %" PRIu64, a->saw[i], b->saw[i]);
			return true;
		}
	}
	return false;
}

bool hd_ended_apart(struct hd_trial *a, struct hd_trial *b, const struct hd_apart *race,
		    char *words, size_t len)
{
	struct ended x, y = { 0 };
	bool ok = look(&x, a, race) && look(&y, b, race), differ = false;
	FILE *out = fmemopen(words, len - 1, "w");

	memset(words, 0, len);
	if (ok && out)
		differ = put_difference(out, &x, &y, race);
	if (out)
		fclose(out);
	for (int s = 0; s < HD_STREAMS && !differ; s++) {
		differ = !hd_text_same_lines(&a->behaviour.text[s], &b->behaviour.text[s]);
		if (differ)
			snprintf(words, len, "what it writes differs");
	}
	hd_map_free(&x.at);
	hd_map_free(&y.at);
	free(x.cells);
	free(y.cells);
	return differ;
}
