#include "reorder.h"

#include <stdlib.h>

#include "common/array.h"
#include "interleaving.h"
#include "trace/plan_entry.h"

#define SEQUENCE_MAX 4096u /* events that are looked at from either end */
#define HALF	     (HD_STEPS_SHOWN / 2)

/* An event that is wanted, and where it goes. */
struct wanted {
	uint64_t event;
	size_t at; /* in steps */
};

struct gathering {
	struct wanted *wanted;
	struct hd_step *steps; /* of all findings, one after the other */
	size_t n, room, next;
	size_t steps_room;
};

static bool is_own(const struct hd_finding *f, uint64_t index)
{
	for (size_t i = 0; i < f->naccesses; i++) {
		if (f->accesses[i].index == index)
			return true;
	}
	return false;
}

static bool add(struct gathering *g, const struct hd_finding *f, uint64_t event,
		enum hd_step_when when, uint64_t skipped)
{
	if (!HD_ROOM(g->wanted, g->room, g->n + 1) || !HD_ROOM(g->steps, g->steps_room, g->n + 1))
		return false;
	g->wanted[g->n] = (struct wanted){ event, g->n };
	g->steps[g->n++] =
		(struct hd_step){ .when = when, .is_access = is_own(f, event), .skipped = skipped };
	return true;
}

/* The @i-th event of the order, from the first access of the finding on. */
struct sequence {
	const struct hd_reordering *r;
	uint64_t from; /* event in the prefix, or prefix if the order starts after it */
	size_t skip;   /* of r->events */
};

static struct sequence sequence_of(const struct hd_reordering *r)
{
	struct sequence s = { r, r->prefix, 0 };

	for (size_t i = 0; i < r->finding->naccesses; i++) {
		if (r->finding->accesses[i].index < s.from)
			s.from = r->finding->accesses[i].index;
	}
	if (s.from == r->prefix && r->nevents > 2 * HALF) {
		while (s.skip < r->nevents && !is_own(r->finding, r->events[s.skip]))
			s.skip++;
		/* Only what is about to happen is the finding's own: show how they come there. */
		if (s.skip == r->nevents)
			s.skip = r->nevents - HALF;
	}
	return s;
}

static uint64_t length(const struct sequence *s)
{
	return s->r->prefix - s->from + (s->r->nevents - s->skip);
}

static uint64_t event_at(const struct sequence *s, uint64_t i)
{
	uint64_t before = s->r->prefix - s->from;

	return i < before ? s->from + i : s->r->events[s->skip + (i - before)];
}

static bool gather_one(struct gathering *g, const struct hd_reordering *r)
{
	struct sequence s = sequence_of(r);
	uint64_t n = length(&s), left_out = 0;

	for (uint64_t i = 0; i < n; i++) {
		if (n > 2 * SEQUENCE_MAX && i == SEQUENCE_MAX) {
			left_out = n - 2 * SEQUENCE_MAX;
			i += left_out;
		}
		if (!add(g, r->finding, event_at(&s, i), HD_STEP_DONE, left_out))
			return false;
		left_out = 0;
	}
	for (size_t i = 0; i < r->nnext; i++) {
		if (!add(g, r->finding, r->next[i], HD_STEP_NEXT, 0))
			return false;
	}
	if (r->open_end && r->finding->naccesses)
		return add(g, r->finding, r->finding->accesses[r->finding->naccesses - 1].index,
			   HD_STEP_TO_COME, 0);
	return true;
}

static int by_event(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->event < y->event ? -1 : x->event > y->event;
}

static enum hd_err look(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct gathering *g = arg;

	while (g->next < g->n && g->wanted[g->next].event < first + n) {
		const struct wanted *w = &g->wanted[g->next++];

		if (w->event >= first)
			g->steps[w->at].event = events[w->event - first];
	}
	return HD_OK;
}

static bool reads(unsigned op)
{
	return op == HD_OP_READ || op == HD_OP_ATOMIC_LOAD || op == HD_OP_ATOMIC_CAS_FAIL ||
	       op == HD_OP_ATOMIC_RMW;
}

/* The last step that was done for the goal is what the goal is about: it may see anything. */
static void mark_free(struct hd_step *steps, size_t n, const struct hd_reordering *r)
{
	size_t happen = r->norder - (r->open_end && r->norder);

	if (!happen || r->relaxed)
		return;
	while (n > 0 && (steps[n - 1].when || !steps[n - 1].is_access))
		n--;
	if (n && reads(steps[n - 1].event.op))
		steps[n - 1].may_differ = true;
}

/* If the order is short, all that happens is shown: it is how the threads come there. */
static bool is_short(const struct gathering *g, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		n += hd_op_is_planned(g->steps[i].event.op);
	return n <= 2 * HALF;
}

/* Steps [@from, @to) of those gathered, as far as they are of interest and fit. */
static bool keep(const struct gathering *g, size_t from, size_t to, const struct hd_reordering *r)
{
	struct hd_finding *f = r->finding;
	struct hd_step *all = calloc(to - from + 1, sizeof(*all));
	bool everything = is_short(g, from, to);
	size_t n = 0, kept = 0;
	uint64_t skipped = 0;

	if (!all)
		return false;
	for (size_t i = from; i < to; i++) {
		const struct hd_step *s = &g->steps[i];

		skipped += s->skipped;
		if (!hd_op_is_planned(s->event.op) ||
		    (!everything && !s->is_access && !hd_is_of_interest(f, &s->event)))
			continue;
		all[n] = *s;
		all[n++].skipped = skipped;
		skipped = 0;
	}
	for (size_t i = 0; i < n; i++) {
		/* The middle of a long one is left out, but for the finding's own accesses. */
		bool middle = n > 2 * HALF && i >= HALF && i + HALF < n && !all[i].is_access;

		if (middle) {
			skipped += all[i].skipped + 1;
			continue;
		}
		all[kept] = all[i];
		all[kept].skipped += skipped;
		all[kept].switched = kept && all[kept].event.thread != all[kept - 1].event.thread;
		kept++;
		skipped = 0;
	}
	mark_free(all, kept, r);
	free(f->interleaving.steps);
	f->interleaving.steps = all;
	f->interleaving.nsteps = f->interleaving.steps_cap = kept;
	f->interleaving.reordered = r->relaxed ? HD_REORDERED_LOOSELY : HD_REORDERED;
	return true;
}

enum hd_err hd_reorder(struct hd_run *run, const struct hd_reordering *list, size_t n,
		       struct hd_errbuf *eb)
{
	size_t *from = calloc(n + 1, sizeof(*from));
	struct gathering g = { 0 };
	bool ok = from != NULL;
	enum hd_err err = HD_OK;

	for (size_t i = 0; i < n && ok; i++) {
		ok = gather_one(&g, &list[i]);
		from[i + 1] = g.n;
	}
	if (ok && g.n) {
		qsort(g.wanted, g.n, sizeof(*g.wanted), by_event);
		err = hd_run_each(run, look, &g, eb);
	}
	for (size_t i = 0; i < n && ok && !err; i++)
		ok = keep(&g, from[i], from[i + 1], &list[i]);
	free(from);
	free(g.wanted);
	free(g.steps);
	return ok ? err : hd_fail(eb, HD_ERR_NOMEM, "out of memory");
}
