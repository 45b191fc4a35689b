/*
 * The oracle for TSO: a machine with a store buffer for each thread, as x86-TSO describes it, all of whose
 * steps are tried in every order. It shares nothing with the model, which knows of no buffers.
 */
#include "litmus.h"

#include <stdio.h>
#include <string.h>

#define ENTRIES	   LITMUS_OPS
#define MAX_WRITES (LITMUS_THREADS * LITMUS_OPS)

struct write {
	int loc, value, name; /* thread * 16 + op; -1: what was there */
};

struct machine {
	int at[LITMUS_THREADS];
	struct write buffer[LITMUS_THREADS][ENTRIES];
	int held[LITMUS_THREADS];
	struct write memory[LITMUS_LOCS];
	int mo[LITMUS_LOCS][MAX_WRITES], nmo[LITMUS_LOCS];
	int from[LITMUS_THREADS][LITMUS_OPS], got[LITMUS_THREADS][LITMUS_OPS];
	bool failed[LITMUS_THREADS][LITMUS_OPS];
};

struct search {
	const struct litmus *t;
	struct litmus_set *out, met;
};

static int put_name(char *to, size_t room, int name)
{
	return name < 0 ? snprintf(to, room, "i ")
			: snprintf(to, room, "%d.%d ", name / 16, name % 16);
}

static void put_execution(const struct machine *m, const struct litmus *t, char *text, size_t room)
{
	size_t at = 0;

	text[0] = 0;
	for (int k = 0; k < t->nthreads; k++) {
		for (int i = 0; i < m->at[k]; i++) {
			if (!litmus_reads(&t->ops[k][i]))
				continue;
			at += (size_t)snprintf(text + at, room - at, "%s",
					       m->failed[k][i] ? "-" : "");
			at += (size_t)put_name(text + at, room - at, m->from[k][i]);
		}
	}
	for (int l = 0; l < LITMUS_LOCS; l++) {
		at += (size_t)snprintf(text + at, room - at, "; ");
		for (int i = 0; i < m->nmo[l]; i++)
			at += (size_t)put_name(text + at, room - at, m->mo[l][i]);
	}
	at += (size_t)snprintf(text + at, room - at, "=");
	for (int k = 0; k < t->nthreads; k++) {
		for (int i = 0; i < m->at[k]; i++) {
			if (litmus_reads(&t->ops[k][i]))
				at += (size_t)snprintf(text + at, room - at, "%d", m->got[k][i]);
		}
	}
	snprintf(text + at, room - at, "/%d%d%d", m->memory[0].value, m->memory[1].value,
		 m->memory[2].value);
}

static void to_memory(struct machine *m, struct write w)
{
	m->memory[w.loc] = w;
	m->mo[w.loc][m->nmo[w.loc]++] = w.name;
}

static void drain(struct machine *m, int k)
{
	to_memory(m, m->buffer[k][0]);
	m->held[k]--;
	memmove(m->buffer[k], m->buffer[k] + 1, (size_t)m->held[k] * sizeof(struct write));
}

/* What the thread sees: its own last store there, if that is still in its buffer. */
static struct write seen(const struct machine *m, int k, int loc)
{
	for (int i = m->held[k] - 1; i >= 0; i--) {
		if (m->buffer[k][i].loc == loc)
			return m->buffer[k][i];
	}
	return m->memory[loc];
}

/* Does the instruction wait until the buffer is empty? */
static bool is_locked(const struct litmus_op *o)
{
	return strchr("AXCK", o->kind) || (strchr("WF", o->kind) && o->order == __ATOMIC_SEQ_CST);
}

static void execute(struct machine *m, int k, const struct litmus_op *o)
{
	int i = m->at[k]++;
	struct write w = { .loc = o->loc, .value = o->value, .name = k * 16 + i };

	if (o->kind == 'F' || o->kind == '!')
		return;
	if (o->kind == 'W' && o->order != __ATOMIC_SEQ_CST) {
		m->buffer[k][m->held[k]++] = w;
		return;
	}
	if (o->kind != 'W') {
		struct write from = seen(m, k, o->loc);

		m->from[k][i] = from.name;
		m->got[k][i] = from.value;
	}
	if (o->kind == 'R')
		return;
	m->failed[k][i] = (o->kind == 'C' || o->kind == 'K') && m->got[k][i] != o->expected;
	if (o->kind == 'A')
		w.value += m->got[k][i];
	if (!m->failed[k][i])
		to_memory(m, w);
}

static int put_state(const struct machine *m, const struct litmus *t, char *text, size_t room)
{
	int n = 0;

	for (int k = 0; k < t->nthreads; k++)
		n += snprintf(text + n, room - (size_t)n, "%d,%d ", m->at[k], m->held[k]);
	return n;
}

static void go_on(struct search *s, const struct machine *m)
{
	char text[800];
	int n = put_state(m, s->t, text, 100);
	bool over = true;

	put_execution(m, s->t, text + n, sizeof(text) - (size_t)n);
	if (!litmus_add(&s->met, text))
		return;
	for (int k = 0; k < s->t->nthreads; k++) {
		const struct litmus_op *o = &s->t->ops[k][m->at[k]];
		struct machine next = *m;

		over &= !m->held[k] && m->at[k] == s->t->nops[k];
		if (m->held[k]) {
			drain(&next, k);
			go_on(s, &next);
			next = *m;
		}
		if (m->at[k] < s->t->nops[k] && !(m->held[k] && is_locked(o))) {
			execute(&next, k, o);
			go_on(s, &next);
		}
	}
	if (over)
		litmus_add(s->out, text + n);
}

void litmus_by_buffers(const struct litmus *t, struct litmus_set *out)
{
	struct search s = { .t = t, .out = out };
	struct machine m = { 0 };

	for (int l = 0; l < LITMUS_LOCS; l++)
		m.memory[l] = (struct write){ .loc = l, .name = -1 };
	go_on(&s, &m);
	litmus_free(&s.met);
}
