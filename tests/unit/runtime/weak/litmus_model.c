/*
 * All executions that the model builds: every thread next, every choice. The model is copied at each
 * step; graphs that were met before are not gone on from.
 */
#include "litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/weak/weak_model.h"

#define ROOM 32

struct machine {
	struct hd_weak model;
	struct hd_weak_event events[ROOM];
	struct hd_weak_location locs[ROOM];
	int16_t scratch[3 * ROOM];
	int at[LITMUS_THREADS];
	int values[LITMUS_LOCS]; /* what is in memory */
	int reads[LITMUS_THREADS]
		 [LITMUS_OPS]; /* the write's name, as thread * 16 + op; -1: the first */
	int got[LITMUS_THREADS][LITMUS_OPS];
	bool failed[LITMUS_THREADS][LITMUS_OPS];
	int names[ROOM]; /* of events */
};

struct search {
	const struct litmus *t;
	struct litmus_set *out, met;
};

static struct machine *copy(const struct machine *m)
{
	struct machine *c = malloc(sizeof(*c));

	*c = *m;
	c->model.events = c->events;
	c->model.locs = c->locs;
	c->model.scratch = c->scratch;
	return c;
}

static int address(int loc)
{
	return 0x1000 + 8 * loc;
}

static int name_at(const struct machine *m, int write)
{
	return write == HD_WEAK_BASE ? -1 : m->names[write];
}

static int put_name(char *to, size_t room, int name)
{
	return name < 0 ? snprintf(to, room, "i ")
			: snprintf(to, room, "%d.%d ", name / 16, name % 16);
}

/* The execution so far. */
static void put_graph(const struct machine *m, const struct litmus *t, char *text, size_t room)
{
	size_t at = 0;
	int last[LITMUS_LOCS] = { 0 };

	for (int k = 0; k < t->nthreads; k++) {
		for (int i = 0; i < m->at[k]; i++) {
			if (!litmus_reads(&t->ops[k][i]))
				continue;
			at += (size_t)snprintf(text + at, room - at, "%s",
					       m->failed[k][i] ? "-" : "");
			at += (size_t)put_name(text + at, room - at, m->reads[k][i]);
		}
	}
	for (int l = 0; l < LITMUS_LOCS; l++) {
		at += (size_t)snprintf(text + at, room - at, "; ");
		for (unsigned x = 0; x < m->model.nlocs; x++) {
			if (m->locs[x].addr != (uint64_t)address(l))
				continue;
			for (int w = m->locs[x].first; w >= 0; w = m->events[w].mo_next) {
				at += (size_t)put_name(text + at, room - at, m->names[w]);
				last[l] = (int)m->events[w].value;
			}
		}
	}
	at += (size_t)snprintf(text + at, room - at, "=");
	for (int k = 0; k < t->nthreads; k++) {
		for (int i = 0; i < m->at[k]; i++) {
			if (litmus_reads(&t->ops[k][i]))
				at += (size_t)snprintf(text + at, room - at, "%d", m->got[k][i]);
		}
	}
	snprintf(text + at, room - at, "/%d%d%d", last[0], last[1], last[2]);
}

static void go_on(struct search *s, const struct machine *m);

static void read_from(struct machine *m, int k, int i, const struct hd_weak_choice *c, int loc)
{
	m->reads[k][i] = name_at(m, c->write);
	m->got[k][i] = (int)hd_weak_value(&m->model, loc, c->write);
	m->failed[k][i] = c->fails;
}

static void store(struct search *s, const struct machine *from, int k, const struct litmus_op *o)
{
	int16_t places[ROOM];
	struct machine *m = copy(from);
	unsigned slot = hd_weak_begin(&m->model, (uint32_t)k + 1), n;
	int loc = hd_weak_location(&m->model, (uint64_t)address(o->loc), 4,
				   (uint64_t)m->values[o->loc]);

	int order = hd_weak_order(&m->model, HD_WEAK_WRITE, o->order);

	n = hd_weak_places(&m->model, slot, loc, order, places, ROOM);
	for (unsigned i = 0; i < n; i++) {
		struct machine *c = copy(m);

		c->names[c->model.nevents] = k * 16 + c->at[k]++;
		if (places[i] == hd_weak_newest(&c->model, loc))
			c->values[o->loc] = o->value;
		hd_weak_write(&c->model, slot, loc, order, places[i], (uint64_t)o->value, NULL);
		go_on(s, c);
		free(c);
	}
	free(m);
}

static void load(struct search *s, const struct machine *from, int k, const struct litmus_op *o)
{
	struct hd_weak_choice choices[2 * ROOM];
	struct machine *m = copy(from);
	unsigned slot = hd_weak_begin(&m->model, (uint32_t)k + 1), n;
	int loc = hd_weak_location(&m->model, (uint64_t)address(o->loc), 4,
				   (uint64_t)m->values[o->loc]);
	enum hd_weak_kind kind = o->kind == 'R' ? HD_WEAK_READ : HD_WEAK_RMW;
	struct hd_weak_want want = { .kind = kind,
				     .order = hd_weak_order(&m->model, kind, o->order),
				     .compares = o->kind == 'C' || o->kind == 'K',
				     .may_fail = o->kind == 'K' && !m->model.tso,
				     .fail_order = hd_weak_order(&m->model, kind, o->fail_order),
				     .expected = (uint64_t)o->expected };

	n = hd_weak_readable(&m->model, slot, loc, &want, choices, 2 * ROOM);
	for (unsigned i = 0; i < n; i++) {
		struct machine *c = copy(m);
		int at = c->at[k]++, value;

		c->names[c->model.nevents] = k * 16 + at;
		read_from(c, k, at, &choices[i], loc);
		value = o->kind == 'A' ? c->got[k][at] + o->value : o->value;
		if (o->kind == 'R' || choices[i].fails) {
			hd_weak_read(&c->model, slot, loc,
				     choices[i].fails ? want.fail_order : want.order,
				     choices[i].write);
		} else {
			if (choices[i].write == hd_weak_newest(&c->model, loc))
				c->values[o->loc] = value;
			hd_weak_rmw(&c->model, slot, loc, want.order, choices[i].write,
				    (uint64_t)value, NULL);
		}
		go_on(s, c);
		free(c);
	}
	free(m);
}

static void elsewhere(struct search *s, const struct machine *from, int k,
		      const struct litmus_op *o)
{
	struct machine *m = copy(from);
	unsigned slot = hd_weak_begin(&m->model, (uint32_t)k + 1);

	m->at[k]++;
	if (o->kind == 'F')
		hd_weak_fence(&m->model, slot, hd_weak_order(&m->model, HD_WEAK_FENCE, o->order));
	else
		hd_weak_apart(&m->model, slot);
	go_on(s, m);
	free(m);
}

static void go_on(struct search *s, const struct machine *m)
{
	char text[700];
	bool over = true;
	int n = snprintf(text, 100, "%d %d %d %d:", m->at[0], m->at[1], m->at[2], m->at[3]);

	put_graph(m, s->t, text + n, sizeof(text) - (size_t)n);
	if (!litmus_add(&s->met, text))
		return;
	for (int k = 0; k < s->t->nthreads; k++) {
		const struct litmus_op *o = &s->t->ops[k][m->at[k]];

		if (m->at[k] == s->t->nops[k])
			continue;
		over = false;
		if (o->kind == 'F' || o->kind == '!')
			elsewhere(s, m, k, o);
		else if (o->kind == 'W')
			store(s, m, k, o);
		else
			load(s, m, k, o);
	}
	if (over)
		litmus_add(s->out, text + n);
}

void litmus_by_model(const struct litmus *t, bool tso, struct litmus_set *out)
{
	struct search s = { .t = t, .out = out };
	struct machine *m = calloc(1, sizeof(*m));

	hd_weak_init(&m->model, m->events, m->locs, m->scratch, ROOM);
	m->model.tso = tso;
	go_on(&s, m);
	free(m);
	litmus_free(&s.met);
}
