#include "same_places.h"

#include <string.h>

#include "common/hash.h"
#include "common/map.h"
#include "one_cause.h"

bool hd_is_same_line(const struct hd_access *a, const struct hd_access *b)
{
	const struct hd_frame *x = hd_stack_top(&a->stack), *y = hd_stack_top(&b->stack);

	return x && y && x->file && y->file && x->line == y->line && !strcmp(x->file, y->file);
}

bool hd_is_pair_at(const struct hd_finding *race, const struct hd_access *a,
		   const struct hd_access *b)
{
	const struct hd_access *x = race->accesses, *y = x + 1;

	return race->kind == HD_KIND_RACE && race->naccesses == 2 &&
	       ((hd_is_same_line(x, a) && hd_is_same_line(y, b)) ||
		(hd_is_same_line(x, b) && hd_is_same_line(y, a)));
}

/* 0: the line is not known. */
static uint64_t line_hash(const struct hd_access *a)
{
	const struct hd_frame *top = hd_stack_top(&a->stack);

	if (!top || !top->file || !top->line)
		return 0;
	return hd_hash_pair(hd_fnv_bytes(HD_FNV_START, top->file, strlen(top->file)), top->line);
}

/* What is suppressed has a list of its own, and so has what was not seen; 0: a line is not known. */
static uint64_t places_of(const struct hd_finding *f, const struct hd_access *a,
			  const struct hd_access *b, bool seen)
{
	uint64_t x = line_hash(a), y = line_hash(b);

	return x && y ? hd_hash_pair(x + y, 2 * seen + (f->identity.suppression != NULL)) : 0;
}

static bool is_told(const struct hd_finding *f)
{
	return !f->certainty.candidate && f->certainty.verdict != HD_VERDICT_INFEASIBLE;
}

static bool is_told_race(const struct hd_finding *f)
{
	return f->kind == HD_KIND_RACE && f->naccesses == 2 && is_told(f);
}

static bool was_seen(const struct hd_finding *f)
{
	return f->certainty.verdict != HD_VERDICT_PREDICTED;
}

static bool is_nameless(const struct hd_finding *f)
{
	return !f->identity.subject && f->location.addr && is_told(f);
}

/* The number of the race that tells of these places, from 1; 0: none does. */
struct places {
	struct hd_map race;
	bool failed;
};

static void note(struct places *p, const struct hd_finding *race, size_t i)
{
	uint64_t key = places_of(race, &race->accesses[0], &race->accesses[1], was_seen(race));

	if (key && !hd_map_get(&p->race, key))
		p->failed |= !hd_map_set(&p->race, key, i + 1);
}

/* What has a name comes first. */
static void note_all(struct places *p, const struct hd_run *run)
{
	for (int nameless = 0; nameless < 2; nameless++) {
		for (size_t i = 0; i < run->nfindings; i++) {
			const struct hd_finding *f = &run->findings[i];

			if (!is_told_race(f) || is_nameless(f) != nameless)
				continue;
			note(p, f, i);
			for (size_t k = 0; k < f->nothers; k++) {
				if (is_told_race(&f->others[k]))
					note(p, &f->others[k], i);
			}
		}
	}
}

/* One that was seen, if there is one; for what was seen itself no other. */
static struct hd_finding *race_at(const struct places *p, struct hd_run *run,
				  const struct hd_finding *f, const struct hd_access *a,
				  const struct hd_access *b)
{
	for (int seen = 1; seen >= was_seen(f); seen--) {
		uint64_t key = places_of(f, a, b, seen);
		size_t i = key ? hd_map_get(&p->race, key) : 0;

		if (i)
			return &run->findings[i - 1] != f ? &run->findings[i - 1] : NULL;
	}
	return NULL;
}

/* Is all that is known of @f known of @race, too? */
static bool says_as_much(const struct hd_finding *race, const struct hd_finding *f)
{
	return race->identity.known == f->identity.known &&
	       race->consequence.harm >= f->consequence.harm &&
	       (!f->remedy.found || race->remedy.found);
}

static void tell_under(struct hd_finding *race, struct hd_finding *f)
{
	/* The run's own race and the analysis's are one, not two. */
	if (race->kind == f->kind && race->certainty.analysed == f->certainty.analysed)
		race->merged += f->merged + 1;
	hd_finding_clear(f);
	*f = (struct hd_finding){ 0 };
}

void hd_join_same_places(struct hd_run *run)
{
	struct places p = { 0 };

	note_all(&p, run);
	for (size_t i = 0; i < run->nfindings && !p.failed; i++) {
		struct hd_finding *f = &run->findings[i], *race = NULL;
		const struct hd_access *a = f->accesses;

		if (!is_nameless(f) || f->nothers)
			continue;
		if (f->kind == HD_KIND_RACE && f->naccesses == 2)
			race = race_at(&p, run, f, a, a + 1);
		else if (hd_is_torn_update(f)) {
			race = race_at(&p, run, f, a, a + 1);
			race = race ? race : race_at(&p, run, f, a + 1, a + 2);
		}
		if (race && is_told_race(race) && says_as_much(race, f))
			tell_under(race, f);
	}
	hd_map_free(&p.race);
}
