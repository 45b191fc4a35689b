#include "within_log.h"

#include <stdlib.h>

static bool add_run(struct hd_within_log *l, const struct hd_within_run *run)
{
	if (l->nruns == l->room) {
		uint32_t room = l->room ? 2 * l->room : 1; /* most tasks are in one */
		struct hd_within_run *more = realloc(l->runs, room * sizeof(*more));

		if (!more)
			return false;
		l->runs = more;
		l->room = room;
	}
	l->runs[l->nruns++] = *run;
	return true;
}

/* Does a part @number that begins at @now go on with @r as it has gone on so far? */
static bool goes_on(struct hd_within_run *r, uint32_t now, uint64_t number)
{
	if (r->number == HD_NO_PART || number == HD_NO_PART)
		return false;
	if (r->n == 1) {
		r->stride = now - r->from;
		r->step = number - r->number;
		return true;
	}
	return now - r->from == (uint64_t)r->n * r->stride && number - r->number == r->n * r->step;
}

/* What was told at @now already has no time of its own. */
static void drop_at(struct hd_within_log *l, uint32_t now)
{
	struct hd_within_run *last = l->nruns ? &l->runs[l->nruns - 1] : NULL;

	if (last && last->from + (last->n - 1) * last->stride == now)
		l->nruns -= --last->n == 0;
}

bool hd_within_note(struct hd_within_log *l, struct hd_intern *table, const struct hd_event *ev,
		    uint32_t now)
{
	struct hd_within_run run = { .from = now, .n = 1, .number = ev->value2 };

	if (ev->op == HD_OP_ITERATION) {
		if (hd_unit_is_over(ev->arg) || !l->nruns)
			return true;
		run.construct = l->runs[l->nruns - 1].construct;
	} else {
		const struct hd_within what = { .place = ev->value,
						.region = ev->addr,
						.kind = ev->arg };

		run.construct = hd_intern_put(table, &what, sizeof(what));
		if (!run.construct)
			return false;
	}
	drop_at(l, now);
	if (l->nruns && l->runs[l->nruns - 1].construct == run.construct &&
	    goes_on(&l->runs[l->nruns - 1], now, run.number)) {
		l->runs[l->nruns - 1].n++;
		return true;
	}
	return add_run(l, &run);
}

struct hd_within hd_within_at(const struct hd_within_log *l, const struct hd_intern *table,
			      uint32_t when)
{
	struct hd_within within = { 0 };
	uint32_t low = 0, high = l->nruns;
	const struct hd_within_run *r;
	size_t len;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (l->runs[middle].from <= when)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return within;
	r = &l->runs[low - 1];
	within = *(const struct hd_within *)hd_intern_get(table, r->construct, &len);
	within.number = r->number;
	if (r->n > 1) {
		uint32_t k = (when - r->from) / (r->stride ? r->stride : 1);

		within.number += (k < r->n ? k : r->n - 1) * r->step;
	}
	return within;
}
