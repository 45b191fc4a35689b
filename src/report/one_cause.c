#include "one_cause.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"
#include "common/map.h"
#include "same_places.h"
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

	return f->kind == HD_KIND_ATOMICITY && f->naccesses == 3 && f->location.nmembers < 2 &&
	       may_race(e1, between) && may_race(between, e2);
}

/* The same of a race or one that is told of under it. */
static bool tells_pair(const struct hd_finding *race, const struct hd_access *a,
		       const struct hd_access *b)
{
	bool tells = hd_is_pair_at(race, a, b);

	for (size_t i = 0; i < race->nothers; i++)
		tells |= hd_is_pair_at(&race->others[i], a, b);
	return tells;
}

/* Is the pattern torn by a meeting that is told of as a race? Another that tears it is another mistake. */
static bool meets_as(const struct hd_finding *race, const struct hd_finding *pattern)
{
	const struct hd_access *e1 = pattern->accesses, *f = e1 + 1, *e2 = e1 + 2;

	return tells_pair(race, e1, f) || tells_pair(race, f, e2);
}

/* A race that was seen to fail, and does so as @f does. */
static bool fails_as(const struct hd_finding *race, const struct hd_finding *f)
{
	return race->consequence.harm == HD_HARM_FAILS && race->witness.outcome &&
	       f->witness.outcome && !strcmp(race->witness.outcome, f->witness.outcome);
}

/* A pattern in code that nobody declared atomic, by which the program fails. */
static bool is_confirmed_pattern(const struct hd_finding *f)
{
	return f->kind == HD_KIND_ATOMICITY && f->certainty.verdict == HD_VERDICT_CONFIRMED &&
	       !f->certainty.candidate && f->location.group < 0;
}

/* All who tear it race with it, or one does, and that race fails in this way by itself. */
static bool is_told_by(const struct hd_finding *f, const struct hd_finding *race)
{
	return !f->why && f->identity.subject && f->naccesses == 3 && f->location.nmembers < 2 &&
	       (hd_is_torn_by_races(f) || (fails_as(race, f) && meets_as(race, f)));
}

/* The race is known to do harm by the pattern, if not by itself. */
static void does_harm_by(struct hd_finding *race, const struct hd_finding *f)
{
	char *text;

	if (race->consequence.harm == HD_HARM_FAILS || !race->consequence.harm ||
	    !f->witness.outcome || !f->witness.word ||
	    asprintf(&text, "%s, by the atomicity violation on it", f->witness.outcome) < 0)
		return;
	free(race->consequence.text);
	race->consequence.text = text;
	race->consequence.harm = HD_HARM_FAILS;
	race->consequence.word = f->witness.word;
}

/*
 * Accesses that race can be torn apart, too, and that is no other fault. It is told of under the race,
 * if that was seen to fail itself; else the race is known to do harm by it.
 */
static void join_pattern(const struct hd_run *run, struct hd_finding *race, struct hd_finding *f)
{
	if (race->consequence.harm != HD_HARM_FAILS)
		does_harm_by(race, f);
	else if (race->witness.outcome && take_over(run, race, f))
		*f = (struct hd_finding){ 0 };
}

bool hd_is_torn_update(const struct hd_finding *f)
{
	return f->kind == HD_KIND_ATOMICITY && !f->certainty.candidate &&
	       !strcmp(f->pattern, "RWW") && f->location.group < 0 && hd_is_torn_by_races(f) &&
	       (f->certainty.verdict == HD_VERDICT_PREDICTED ||
		f->certainty.verdict == HD_VERDICT_REALISED ||
		f->certainty.verdict == HD_VERDICT_CONFIRMED);
}

static bool is_told_race(const struct hd_finding *f)
{
	return f->kind == HD_KIND_RACE && !f->certainty.candidate && !f->identity.suppression;
}

static bool is_at(const struct hd_finding *race, const struct hd_access *a)
{
	bool is = hd_is_same_line(&race->accesses[0], a) || hd_is_same_line(&race->accesses[1], a);

	return race->naccesses == 2 && is;
}

/* The run may have ended before the last access. */
static bool tells_second(const struct hd_finding *race, const struct hd_finding *f)
{
	const struct hd_access *a = f->accesses;

	return f->naccesses > 3 ? tells_pair(race, &a[2], &a[3]) : is_at(race, &a[2]);
}

/* Two variables that are torn apart by a race on each, of which one was seen to fail: then both do harm. */
static bool is_of_two_races(struct hd_run *run, const struct hd_finding *f)
{
	struct hd_finding *all = run->findings;

	if (f->location.nmembers != 2 || f->naccesses < 3)
		return false;
	for (size_t i = 0; i < run->nfindings; i++) {
		if (!is_told_race(&all[i]) ||
		    !tells_pair(&all[i], &f->accesses[0], &f->accesses[1]))
			continue;
		for (size_t k = 0; k < run->nfindings; k++) {
			if (k == i || !is_told_race(&all[k]) || !tells_second(&all[k], f) ||
			    (all[i].consequence.harm != HD_HARM_FAILS &&
			     all[k].consequence.harm != HD_HARM_FAILS))
				continue;
			does_harm_by(&all[i], f);
			does_harm_by(&all[k], f);
			return true;
		}
	}
	return false;
}

/* One place that reads again and again, as who waits in a loop does: nobody would keep that together. */
static bool is_looking_again(const struct hd_finding *f)
{
	return f->naccesses == 3 && !strcmp(f->pattern, "RWR") &&
	       f->accesses[0].event.pc == f->accesses[2].event.pc;
}

/* Two variables, of which one is torn by a meeting that is told of as a race. */
static bool is_half_told(const struct hd_finding *race, const struct hd_finding *f)
{
	return f->location.nmembers == 2 && f->naccesses >= 3 &&
	       (tells_pair(race, &f->accesses[0], &f->accesses[1]) || tells_second(race, f));
}

/*
 * A race fails so, and this is torn by it, or not known to be why the program fails so, or comes of waiting. What would
 * mend it mends the race.
 */
static bool is_of_a_race(struct hd_run *run, struct hd_finding *f)
{
	bool doubtful = f->why || is_looking_again(f);

	for (size_t i = 0; i < run->nfindings; i++) {
		struct hd_finding *race = &run->findings[i];

		if (!is_told_race(race) || !fails_as(race, f) ||
		    (!doubtful && !is_half_told(race, f)))
			continue;
		if (f->remedy.found && !race->remedy.found) {
			struct hd_remedy none = race->remedy;

			race->remedy = f->remedy;
			f->remedy = none;
		}
		return true;
	}
	return false;
}

/* Another finding tells why the program fails: this is what came about as it did. */
static bool demote(struct hd_finding *f)
{
	char *why = strdup("the program got there, and failed as another finding tells");

	if (!why)
		return false;
	free(f->why);
	f->why = why;
	f->certainty.verdict = HD_VERDICT_REALISED;
	f->certainty.candidate = true;
	return true;
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

/* How the program fails by one order of a race that is told of: the race tells it. */
static bool is_of_told_race(const struct hd_run *run, const struct hd_finding *f)
{
	bool told = false;

	for (size_t i = 0; f->certainty.by_race && !told && i < run->nfindings; i++) {
		const struct hd_finding *race = &run->findings[i];

		told = is_told_race(race) && !race->identity.known &&
		       race->consequence.harm == HD_HARM_FAILS &&
		       !strcmp(race->consequence.word, hd_kind_word(f->kind));
	}
	return told;
}

/* What fails comes first, then what could not be tried, and what changed nothing last. */
static int rank(const struct hd_finding *f)
{
	switch (f->kind == HD_KIND_RACE ? f->consequence.harm : HD_HARM_UNTOLD) {
	case HD_HARM_NONE:
		return 3;
	case HD_HARM_VALUES:
		return 2;
	case HD_HARM_UNKNOWN:
		return 1;
	case HD_HARM_UNTOLD:
	case HD_HARM_FAILS:
		break;
	}
	return 0;
}

/* Candidates stay where they are. */
static void harm_first(struct hd_run *run)
{
	for (size_t i = 1; i < run->nfindings; i++) {
		for (size_t k = i, before = i; !run->findings[k].certainty.candidate; k = before) {
			struct hd_finding f = run->findings[k];

			while (before && run->findings[before - 1].certainty.candidate)
				before--;
			if (!before || rank(&f) >= rank(&run->findings[before - 1]))
				break;
			run->findings[k] = run->findings[--before];
			run->findings[before] = f;
		}
	}
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

		if (at && is_told_by(f, &run->findings[at - 1]))
			join_pattern(run, &run->findings[at - 1], f);
		else if (is_confirmed_pattern(f) &&
			 (is_of_two_races(run, f) || is_of_a_race(run, f)))
			ok = demote(f);
	}
	for (size_t i = 0; i < run->nfindings && ok; i++) {
		struct hd_finding *f = &run->findings[i];
		bool torn = f->identity.subject && hd_is_torn_update(f);
		size_t at = torn ? hd_map_get(&first, key_of(f)) : 0;

		if (at && meets_as(&run->findings[at - 1], f) &&
		    take_over(run, &run->findings[at - 1], f))
			*f = (struct hd_finding){ 0 };
	}
	hd_join_same_places(run);
	for (size_t i = 0; i < run->nfindings; i++) {
		if (run->findings[i].kind && is_of_told_race(run, &run->findings[i]))
			hd_finding_clear(&run->findings[i]);
		else if (run->findings[i].kind)
			run->findings[n++] = run->findings[i];
	}
	run->nfindings = n;
	harm_first(run);
	hd_map_free(&first);
}
