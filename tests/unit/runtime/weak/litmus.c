#include "litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int order_of(char c)
{
	switch (c) {
	case 'r':
		return __ATOMIC_RELAXED;
	case 'a':
		return __ATOMIC_ACQUIRE;
	case 'l':
		return __ATOMIC_RELEASE;
	case 'b':
		return __ATOMIC_ACQ_REL;
	case 's':
		return __ATOMIC_SEQ_CST;
	}
	fprintf(stderr, "no order: '%c'\n", c);
	abort();
}

static struct litmus_op parse_op(const char *w)
{
	struct litmus_op o = { .kind = w[0], .loc = -1 };

	switch (w[0]) {
	case '!':
		break;
	case 'F':
		o.order = order_of(w[1]);
		break;
	case 'R':
		o.loc = w[1] - 'x';
		o.order = order_of(w[2]);
		break;
	case 'C':
	case 'K':
		o.loc = w[1] - 'x';
		o.expected = w[2] - '0';
		o.value = w[3] - '0';
		o.order = order_of(w[4]);
		o.fail_order = order_of(w[5]);
		break;
	default:
		o.loc = w[1] - 'x';
		o.value = w[2] - '0';
		o.order = order_of(w[3]);
	}
	return o;
}

void litmus_parse(struct litmus *t, const char *words)
{
	char text[400], *save, *word;

	*t = (struct litmus){ .nthreads = 1 };
	snprintf(text, sizeof(text), "%s", words);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		int k = t->nthreads - 1;

		if (*word == '|')
			t->nthreads++;
		else
			t->ops[k][t->nops[k]++] = parse_op(word);
	}
}

/* Where @text is, or would be, among the hashed ones. */
static size_t place_of(const struct litmus_set *s, const char *text)
{
	size_t at = 5381;

	for (const char *c = text; *c; c++)
		at = at * 33 + (unsigned char)*c;
	for (at %= s->nplaces; s->places[at] && strcmp(s->texts[s->places[at] - 1], text);)
		at = (at + 1) % s->nplaces;
	return at;
}

static void grow(struct litmus_set *s)
{
	s->room = s->room ? 4 * s->room : 64;
	s->texts = realloc(s->texts, s->room * sizeof(*s->texts));
	free(s->places);
	s->nplaces = 2 * s->room + 1;
	s->places = calloc(s->nplaces, sizeof(*s->places));
	for (size_t i = 0; i < s->n; i++)
		s->places[place_of(s, s->texts[i])] = i + 1;
}

bool litmus_add(struct litmus_set *s, const char *text)
{
	size_t at;

	if (s->n == s->room)
		grow(s);
	at = place_of(s, text);
	if (s->places[at])
		return false;
	s->texts[s->n++] = strdup(text);
	s->places[at] = s->n;
	return true;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void litmus_sort(struct litmus_set *s)
{
	if (s->n)
		qsort(s->texts, s->n, sizeof(*s->texts), by_text);
}

void litmus_free(struct litmus_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->texts[i]);
	free(s->texts);
	free(s->places);
	*s = (struct litmus_set){ 0 };
}
