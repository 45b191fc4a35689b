#include "wakeup.h"

#include <stdlib.h>
#include <string.h>

static void append(struct hd_xstep **first, struct hd_xstep **last, struct hd_xstep *step)
{
	if (*first)
		(*last)->next = step;
	else
		*first = step;
	*last = step;
}

struct hd_xstep *hd_xwakeup_add(struct hd_xwakeup *w, struct hd_xstep *after, uint32_t thread,
				const struct hd_xop *ops, size_t n)
{
	struct hd_xstep *s = malloc(sizeof(*s) + n * sizeof(*ops));

	if (!s)
		return NULL;
	*s = (struct hd_xstep){ .thread = thread, .nops = (uint32_t)n };
	if (n)
		memcpy(s->ops, ops, n * sizeof(*ops));
	if (after)
		append(&after->first, &after->last, s);
	else
		append(&w->first, &w->last, s);
	return s;
}

struct hd_xwakeup hd_xwakeup_descend(struct hd_xwakeup *w, uint32_t thread)
{
	struct hd_xwakeup rest = { 0 }, below = { 0 };

	while (w->first) {
		struct hd_xstep *s = hd_xwakeup_take(w);

		if (s->thread != thread || below.first) {
			hd_xwakeup_give(&rest, s);
			continue;
		}
		below = (struct hd_xwakeup){ s->first, s->last };
		free(s);
	}
	*w = rest;
	return below;
}

struct hd_xstep *hd_xwakeup_take(struct hd_xwakeup *w)
{
	struct hd_xstep *s = w->first;

	w->first = s->next;
	s->next = NULL;
	return s;
}

void hd_xwakeup_give(struct hd_xwakeup *w, struct hd_xstep *step)
{
	append(&w->first, &w->last, step);
}

const struct hd_xstep *hd_xwakeup_begins(const struct hd_xwakeup *w, uint32_t thread)
{
	const struct hd_xstep *s = w->first;

	while (s && s->thread != thread)
		s = s->next;
	return s;
}

/* Sequences may be as long as executions: not by recursion. */
void hd_xwakeup_free(struct hd_xwakeup *w)
{
	while (w->first) {
		struct hd_xstep *s = hd_xwakeup_take(w);

		if (s->first) {
			s->last->next = w->first;
			w->first = s->first;
		}
		free(s);
	}
	*w = (struct hd_xwakeup){ 0 };
}

void hd_xstep_free(struct hd_xstep *step)
{
	struct hd_xwakeup w = { step, step };

	hd_xwakeup_free(&w);
}
