/*
 * What would mend a finding, tried by running: the runtime holds a lock for the program from one place to
 * another (runtime/sync/sections.h), in the run that failed and in others that choose at random.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

#include "common/listener.h"
#include "mender.h"

#define FINDINGS 4u /* that a remedy is looked for, at most */

static struct hd_run *report_of(struct hd_campaign *c)
{
	return &c->observations[0].trial->run;
}

/* The run that shows it, with how it fails; a failure of its own where nobody has noted it. */
static bool find_witness(struct hd_mender *r, struct hd_witness *seen)
{
	struct hd_campaign *c = r->c;

	for (size_t i = 0; i < c->nattempts + c->nharm + c->nextra; i++) {
		const struct hd_witness *w = i < c->nattempts ? &c->attempts[i].witness
					     : i - c->nattempts < c->nharm
						     ? &c->harm[i - c->nattempts]
						     : &c->extra[i - c->nattempts - c->nharm];

		if (!w->trial || &w->trial->run != r->run)
			continue;
		*seen = *w;
		r->witness = w->failure.what == HD_FAIL_NONE ? seen : w;
	}
	for (size_t i = 0; i < c->nobservations && !r->witness; i++) {
		if (&c->observations[i].trial->run != r->run)
			continue;
		*seen = (struct hd_witness){ .trial = c->observations[i].trial };
		r->witness = seen;
	}
	if (r->witness == seen)
		seen->failure = hd_trial_failure(seen->trial, false);
	return r->witness && r->witness->trial->trace && r->witness->failure.what != HD_FAIL_NONE;
}

/* Accesses of which an order fails, or locks that wait for each other. */
static bool can_be_mended(const struct hd_finding *f)
{
	if (f->certainty.candidate || f->remedy.text || f->kind == HD_KIND_GOAL)
		return false;
	if (f->kind == HD_KIND_DEADLOCK)
		return hd_is_cycle_of_locks(f);
	if (f->kind == HD_KIND_RACE)
		return f->consequence.harm == HD_HARM_FAILS && f->naccesses == 2;
	if (f->certainty.verdict != HD_VERDICT_CONFIRMED || !hd_finding_has_accesses(f) ||
	    !f->witness.outcome || f->naccesses < 2)
		return false;
	return f->missing ||
	       (f->naccesses >= 3 &&
		f->accesses[0].event.thread == f->accesses[f->naccesses - 1].event.thread);
}

static enum hd_err mend(struct hd_mender *r)
{
	struct hd_errbuf eb = { 0 };
	enum hd_err rc;

	if (hd_schedule_segments(r->witness->trial->trace, &r->schedule, &eb) != HD_OK)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	if (r->f->kind == HD_KIND_DEADLOCK)
		return hd_mend_order(r);
	rc = hd_mender_look(r);
	if (rc != HD_OK)
		return rc;
	if (hd_mend_wait(r))
		return hd_mender_tell(r, hd_put_waiting_again);
	return r->rc == HD_OK ? hd_mend_accesses(r) : r->rc;
}

static void free_mender(struct hd_mender *r)
{
	hd_normal_free(&r->normal);
	hd_segments_free(&r->schedule);
	hd_map_free(&r->users);
	hd_map_free(&r->tried);
	free(r->held);
}

enum hd_err hd_check_prevented(struct hd_campaign *c, struct hd_witness *w,
			       const struct hd_found *wanted, bool *prevented)
{
	struct hd_mender r = { .c = c, .run = &w->trial->run, .witness = w };
	struct hd_errbuf eb = { 0 };
	enum hd_err rc;

	*prevented = false;
	if (hd_campaign_find(wanted, w->trial, &r.f, &eb) != HD_OK)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	if (!r.f)
		return HD_OK;
	hd_campaign_note_missing(r.f, wanted);
	if (r.f->naccesses < wanted->naccesses && !r.f->missing)
		return HD_OK;
	r.by_output = w->failure.what == HD_FAIL_OUTPUT || w->failure.what == HD_FAIL_ODD;
	rc = mend(&r);
	*prevented = r.f->remedy.found || (r.unrefuted && !r.by_output);
	free(w->remedy.text);
	w->remedy = r.f->remedy;
	r.f->remedy = (struct hd_remedy){ 0 };
	if (rc == HD_OK && *prevented && r.by_output) {
		hd_normal_free(&c->normal);
		c->normal = r.normal;
		r.normal = (struct hd_normal){ 0 };
		w->failure = hd_campaign_oddness(c, w->trial);
	}
	free_mender(&r);
	return rc;
}

enum hd_err hd_check_remedies(struct hd_campaign *c)
{
	struct hd_run *report = report_of(c);
	enum hd_err rc = HD_OK;
	unsigned tried = 0;

	for (size_t i = 0; i < report->nfindings && tried < FINDINGS && rc == HD_OK; i++) {
		struct hd_mender r = { .c = c, .f = &report->findings[i] };
		struct hd_witness seen = { 0 };

		if (c->out_of_time || c->interrupted || c->out_of_memory || c->first_unfinished)
			break;
		r.run = hd_finding_run(report, r.f);
		if (!can_be_mended(r.f) || r.run->process[0] || !find_witness(&r, &seen))
			continue;
		if (hd_progress_due())
			hd_progress_show("heddle: what would mend finding %zu of %zu", i + 1,
					 report->nfindings);
		tried++;
		rc = mend(&r);
		free_mender(&r);
	}
	return rc;
}
