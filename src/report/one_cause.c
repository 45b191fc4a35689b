#include "one_cause.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"
#include "common/map.h"
#include "trace/event_meaning.h"

/* Findings by what they are on; what is suppressed has a list of its own. */
static uint64_t key_of(const struct hd_finding *f)
{
	return hd_hash_pair(f->identity.subject, f->identity.suppression != NULL);
}

/* May it be told of under another race, or be the one that others are told of under? */
static bool is_joined(const struct hd_finding *f)
{
	return f->kind == HD_KIND_RACE && f->identity.subject &&
	       f->certainty.verdict != HD_VERDICT_INFEASIBLE;
}

static bool take_over(const struct hd_run *run, struct hd_finding *first, struct hd_finding *f)
{
	if (!HD_ROOM(first->others, first->others_cap, first->nothers + 1))
		return false;
	f->home = hd_finding_run(run, f); /* the first may be of another one */
	first->consequence.orders += f->consequence.orders;
	first->others[first->nothers++] = *f;
	return true;
}

/* What does most harm is told in full; else what came first. */
static bool leads(const struct hd_finding *f, const struct hd_finding *first)
{
	return f->consequence.harm > first->consequence.harm;
}

/* @f and the race that the others are under change places. */
static void lead(struct hd_finding *f, struct hd_finding *first)
{
	struct hd_finding was = *first;

	*first = *f;
	first->others = was.others;
	first->nothers = was.nothers;
	first->others_cap = was.others_cap;
	was.others = NULL;
	was.nothers = was.others_cap = 0;
	*f = was;
}

/* Does a lock that both hold keep them apart? */
static bool is_excluded(const struct hd_access *a, const struct hd_access *b)
{
	for (size_t i = 0; i < a->nheld; i++) {
		for (size_t k = 0; k < b->nheld; k++) {
			if (a->held[i].addr == b->held[k].addr &&
			    !(a->held[i].mode & b->held[k].mode & HD_LOCK_SHARED))
				return true;
		}
	}
	return false;
}

static bool may_race(const struct hd_access *a, const struct hd_access *b)
{
	bool atomic = hd_op_about(a->event.op) == HD_ABOUT_ATOMIC &&
		      hd_op_about(b->event.op) == HD_ABOUT_ATOMIC;

	return !atomic && !is_excluded(a, b);
}

bool hd_is_torn_by_races(const struct hd_finding *f)
{
	const struct hd_access *e1 = f->accesses, *between = e1 + 1, *e2 = e1 + 2;

	return f->kind == HD_KIND_ATOMICITY && f->naccesses == 3 && may_race(e1, between) &&
	       may_race(between, e2);
}

/* A pattern in code that nobody declared atomic, by which the program fails. */
static bool is_confirmed_pattern(const struct hd_finding *f)
{
	return f->kind == HD_KIND_ATOMICITY && f->certainty.verdict == HD_VERDICT_CONFIRMED &&
	       !f->certainty.candidate && !f->why && f->location.group < 0 && f->identity.subject &&
	       hd_is_torn_by_races(f);
}

/*
 * Accesses that race can be torn apart, too, and that is no other fault. It is told of under the race,
 * if that was seen to fail itself; else the race is known to do harm by it.
 */
static void join_pattern(const struct hd_run *run, struct hd_finding *race, struct hd_finding *f)
{
	char *text;

	if (race->consequence.harm == HD_HARM_FAILS) {
		if (race->witness.outcome && take_over(run, race, f))
			*f = (struct hd_finding){ 0 };
		return;
	}
	if (!race->consequence.harm || !f->witness.outcome || !f->witness.word ||
	    asprintf(&text, "%s, by the atomicity violation on it", f->witness.outcome) < 0)
		return;
	free(race->consequence.text);
	race->consequence.text = text;
	race->consequence.harm = HD_HARM_FAILS;
	race->consequence.word = f->witness.word;
}

/* An update that is lost, seen or predicted. */
static bool is_torn_update(const struct hd_finding *f)
{
	return f->kind == HD_KIND_ATOMICITY && !f->certainty.candidate &&
	       !strcmp(f->pattern, "RWW") && f->location.group < 0 && f->identity.subject &&
	       hd_is_torn_by_races(f) &&
	       (f->certainty.verdict == HD_VERDICT_PREDICTED ||
		f->certainty.verdict == HD_VERDICT_REALISED ||
		f->certainty.verdict == HD_VERDICT_CONFIRMED);
}

static bool same_line(const struct hd_access *a, const struct hd_access *b)
{
	const struct hd_frame *x = hd_stack_top(&a->stack), *y = hd_stack_top(&b->stack);

	return x && y && x->file && y->file && x->line == y->line && !strcmp(x->file, y->file);
}

/* Are the two accesses of a race at these lines? */
static bool is_pair_at(const struct hd_finding *race, const struct hd_access *a,
		       const struct hd_access *b)
{
	const struct hd_access *x = race->accesses, *y = x + 1;

	return race->kind == HD_KIND_RACE && race->naccesses == 2 &&
	       ((same_line(x, a) && same_line(y, b)) || (same_line(x, b) && same_line(y, a)));
}

/* Is the update torn by a meeting that is told of as a race? Another that tears it is another mistake. */
static bool meets_as(const struct hd_finding *race, const struct hd_finding *update)
{
	const struct hd_access *e1 = update->accesses, *f = e1 + 1, *e2 = e1 + 2;

	if (is_pair_at(race, e1, f) || is_pair_at(race, f, e2))
		return true;
	for (size_t i = 0; i < race->nothers; i++) {
		if (is_pair_at(&race->others[i], e1, f) || is_pair_at(&race->others[i], f, e2))
			return true;
	}
	return false;
}

static bool was_harmless(const struct hd_finding *f)
{
	return f->consequence.harm == HD_HARM_NONE || f->consequence.harm == HD_HARM_VALUES;
}

bool hd_race_is_harmless(const struct hd_finding *f)
{
	bool harmless = f->kind == HD_KIND_RACE && was_harmless(f);

	for (size_t i = 0; i < f->nothers; i++)
		harmless &= was_harmless(&f->others[i]);
	return harmless;
}

void hd_join_races(struct hd_run *run)
{
	struct hd_map first = { 0 }; /* what a certain race is on -> its number + 1 */
	size_t n = 0;
	bool ok = true;

	for (size_t i = 0; i < run->nfindings && ok; i++) {
		struct hd_finding *f = &run->findings[i];

		if (is_joined(f) && !f->certainty.candidate && !hd_map_get(&first, key_of(f)))
			ok = hd_map_set(&first, key_of(f), i + 1);
	}
	for (size_t i = 0; i < run->nfindings && ok; i++) {
		struct hd_finding *f = &run->findings[i];
		size_t at = is_joined(f) ? hd_map_get(&first, key_of(f)) : 0;

		if (!at || at == i + 1)
			continue;
		if (!f->certainty.candidate && leads(f, &run->findings[at - 1]))
			lead(f, &run->findings[at - 1]);
		if (take_over(run, &run->findings[at - 1], f))
			*f = (struct hd_finding){ 0 }; /* which is of no kind */
	}
	for (size_t i = 0; i < run->nfindings && ok; i++) {
		struct hd_finding *f = &run->findings[i];
		size_t at = is_confirmed_pattern(f) ? hd_map_get(&first, key_of(f)) : 0;

		if (at)
			join_pattern(run, &run->findings[at - 1], f);
	}
	for (size_t i = 0; i < run->nfindings && ok; i++) {
		struct hd_finding *f = &run->findings[i];
		size_t at = is_torn_update(f) ? hd_map_get(&first, key_of(f)) : 0;

		if (at && meets_as(&run->findings[at - 1], f) &&
		    take_over(run, &run->findings[at - 1], f))
			*f = (struct hd_finding){ 0 };
	}
	for (size_t i = 0; i < run->nfindings; i++) {
		if (run->findings[i].kind)
			run->findings[n++] = run->findings[i];
	}
	run->nfindings = n;
	hd_map_free(&first);
}
