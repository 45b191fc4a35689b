#include "units.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "report/explain.h"

#define SEEN_MAX  512u /* events of one place that are looked at */
#define SLACK	  4u   /* lines by which a compiler may move what it merges with something else */
#define TRIES_MAX 8u   /* candidates of one unit */

/* An event that may be one of a unit's accesses. */
struct seen {
	uint64_t index;
	struct hd_event event;
};

struct place {
	const struct hd_unit_access *access;
	uint32_t slack; /* lines by which it may differ */
	struct seen *seen;
	size_t n, room;
};

struct search {
	struct hd_units *units;
	struct hd_run *run;
	struct place *places; /* HD_UNIT_ACCESSES of each unit */
	size_t nplaces;
	struct hd_map known; /* pc -> 1: at no such line, 2: at one */
};

/* ---- events at the places -------------------------------------------------------------- */

static bool is_line(const struct hd_frame *frame, const struct place *p)
{
	return p->access && frame->file && frame->line + p->slack >= p->access->line &&
	       frame->line <= p->access->line + p->slack && !strcmp(frame->file, p->access->file);
}

static bool is_at_a_line(struct search *s, uint64_t pc)
{
	size_t known = hd_map_get(&s->known, pc);
	struct hd_frame frame;

	if (known)
		return known == 2;
	known = 1;
	if (hd_run_frame(s->run, pc, &frame)) {
		for (size_t i = 0; i < s->nplaces && known == 1; i++)
			known += is_line(&frame, &s->places[i]);
	}
	hd_map_set(&s->known, pc, known); /* without memory it is found out again */
	return known == 2;
}

static bool is_access(const struct hd_event *ev, bool write)
{
	switch (ev->op) {
	case HD_OP_READ:
	case HD_OP_READ_RANGE:
	case HD_OP_ATOMIC_LOAD:
		return !write;
	case HD_OP_WRITE:
	case HD_OP_WRITE_RANGE:
	case HD_OP_ATOMIC_STORE:
		return write;
	case HD_OP_ATOMIC_RMW:
		return true;
	default:
		return false;
	}
}

static bool is_variable(const struct search *s, const struct hd_event *ev, const char *wanted)
{
	char name[512];

	return !*wanted || !hd_location_name(s->run, ev->addr, ev->size, name, sizeof(name)) ||
	       !strncmp(name, wanted, strcspn(wanted, "["));
}

static enum hd_err look(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct search *s = arg;

	for (size_t i = 0; i < n; i++) {
		const struct hd_event *ev = &events[i];
		struct hd_frame frame;

		if ((!is_access(ev, true) && !is_access(ev, false)) || !is_at_a_line(s, ev->pc) ||
		    !hd_run_frame(s->run, ev->pc, &frame))
			continue;
		for (size_t k = 0; k < s->nplaces; k++) {
			struct place *p = &s->places[k];

			if (p->n == SEEN_MAX || !is_line(&frame, p) ||
			    !is_access(ev, p->access->write) ||
			    !is_variable(s, ev, p->access->variable))
				continue;
			if (!HD_ROOM(p->seen, p->room, p->n + 1))
				return HD_ERR_NOMEM;
			p->seen[p->n++] = (struct seen){ .index = first + i, .event = *ev };
		}
	}
	return HD_OK;
}

/* ---- from events to candidates ------------------------------------------------------------ */

static uint64_t length_of(const struct hd_event *ev)
{
	bool range = ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE;

	return range ? ev->value : ev->size ? ev->size : 1;
}

static bool overlap(const struct hd_event *a, const struct hd_event *b)
{
	return a->addr < b->addr + length_of(b) && b->addr < a->addr + length_of(a);
}

/* Does event @e, as access @i of @u, go with those that were chosen? */
static bool goes_with(const struct hd_unit *u, const struct seen *const *chosen, size_t i,
		      const struct seen *e)
{
	for (size_t k = 0; k < u->naccesses; k++) {
		const struct seen *c = chosen[k];
		bool own = k == 0 || (u->naccesses > 2 && k == u->naccesses - 1);
		bool mine = i == 0 || (u->naccesses > 2 && i == u->naccesses - 1);

		if (!c)
			continue;
		if ((c->event.thread == e->event.thread) != (own == mine))
			return false;
		if (own == mine && (k < i) != (c->index < e->index))
			return false;
		if (u->access[k].addr == u->access[i].addr && !overlap(&c->event, &e->event))
			return false;
	}
	return true;
}

/* The last event at place @p, for access @i, before number @before; NULL: there is none. */
static const struct seen *last_before(const struct hd_unit *u, const struct place *p,
				      const struct seen *const *chosen, size_t i, uint64_t before)
{
	const struct seen *last = NULL;

	for (size_t k = 0; k < p->n && p->seen[k].index < before; k++)
		last = goes_with(u, chosen, i, &p->seen[k]) ? &p->seen[k] : last;
	return last;
}

/* The first one after number @after. */
static const struct seen *first_after(const struct hd_unit *u, const struct place *p,
				      const struct seen *const *chosen, size_t i, uint64_t after)
{
	for (size_t k = 0; k < p->n; k++) {
		if (p->seen[k].index > after && goes_with(u, chosen, i, &p->seen[k]))
			return &p->seen[k];
	}
	return NULL;
}

static bool add(struct hd_candidates *out, const struct hd_unit *u, size_t number,
		const struct seen *const *chosen)
{
	static const char *const roles[] = { "e1", "f", "f", "e2" };
	struct hd_found_access accesses[HD_UNIT_ACCESSES] = { 0 };
	struct hd_found found = { .kind = u->naccesses > 2 ? HD_KIND_PATTERN : HD_KIND_LOCKSET,
				  .pattern = u->naccesses > 2 ? "unit" : NULL,
				  .addr = chosen[0]->event.addr,
				  .size = (uint32_t)length_of(&chosen[0]->event),
				  .group = -1,
				  .accesses = accesses,
				  .naccesses = u->naccesses };

	for (size_t i = 0; i < u->naccesses; i++)
		accesses[i] =
			(struct hd_found_access){ .role = i + 1 == u->naccesses && i > 1 ? "e2"
											 : roles[i],
						  .index = chosen[i]->index,
						  .event = chosen[i]->event };
	return hd_candidates_add_unit(out, &found, number);
}

/* What one unit has become so far. */
struct tries {
	struct hd_candidates *out;
	struct hd_unit *unit;
	size_t number, n;
	const struct place *places;
};

/* The unit's own accesses are chosen: now each of another thread's that goes with them. */
static bool add_others(struct tries *t, const struct seen *chosen[HD_UNIT_ACCESSES])
{
	const struct hd_unit *u = t->unit;
	const struct place *p = &t->places[u->naccesses == 2 ? 0 : 1];
	size_t at = u->naccesses == 2 ? 0 : 1;

	for (size_t k = 0; k < p->n; k++) {
		chosen[at] = NULL;
		chosen[2] = u->naccesses == 4 ? NULL : chosen[2];
		if (!goes_with(u, chosen, at, &p->seen[k]))
			continue;
		chosen[at] = &p->seen[k];
		if (u->naccesses == 4)
			chosen[2] = first_after(u, &t->places[2], chosen, 2, p->seen[k].index);
		if (u->naccesses == 4 && !chosen[2])
			continue;
		if (t->n++ < TRIES_MAX && !add(t->out, u, t->number, chosen))
			return false;
	}
	return true;
}

/* Each time that a thread came from the unit's first access to its last one. */
static bool add_unit(struct tries *t)
{
	struct hd_unit *u = t->unit;
	const struct place *end = &t->places[u->naccesses - 1];
	bool all = true;

	for (size_t i = 0; i < u->naccesses; i++)
		all &= t->places[i].n < SEEN_MAX;
	for (size_t k = 0; k < end->n && t->n <= TRIES_MAX; k++) {
		const struct seen *chosen[HD_UNIT_ACCESSES] = { 0 };

		chosen[u->naccesses - 1] = &end->seen[k];
		if (u->naccesses > 2) {
			chosen[0] = last_before(u, &t->places[0], chosen, 0, end->seen[k].index);
			if (!chosen[0])
				continue;
		}
		if (!add_others(t, chosen))
			return false;
	}
	u->all = all && t->n && t->n <= TRIES_MAX;
	return true;
}

static void set_places(struct search *s)
{
	for (size_t i = 0; i < s->units->n; i++) {
		for (size_t k = 0; k < s->units->list[i].naccesses; k++)
			s->places[i * HD_UNIT_ACCESSES + k].access = &s->units->list[i].access[k];
	}
}

/* Where nothing was found at the very line, a variable with a name may be accessed near it. */
static bool loosen(struct search *s)
{
	bool any = false;

	hd_map_free(&s->known);
	for (size_t i = 0; i < s->nplaces; i++) {
		struct place *p = &s->places[i];
		bool missing = p->access && !p->n && *p->access->variable;

		any |= missing;
		p->slack = missing ? SLACK : 0;
		p->access = missing || !p->n ? p->access : NULL; /* the others are complete */
	}
	return any;
}

enum hd_err hd_candidates_of_units(struct hd_candidates *out, struct hd_units *units,
				   struct hd_run *run, struct hd_errbuf *eb)
{
	struct search s = { .units = units, .run = run, .nplaces = units->n * HD_UNIT_ACCESSES };
	enum hd_err err = HD_OK;
	bool ok;

	s.places = calloc(s.nplaces + 1, sizeof(*s.places));
	ok = s.places != NULL;
	if (ok) {
		set_places(&s);
		err = hd_run_each(run, look, &s, eb);
		if (!err && loosen(&s))
			err = hd_run_each(run, look, &s, eb);
	}
	for (size_t i = 0; ok && !err && i < units->n; i++)
		ok = add_unit(&(struct tries){ .out = out,
					       .unit = &units->list[i],
					       .number = i + 1,
					       .places = &s.places[i * HD_UNIT_ACCESSES] });
	for (size_t i = 0; s.places && i < s.nplaces; i++)
		free(s.places[i].seen);
	free(s.places);
	hd_map_free(&s.known);
	return err || ok ? err : hd_fail(eb, HD_ERR_NOMEM, "out of memory for units");
}
