/*
 * Patterns that came about in a run that tried another one.
 *
 * The same search as in sites.c, for all candidates in one pass over the run: the places of each, by
 * threads that may be others, on memory that they share.
 */
#include "steps.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"

#define STEPS 20000000ull /* places that are looked at for one run */

/* One of the three accesses of a candidate, in the list of those at the same place. */
struct place {
	size_t attempt;
	unsigned role;
	size_t next; /* + 1; 0: none */
};

/* How far one thread's pattern has come. */
struct progress {
	uint32_t thread;
	bool torn;	   /* the other thread's access has come */
	uint64_t from, to; /* memory of the first access */
	size_t next;	   /* of the same attempt, + 1; 0: none */
};

struct covering {
	struct hd_campaign *c;
	struct hd_map by_pc; /* pc -> first place + 1 */
	struct place *places;
	size_t nplaces, places_room;
	size_t *first; /* of each attempt: progress + 1 */
	struct progress *list;
	size_t n, room;
	uint64_t steps;
};

/* A pattern that nobody declared: a run that shows it is all that there is to know. */
static bool can_be_covered(const struct hd_attempt *a)
{
	const struct hd_found *f = &a->candidate->found;

	return !a->decided && !a->reached && hd_found_is_pattern(f) && f->naccesses == 3 &&
	       !f->together && f->group < 0 && !a->candidate->unit &&
	       !hd_candidate_counts(a->candidate);
}

static bool add_places(struct covering *k, size_t attempt)
{
	const struct hd_found *f = &k->c->attempts[attempt].candidate->found;

	for (unsigned role = 0; role < 3; role++) {
		uint64_t pc = f->accesses[role].event.pc;

		if (!HD_ROOM(k->places, k->places_room, k->nplaces + 1))
			return false;
		k->places[k->nplaces++] =
			(struct place){ attempt, role, hd_map_get(&k->by_pc, pc) };
		if (!hd_map_set(&k->by_pc, pc, k->nplaces))
			return false;
	}
	return true;
}

static uint64_t end_of(const struct hd_event *ev)
{
	bool range = ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE;

	return ev->addr + (range ? ev->value : ev->size ? ev->size : 1);
}

static bool meets(const struct progress *p, const struct hd_event *ev)
{
	return ev->addr < p->to && p->from < end_of(ev);
}

static struct progress *of_thread(struct covering *k, size_t attempt, uint32_t thread)
{
	for (size_t i = k->first[attempt]; i; i = k->list[i - 1].next) {
		if (k->list[i - 1].thread == thread)
			return &k->list[i - 1];
	}
	return NULL;
}

/* The first access: a pattern begins, anew if one had begun. */
static bool begin(struct covering *k, size_t attempt, const struct hd_event *ev)
{
	struct progress *p = of_thread(k, attempt, ev->thread);

	if (!p) {
		if (!HD_ROOM(k->list, k->room, k->n + 1))
			return false;
		p = &k->list[k->n++];
		p->next = k->first[attempt];
		k->first[attempt] = k->n;
	}
	p->thread = ev->thread;
	p->torn = false;
	p->from = ev->addr;
	p->to = end_of(ev);
	return true;
}

static void tear(struct covering *k, size_t attempt, const struct hd_event *ev)
{
	for (size_t i = k->first[attempt]; i; i = k->list[i - 1].next, k->steps++) {
		struct progress *p = &k->list[i - 1];

		if (p->thread != ev->thread && meets(p, ev))
			p->torn = true;
	}
}

static void end(struct covering *k, size_t attempt, const struct hd_event *ev)
{
	struct progress *p = of_thread(k, attempt, ev->thread);
	struct hd_attempt *a = &k->c->attempts[attempt];

	if (p && p->torn && meets(p, ev))
		a->covered = a->reached = true;
	else if (p)
		p->from = p->to = 0; /* it came without anything in between */
}

static bool see(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct covering *k = arg;
	bool ok = true;

	for (size_t i = hd_map_get(&k->by_pc, ev->pc); i && ok; i = k->places[i - 1].next) {
		const struct place *at = &k->places[i - 1];
		const struct hd_attempt *a = &k->c->attempts[at->attempt];

		if (++k->steps > STEPS)
			return true;
		if (a->covered || ev->op != a->candidate->found.accesses[at->role].event.op)
			continue;
		if (at->role == 1)
			tear(k, at->attempt, ev);
		else if (at->role == 2)
			end(k, at->attempt, ev);
		else
			ok = begin(k, at->attempt, ev);
	}
	return ok;
}

enum hd_err hd_check_cover(struct hd_campaign *c, struct hd_trial *t)
{
	struct covering k = { .c = c };
	bool ok = true;

	if (!t->trace || hd_trial_was_ended(t) || t->run.assumed)
		return HD_OK;
	for (size_t i = 0; i < c->nattempts && ok; i++) {
		if (can_be_covered(&c->attempts[i]))
			ok = add_places(&k, i);
	}
	k.first = calloc(c->nattempts + 1, sizeof(*k.first));
	if (ok && k.first && k.nplaces)
		ok = hd_trace_each(t->trace, see, &k);
	ok &= k.first != NULL;
	hd_map_free(&k.by_pc);
	free(k.places);
	free(k.first);
	free(k.list);
	return ok ? HD_OK : hd_error(HD_ERR_NOMEM, "out of memory");
}
