#include "same_run.h"

#include <stddef.h>

struct cursor {
	struct hd_trace *t;
	const struct hd_event *events;
	size_t n, at;
	bool ended;
};

/* The next event that counts; NULL: there are no more, or no more that can be read. */
static const struct hd_event *next(struct cursor *c)
{
	while (!c->ended) {
		while (c->at < c->n) {
			const struct hd_event *ev = &c->events[c->at++];

			if (ev->op < HD_OP_CHOICE)
				return ev;
		}
		c->at = c->n = 0;
		c->ended = hd_trace_next(c->t, &c->events, &c->n, NULL) != HD_OK || !c->n;
	}
	return NULL;
}

static bool same_step(const struct hd_event *a, const struct hd_event *b)
{
	return a->op == b->op && a->thread == b->thread && a->pc == b->pc && a->size == b->size;
}

static bool same_values(const struct hd_event *a, const struct hd_event *b)
{
	return a->addr == b->addr && a->value == b->value && a->value2 == b->value2;
}

void hd_compare_runs(struct hd_trace *a, struct hd_trace *b, struct hd_difference *out)
{
	struct cursor ca = { .t = a }, cb = { .t = b };
	const struct hd_event none = { 0 };

	*out = (struct hd_difference){ 0 };
	hd_trace_rewind(a);
	hd_trace_rewind(b);
	for (uint64_t i = 0;; i++) {
		const struct hd_event *x = next(&ca), *y = next(&cb);
		bool step = x && y ? same_step(x, y) : x == y;

		if (!x && !y)
			break;
		if (step && (out->in_value || same_values(x, y)))
			continue;
		out->differs = !step;
		out->in_value = true;
		out->index = i;
		out->a = x ? *x : none;
		out->b = y ? *y : none;
		if (!step) {
			out->in_value = false;
			break;
		}
	}
	hd_trace_rewind(a);
	hd_trace_rewind(b);
}
