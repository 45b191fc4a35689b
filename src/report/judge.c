#include "judge.h"

#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "fingerprint.h"

/* Of two that are the same fault, the one to keep: observed before predicted, then the fuller. */
static bool is_better(const struct hd_finding *a, const struct hd_finding *b)
{
	if (a->candidate != b->candidate)
		return b->candidate;
	if ((a->verdict == HD_VERDICT_CONFIRMED) != (b->verdict == HD_VERDICT_CONFIRMED))
		return a->verdict == HD_VERDICT_CONFIRMED;
	return a->nsteps > 0 && !b->nsteps;
}

/* @gone is the same fault as @kept. */
static void merge(struct hd_finding *kept, struct hd_finding *gone)
{
	/* The run's own race and the analysis's are one, not two. */
	if (kept->candidate == gone->candidate && kept->analysed == gone->analysed)
		kept->merged += gone->merged + 1;
	hd_finding_clear(gone);
}

/* Findings by id, for looking up. */
struct by_id {
	size_t *slot; /* number of a kept finding + 1 */
	size_t mask;
};

static bool is_same(const struct hd_finding *a, const struct hd_finding *b)
{
	return a->sites == b->sites && !strcmp(a->id, b->id);
}

static size_t *find_slot(const struct by_id *t, const struct hd_run *run,
			 const struct hd_finding *f)
{
	size_t i = (size_t)strtoull(f->id, NULL, 16) & t->mask;

	while (t->slot[i] && !is_same(&run->findings[t->slot[i] - 1], f))
		i = (i + 1) & t->mask;
	return &t->slot[i];
}

static uint32_t line_of(const struct hd_finding *f)
{
	const struct hd_frame *top = hd_finding_top(f);

	return top ? top->line : 0;
}

static int by_id_and_line(const void *left, const void *right)
{
	const struct hd_finding *a = *(struct hd_finding *const *)left;
	const struct hd_finding *b = *(struct hd_finding *const *)right;
	int order = strcmp(a->id, b->id);

	if (order)
		return order;
	if (line_of(a) != line_of(b))
		return line_of(a) < line_of(b) ? -1 : 1;
	return a->sites < b->sites ? -1 : a->sites > b->sites;
}

/* Different lines of the same functions: told apart by their order, which editing keeps. */
static void number_equal_ids(struct hd_run *run)
{
	struct hd_finding **order = calloc(run->nfindings + 1, sizeof(*order));
	char base[17] = "";
	size_t n = 0;

	for (size_t i = 0; order && i < run->nfindings; i++)
		order[i] = &run->findings[i];
	if (order && run->nfindings)
		qsort(order, run->nfindings, sizeof(*order), by_id_and_line);
	for (size_t i = 0; order && i < run->nfindings; i++) {
		n = strcmp(base, order[i]->id) ? 0 : n + 1;
		memcpy(base, order[i]->id, sizeof(base));
		hd_fingerprint_numbered(order[i]->id, n);
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

struct hd_judgement hd_judge(struct hd_run *run, struct hd_suppressions *suppressions,
			     const struct hd_baseline *baseline)
{
	struct hd_judgement j = { .findings = run->findings_left_out,
				  .candidates = run->candidates_left_out };

	for (size_t i = 0; i < run->nfindings; i++) {
		struct hd_finding *f = &run->findings[i];

		hd_fingerprint(hd_finding_run(run, f), f, f->id);
		f->sites = hd_site_hash(f);
	}
	deduplicate(run);
	number_equal_ids(run);
	for (size_t i = 0; i < run->nfindings; i++) {
		struct hd_finding *f = &run->findings[i];

		if (f->kind == HD_KIND_DIVERGENCE)
			continue;
		f->suppression = hd_suppressed_by(suppressions, hd_finding_run(run, f), f);
		f->known = !f->candidate && hd_baseline_has(baseline, f->id);
		if (f->suppression)
			j.suppressed++;
		else if (f->candidate)
			j.candidates++, j.by_verdict[f->verdict]++;
		else if (f->known)
			j.known++;
		else
			j.findings++;
	}
	return j;
}
