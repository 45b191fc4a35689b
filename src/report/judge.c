#include "judge.h"

#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "fingerprint.h"
#include "one_cause.h"

/* Of two that are the same fault, the one to keep: observed before predicted, then the fuller. */
static bool is_better(const struct hd_finding *a, const struct hd_finding *b)
{
	if (a->certainty.candidate != b->certainty.candidate)
		return b->certainty.candidate;
	if ((a->certainty.verdict == HD_VERDICT_CONFIRMED) !=
	    (b->certainty.verdict == HD_VERDICT_CONFIRMED))
		return a->certainty.verdict == HD_VERDICT_CONFIRMED;
	return a->interleaving.nsteps > 0 && !b->interleaving.nsteps;
}

/* @gone is the same fault as @kept. */
static void merge(struct hd_finding *kept, struct hd_finding *gone)
{
	/* The run's own race and the analysis's are one, not two. */
	if (kept->certainty.candidate == gone->certainty.candidate &&
	    kept->certainty.analysed == gone->certainty.analysed)
		kept->merged += gone->merged + 1;
	hd_finding_clear(gone);
}

/* Findings by id, for looking up. */
struct by_id {
	size_t *slot; /* number of a kept finding + 1 */
	size_t mask;
};

/* The same places under other locks are another fault, if those keep accesses apart. */
static bool is_same(const struct hd_finding *a, const struct hd_finding *b)
{
	return a->identity.sites == b->identity.sites && !strcmp(a->identity.id, b->identity.id) &&
	       (a->certainty.candidate || b->certainty.candidate ||
		hd_is_torn_by_races(a) == hd_is_torn_by_races(b));
}

static size_t *find_slot(const struct by_id *t, const struct hd_run *run,
			 const struct hd_finding *f)
{
	size_t i = (size_t)strtoull(f->identity.id, NULL, 16) & t->mask;

	while (t->slot[i] && !is_same(&run->findings[t->slot[i] - 1], f))
		i = (i + 1) & t->mask;
	return &t->slot[i];
}

/* A race on something that is known has its id by that. */
static bool is_by_subject(const struct hd_finding *f)
{
	return f->kind == HD_KIND_RACE && f->identity.subject;
}

/* Of a race on a block the block's: which of its accesses is told of is up to the schedule. */
static uint32_t line_of(const struct hd_finding *f)
{
	const struct hd_frame *top = hd_finding_top(f);

	return is_by_subject(f) ? f->identity.subject_line : top ? top->line : 0;
}

/* What counts comes first, and has its id whatever else there is. */
static int standing(const struct hd_finding *f)
{
	return (f->identity.suppression != NULL) + 2 * f->certainty.candidate;
}

static int by_id_and_line(const void *left, const void *right)
{
	const struct hd_finding *a = *(struct hd_finding *const *)left;
	const struct hd_finding *b = *(struct hd_finding *const *)right;
	int order = strcmp(a->identity.id, b->identity.id);

	if (!order)
		order = standing(a) - standing(b);
	if (order)
		return order;
	if (line_of(a) != line_of(b))
		return line_of(a) < line_of(b) ? -1 : 1;
	return a->identity.sites < b->identity.sites ? -1 : a->identity.sites > b->identity.sites;
}

/*
 * Different lines of the same functions: told apart by their order, which editing keeps. @joined:
 * what is on one variable is one; else these are many, of one name.
 */
static void number_equal_ids(struct hd_run *run, bool joined)
{
	struct hd_finding **order = calloc(run->nfindings + 1, sizeof(*order));
	char base[17] = "";
	size_t n = 0;

	for (size_t i = 0; order && i < run->nfindings; i++)
		order[i] = &run->findings[i];
	if (order && run->nfindings)
		qsort(order, run->nfindings, sizeof(*order), by_id_and_line);
	for (size_t i = 0; order && i < run->nfindings; i++) {
		if (is_by_subject(order[i]) && !joined)
			continue;
		n = strcmp(base, order[i]->identity.id) ? 0 : n + 1;
		memcpy(base, order[i]->identity.id, sizeof(base));
		hd_fingerprint_numbered(order[i]->identity.id, n);
	}
	free(order);
}

static void deduplicate(struct hd_run *run)
{
	struct by_id t = { .mask = 1 };
	size_t n = 0;

	while (t.mask < 2 * run->nfindings)
		t.mask *= 2;
	t.slot = calloc(t.mask--, sizeof(*t.slot));
	if (!t.slot)
		return; /* then some are told twice */
	for (size_t i = 0; i < run->nfindings; i++) {
		struct hd_finding f = run->findings[i], *other;
		size_t *slot = find_slot(&t, run, &f);

		if (!*slot || f.kind == HD_KIND_DIVERGENCE) {
			run->findings[n++] = f;
			if (f.kind != HD_KIND_DIVERGENCE)
				*slot = n;
			continue;
		}
		other = &run->findings[*slot - 1];
		if (is_better(&f, other)) {
			struct hd_finding worse = *other;

			*other = f;
			merge(other, &worse);
		} else {
			merge(other, &f);
		}
	}
	run->nfindings = n;
	free(t.slot);
}

static void fingerprint_all(struct hd_run *run)
{
	for (size_t i = 0; i < run->nfindings; i++) {
		struct hd_finding *f = &run->findings[i];
		const struct hd_run *home = hd_finding_run(run, f);

		hd_fingerprint(home, f, f->identity.id);
		f->identity.sites = hd_site_hash(f);
		f->identity.subject = hd_subject_hash(home, f, &f->identity.subject_line);
	}
}

void hd_identify(struct hd_run *run)
{
	fingerprint_all(run);
	deduplicate(run);
	number_equal_ids(run, false);
}

struct hd_judgement hd_judge(struct hd_run *run, struct hd_suppressions *suppressions,
			     const struct hd_baseline *baseline, bool harmful)
{
	struct hd_judgement j = { .candidates = run->candidates_left_out };

	fingerprint_all(run);
	deduplicate(run);
	for (size_t i = 0; i < run->nfindings; i++) {
		struct hd_finding *f = &run->findings[i];

		if (f->kind != HD_KIND_DIVERGENCE)
			f->identity.suppression =
				hd_suppressed_by(suppressions, hd_finding_run(run, f), f);
		f->identity.known = hd_baseline_has(baseline, f->identity.id);
	}
	hd_join_races(run);
	number_equal_ids(run, true);
	for (size_t i = 0; i < run->nfindings; i++) {
		struct hd_finding *f = &run->findings[i];

		if (f->kind == HD_KIND_DIVERGENCE)
			continue;
		f->identity.known =
			!f->certainty.candidate && hd_baseline_has(baseline, f->identity.id);
		f->identity.tolerated = harmful && hd_race_is_harmless(f);
		if (f->identity.suppression)
			j.suppressed++;
		else if (f->certainty.candidate)
			j.candidates++, j.by_verdict[f->certainty.verdict]++;
		else if (f->identity.known)
			j.known++;
		else if (f->identity.tolerated)
			j.tolerated++;
		else
			j.findings++;
	}
	return j;
}
