/*
 * Candidates of all observations, those likely to fail first.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/listener.h"
#include "common/rng.h"

/* The run's own candidates are the analysis's, without the numbers of their events. */
static void drop_candidates(struct hd_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->nfindings; i++) {
		if (run->findings[i].certainty.candidate)
			hd_finding_clear(&run->findings[i]);
		else
			run->findings[n++] = run->findings[i];
	}
	run->nfindings = n;
}

static enum hd_err look_for_units(struct hd_campaign *c, struct hd_observation *o)
{
	struct hd_run *run = &o->trial->run;
	struct hd_errbuf eb = { 0 };
	enum hd_err err;

	hd_run_free(run);
	err = hd_run_read(run, o->trial->trace, NULL, NULL, &eb);
	if (!err)
		err = hd_candidates_of_units(&o->candidates, c->units, run, &eb);
	if (err)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	drop_candidates(run);
	return HD_OK;
}

/* What is about other data than was named is not tried. */
static void drop_unnamed(struct hd_campaign *c, struct hd_observation *o)
{
	const struct hd_named *named = c->outputs.named;
	struct hd_run *run = &o->trial->run;

	hd_keep_named(named, run);
	hd_candidates_keep_named(&o->candidates, named, run);
}

static enum hd_err analyse(struct hd_campaign *c, struct hd_observation *o)
{
	struct hd_run *run = &o->trial->run;
	struct hd_errbuf eb = { 0 };
	struct hd_analyses *a;
	enum hd_err err;
	enum hd_err rc = hd_analyses_new(&a, &c->config->analysis, true);

	if (rc != HD_OK)
		return rc;
	if (!c->config->analysis.only)
		hd_analyses_with(a, HD_DO_TOGETHER);
	hd_run_free(run);
	err = hd_candidates_collect(&o->candidates, a, run, o->trial->trace, HD_CERTAIN_IS_TOLD,
				    &eb);
	for (const char *const *n = hd_analyses_notes(a); !err && *n && o == c->observations; n++)
		hd_campaign_note(c, "%s", *n);
	if (!err && hd_analyses_lost_wakeup(a))
		o->lost = *hd_analyses_lost_wakeup(a);
	hd_analyses_free(a);
	if (err == HD_ERR_NOT_FOUND || err == HD_ERR_PARSE) /* a name that the groups have */
		return hd_error(HD_ERR_REQUEST, "%s", eb.text);
	if (err)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	drop_candidates(run);
	drop_unnamed(c, o);
	return HD_OK;
}

/* The same places in the code, in the same roles, whoever the threads are. */
static bool same_sites(const struct hd_found *a, const struct hd_found *b)
{
	if (a->kind != b->kind || a->naccesses != b->naccesses ||
	    (a->group < 0) != (b->group < 0) ||
	    strcmp(a->pattern ? a->pattern : "", b->pattern ? b->pattern : ""))
		return false;
	for (size_t i = 0; i < a->naccesses; i++) {
		if (a->accesses[i].event.pc != b->accesses[i].event.pc ||
		    a->accesses[i].event.op != b->accesses[i].event.op)
			return false;
	}
	return true;
}

static bool is_listed(const struct hd_campaign *c, const struct hd_candidate *new)
{
	for (size_t i = 0; i < c->nattempts; i++) {
		if (same_sites(&c->attempts[i].candidate->found, &new->found))
			return true;
	}
	return false;
}

/* Of one observation the order is that of the list; of several, equals keep theirs. */
static int by_score(const void *left, const void *right)
{
	const struct hd_attempt *a = left, *b = right;

	if (a->candidate->score != b->candidate->score)
		return a->candidate->score > b->candidate->score ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->candidate < b->candidate ? -1 : a->candidate > b->candidate;
}

/* What the order by score is compared with. */
static void shuffle(struct hd_campaign *c)
{
	struct hd_rng rng;

	hd_rng_seed(&rng, c->config->shuffle);
	for (size_t i = c->nattempts; i > 1; i--) {
		size_t k = hd_rng_below(&rng, i);
		struct hd_attempt a = c->attempts[k];

		c->attempts[k] = c->attempts[i - 1];
		c->attempts[i - 1] = a;
	}
}

enum hd_err hd_check_candidates(struct hd_campaign *c)
{
	for (size_t i = 0; i < c->nobservations; i++) {
		struct hd_observation *o = &c->observations[i];
		enum hd_err rc;

		hd_progress_show("heddle: analysing run %zu of %zu", i + 1, c->nobservations);
		rc = c->units ? look_for_units(c, o) : analyse(c, o);
		if (rc != HD_OK)
			return rc;
		for (size_t k = 0; k < o->candidates.n; k++) {
			const struct hd_candidate *new = &o->candidates.list[k];

			if (i && is_listed(c, new))
				continue;
			if (!HD_ROOM(c->attempts, c->attempts_room, c->nattempts + 1))
				return hd_error(HD_ERR_NOMEM, "out of memory");
			c->attempts[c->nattempts++] =
				(struct hd_attempt){ .from = o, .candidate = new };
		}
	}
	c->analysed = true;
	if (c->nattempts)
		qsort(c->attempts, c->nattempts, sizeof(*c->attempts), by_score);
	if (c->config->shuffle)
		shuffle(c);
	hd_check_deal_out(c);
	return HD_OK;
}
