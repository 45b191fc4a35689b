/*
 * What was found, as findings of one report: those of the observed runs, what became of the
 * candidates, and the runs that show them.
 */
#include "campaign.h"

#include <stdlib.h>
#include <string.h>

#include "sites.h"
#include "findings/goal_seen.h"
#include "findings/marks.h"
#include "report/fingerprint.h"
#include "report/found_model.h"
#include "common/listener.h"

static enum hd_err no_memory(void)
{
	return hd_error(HD_ERR_NOMEM, "out of memory");
}

static struct hd_run *main_run(struct hd_campaign *c)
{
	return &c->observations[0].trial->run;
}

/* ---- one finding ---------------------------------------------------------------------------- */

/* Three accesses or more, as they come in other runs, too. */
static bool is_found_by_places(const struct hd_found *found)
{
	return hd_found_is_pattern(found) || found->kind == HD_KIND_ORDER;
}

void hd_campaign_note_missing(struct hd_finding *f, const struct hd_found *wanted)
{
	const struct hd_found_access *last = &wanted->accesses[wanted->naccesses - 1];

	if (f->naccesses + 1 == wanted->naccesses &&
	    last->event.thread == wanted->accesses[0].event.thread)
		f->missing = last->event.pc;
}

/* Fields that only `check` knows. */
static bool adorn(struct hd_finding *f, const struct hd_attempt *a, const struct hd_witness *w)
{
	const struct hd_found *wanted = &a->candidate->found;

	f->certainty.verdict = a->verdict;
	f->certainty.candidate =
		a->verdict != HD_VERDICT_CONFIRMED && a->verdict != HD_VERDICT_PREDICTED && !w;
	if (!f->why && *a->why && !(f->why = strdup(a->why)))
		return false;
	if (!w)
		return true;
	if (a->shown == f && is_found_by_places(wanted))
		hd_campaign_note_missing(f, wanted);
	if (w->failure.what != HD_FAIL_NONE && !(f->witness.outcome = strdup(w->failure.words)))
		return false;
	if (w->remedy.text && !(f->remedy.text = strdup(w->remedy.text)))
		return false;
	f->remedy.found = w->remedy.found;
	f->remedy.schedules = w->remedy.schedules;
	f->witness.word = w->failure.what != HD_FAIL_NONE ? hd_failure_word(&w->failure) : NULL;
	f->witness.schedule = w->file ? strdup(w->file) : NULL;
	f->witness.replay = w->replay ? strdup(w->replay) : NULL;
	return (!w->file || f->witness.schedule) && (!w->replay || f->witness.replay);
}

/* The run again from its trace, with @found in it. HD_OK and NULL: it is not in it. */
static enum hd_err read_with(struct hd_trial *t, const struct hd_found *found,
			     struct hd_finding **out, struct hd_errbuf *eb)
{
	struct hd_run *run = &t->run;
	size_t before;
	enum hd_err err;

	hd_run_free(run);
	err = hd_run_read(run, t->trace, NULL, NULL, eb);
	before = run->nfindings;
	if (!err)
		err = hd_run_add_found(run, found);
	if (!err)
		err = hd_run_complete(run, eb);
	*out = !err && run->nfindings > before ? &run->findings[run->nfindings - 1] : NULL;
	return err;
}

enum hd_err hd_campaign_find(const struct hd_found *wanted, struct hd_trial *t,
			     struct hd_finding **out, struct hd_errbuf *eb)
{
	struct hd_sites sites;
	bool found;
	enum hd_err err = hd_sites_find(&sites, t->trace, wanted, &found, eb);

	*out = NULL;
	if (!err && found)
		err = read_with(t, &sites.found, out, eb);
	hd_sites_free(&sites);
	return err;
}

/* A goal in the run that was led there, with its events if the run shows them. */
static enum hd_err goal_in(const struct hd_found *wanted, struct hd_trial *t,
			   struct hd_finding **out, struct hd_errbuf *eb)
{
	struct hd_found_access accesses[HD_GOAL_ACCESSES];
	struct hd_found found = *wanted;
	struct hd_goal events;
	bool seen;
	enum hd_err err = hd_goal_seen(wanted->goal, &t->run, &events, &seen, eb);

	found.accesses = accesses;
	found.naccesses = 0;
	if (!err && seen)
		err = hd_goal_accesses(&events, &t->run, accesses, &found.naccesses, eb);
	return err ? err : read_with(t, &found, out, eb);
}

/* The same of a race, in which either access may be the first. */
static enum hd_err race_in(const struct hd_found *wanted, struct hd_trial *t,
			   struct hd_finding **out, struct hd_errbuf *eb)
{
	enum hd_err err = hd_campaign_find(wanted, t, out, eb);
	struct hd_found turned = *wanted;
	struct hd_found_access two[2];

	if (err || *out || wanted->naccesses != 2)
		return err;
	for (size_t i = 0; i < 2; i++) {
		two[i] = wanted->accesses[1 - i];
		two[i].role = wanted->accesses[i].role;
	}
	turned.accesses = two;
	return hd_campaign_find(&turned, t, out, eb);
}

/* Is @f how a run failed, as @failure says? Of a variable's races it is that one. */
static bool is_that(const struct hd_finding *f, const struct hd_failure *failure)
{
	char key[17];

	if (strcmp(f->identity.id, failure->id) != 0)
		return false;
	hd_fault_key(f, key);
	return f->kind != HD_KIND_RACE || !strcmp(key, failure->place);
}

/* What the run itself found that the witness is about: the deadlock, the race. */
static struct hd_finding *own_finding(struct hd_trial *t, const struct hd_failure *failure)
{
	for (size_t i = 0; i < t->run.nfindings; i++) {
		if (hd_finding_is_fault(&t->run.findings[i]) &&
		    is_that(&t->run.findings[i], failure))
			return &t->run.findings[i];
	}
	return NULL;
}

/* The candidate as it was observed, in no other run. */
static enum hd_err add_plain(struct hd_campaign *c, struct hd_attempt *a,
			     const struct hd_witness *w)
{
	struct hd_run *run = &a->from->trial->run;
	size_t before = run->nfindings;
	enum hd_err err = hd_run_add_found(run, &a->candidate->found);

	if (!err && run->nfindings > before && !adorn(&run->findings[before], a, w))
		err = HD_ERR_NOMEM;
	return err;
}

static const char *file_word(const struct hd_attempt *a)
{
	return hd_kind_word(a->candidate->found.kind);
}

/* For `heddle replay --gdb`. The run is saved without them, too, so an error is only told. */
static enum hd_err save_marks(const char *file, const struct hd_finding *f)
{
	struct hd_marks marks;
	enum hd_err err = hd_marks_of(&marks, f);

	if (err == HD_ERR_NOMEM)
		return no_memory();
	if (hd_marks_save(&marks, file) != HD_OK)
		hd_warn("the marks of '%s' could not be written", file);
	hd_marks_free(&marks);
	return HD_OK;
}

enum hd_err hd_campaign_save_finding(struct hd_campaign *c, struct hd_witness *w, const char *word,
				     const struct hd_finding *f, const char *name,
				     const struct hd_run *run)
{
	char id[17];
	enum hd_err rc;

	if (w->replay)
		return HD_OK;
	hd_fingerprint(hd_finding_run(run, f), f, id);
	id[8] = 0; /* enough for a name */
	rc = hd_campaign_save(c, w, word, name ? name : id);
	if (rc == HD_OK && w->file)
		rc = save_marks(w->file, f);
	if (rc == HD_OK && w->file && !c->saved && !(c->saved = strdup(w->file)))
		rc = no_memory();
	return rc;
}

/* An attempt that has a witness: find it in that run, and give it a file. */
static enum hd_err prepare_witness(struct hd_campaign *c, struct hd_attempt *a)
{
	struct hd_witness *w = &a->witness;
	const struct hd_finding none = { .kind = HD_KIND_ATOMICITY };
	char number[17];
	const struct hd_found *found = &a->candidate->found;
	struct hd_errbuf eb = { 0 };
	enum hd_err err = HD_OK;

	if (found->kind == HD_KIND_GOAL)
		err = goal_in(found, w->trial, &a->shown, &eb);
	else if (is_found_by_places(found))
		err = hd_campaign_find(found, w->trial, &a->shown, &eb);
	else
		a->shown = own_finding(w->trial, &w->failure);
	/* A race of tasks that the run did not see itself. */
	if (!a->shown && !is_found_by_places(found) && found->kind != HD_KIND_LOCK_ORDER &&
	    found->kind != HD_KIND_GOAL)
		err = race_in(found, w->trial, &a->shown, &eb);
	if (err)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	if (a->shown)
		return hd_campaign_save_finding(c, w, file_word(a), a->shown, NULL, &w->trial->run);
	snprintf(number, sizeof(number), "%08zx", (size_t)(a - c->attempts));
	return hd_campaign_save_finding(c, w, file_word(a), &none, number, &w->trial->run);
}

/* ---- all of them ------------------------------------------------------------------------------ */

/* Came about, in a block or group that was declared: a finding even without failure. */
static bool is_finding(const struct hd_attempt *a)
{
	return a->verdict == HD_VERDICT_REALISED && a->realising;
}

static enum hd_err add_attempts(struct hd_campaign *c)
{
	for (size_t i = 0; i < c->nattempts; i++) {
		struct hd_attempt *a = &c->attempts[i];
		enum hd_err rc = HD_OK;

		if (is_finding(a)) {
			a->witness.trial = a->realising;
			a->realising = NULL;
		}
		if (a->witness.trial)
			rc = prepare_witness(c, a);
		if (rc == HD_OK && !a->shown &&
		    add_plain(c, a, a->witness.trial ? &a->witness : NULL) != HD_OK)
			rc = no_memory();
		if (rc != HD_OK)
			return rc;
	}
	return HD_OK;
}

/* Only what is complete may be listed elsewhere. */
static enum hd_err adopt_witnesses(struct hd_campaign *c)
{
	for (size_t i = 0; i < c->nattempts; i++) {
		struct hd_attempt *a = &c->attempts[i];

		if (a->shown && (!adorn(a->shown, a, &a->witness) ||
				 !hd_run_adopt(main_run(c), &a->witness.trial->run, a->shown)))
			return no_memory();
	}
	return HD_OK;
}

static bool is_confirmed_failure(const struct hd_campaign *c, const struct hd_finding *f)
{
	char place[17];

	hd_failure_place(f, place);
	for (size_t i = 0; i < c->nattempts; i++) {
		const struct hd_attempt *a = &c->attempts[i];

		if (a->verdict == HD_VERDICT_CONFIRMED &&
		    (is_that(f, &a->witness.failure) || !strcmp(a->witness.failure.place, place)))
			return true;
	}
	return false;
}

/* Does the report list it already, from another run? *@namesakes: those with its fingerprint. */
static bool is_listed(const struct hd_run *to, const struct hd_finding *f, size_t *namesakes)
{
	char key[17], other[17];

	*namesakes = 0;
	hd_fault_key(f, key);
	for (size_t i = 0; i < to->nfindings; i++) {
		const struct hd_finding *g = &to->findings[i];

		if (!g->witness.replay || strcmp(g->identity.id, f->identity.id))
			continue;
		hd_fault_key(g, other);
		if (!strcmp(key, other))
			return true;
		++*namesakes;
	}
	return false;
}

static void note_children(struct hd_campaign *c, const struct hd_child_runs *children)
{
	for (size_t i = 0; i < children->nnotes; i++) {
		bool again = false;

		for (size_t k = 0; k < c->nnotes; k++)
			again |= !strcmp(c->notes[k], children->notes[i]);
		if (!again)
			hd_campaign_note(c, "%s", children->notes[i]);
	}
}

enum hd_err hd_campaign_adopt_run(struct hd_campaign *c, struct hd_witness *w)
{
	struct hd_run *run = &w->trial->run;
	struct hd_run *to = main_run(c);
	size_t n;

	if (!hd_child_runs_adopt(&w->trial->children, run))
		return no_memory();
	note_children(c, &w->trial->children);
	n = run->nfindings;
	for (size_t i = 0; i < n; i++) {
		struct hd_finding *f = &run->findings[i];
		size_t namesakes = 0;
		char name[32];
		enum hd_err rc;

		if (!hd_finding_is_fault(f) || f->certainty.verdict ||
		    (hd_campaign_is_stalled(c, w->trial) && !hd_finding_has_accesses(f)))
			continue;
		hd_fingerprint(hd_finding_run(run, f), f, f->identity.id);
		if (run != to && (is_confirmed_failure(c, f) || is_listed(to, f, &namesakes)))
			continue;
		snprintf(name, sizeof(name), "%.8s-%zu", f->identity.id, namesakes + 1);
		rc = hd_campaign_save_finding(c, w, hd_kind_word(f->kind), f,
					      namesakes ? name : NULL, run);
		if (rc != HD_OK)
			return rc;
		f->witness.schedule = w->file ? strdup(w->file) : NULL;
		f->witness.replay = strdup(w->replay);
		if ((w->file && !f->witness.schedule) || !f->witness.replay ||
		    (run != to && !hd_run_adopt(to, run, f)))
			return no_memory();
	}
	return HD_OK;
}

/* Candidates and the rest of the other observations. */
static enum hd_err adopt_observation(struct hd_campaign *c, struct hd_observation *o)
{
	struct hd_witness w = { .trial = o->trial };
	struct hd_run *run = &o->trial->run;
	enum hd_err rc = hd_campaign_adopt_run(c, &w);

	free(w.file);
	free(w.replay);
	for (size_t i = 0; i < run->nfindings && rc == HD_OK && run != main_run(c); i++) {
		struct hd_finding *f = &run->findings[i];

		if (f->certainty.verdict || f->certainty.candidate) {
			if (!hd_run_adopt(main_run(c), run, f))
				rc = no_memory();
		}
	}
	return rc;
}

/* How a program ends when nothing interferes has nothing to do with schedules. */
static bool tell_orderly_exit(struct hd_campaign *c)
{
	struct hd_run *run = main_run(c);
	char *why;

	for (size_t i = 0; i < run->nfindings && c->begins_orderly; i++) {
		struct hd_finding *f = &run->findings[i];

		if (f->kind != HD_KIND_EXIT)
			continue;
		if (asprintf(
			    &why,
			    "it also does in an orderly run, in which each thread runs until it waits; "
			    "--expect-exit %llu accepts it",
			    (unsigned long long)f->value) < 0)
			return false;
		free(f->why);
		f->why = why;
	}
	return true;
}

enum hd_err hd_campaign_conclude(struct hd_campaign *c)
{
	struct hd_errbuf eb = { 0 };
	enum hd_err rc = add_attempts(c);

	/* Without analysis the runs are complete as they were read. */
	for (size_t i = 0; i < c->nobservations && rc == HD_OK && c->analysed; i++) {
		if (hd_run_complete(&c->observations[i].trial->run, &eb) != HD_OK)
			rc = hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	}
	if (rc == HD_OK && !tell_orderly_exit(c))
		rc = no_memory();
	if (rc == HD_OK)
		rc = adopt_witnesses(c);
	for (size_t i = 0; i < c->nobservations && rc == HD_OK; i++)
		rc = adopt_observation(c, &c->observations[i]);
	for (size_t i = 0; i < c->nextra && rc == HD_OK; i++)
		rc = hd_campaign_adopt_run(c, &c->extra[i]);
	return rc;
}
