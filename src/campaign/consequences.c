/*
 * What a race does: its two accesses are run in both orders, from where both are about to happen and
 * with the same continuation, so that nothing but their order differs. If one order fails and the
 * other does not, that order is to blame.
 */
#include "campaign.h"

#include <stdlib.h>
#include <string.h>

#include "end_values.h"
#include "sites.h"
#include "common/array.h"
#include "common/listener.h"
#include "common/map.h"
#include "report/explain.h"
#include "report/fingerprint.h"

#define ORDERS 4u   /* who is first, and who goes on from there */
#define PAIRS  4u   /* of one variable that are tried, at most */
#define QUICK  1.0  /* seconds for a prediction */
#define SPEND  10.0 /* seconds for all of this, or as long as everything before took */

/* A race of the report, and the run that it was seen in. */
struct race {
	struct hd_campaign *c;
	size_t finding; /* of the first observation's run, which lists all of them */
	uint64_t subject;
	struct hd_map *tried; /* subject -> how many pairs */
	struct hd_trial *seen;
	struct hd_predictor *by;
	struct hd_plan plans[2]; /* the first access first, the second first */
	bool planned;
	bool fixed; /* proved: the second cannot come first */
	char after[2][24];
	struct hd_trial *ran[ORDERS]; /* those that got there; NULL: not */
	struct hd_failure failure[ORDERS];
	bool cut[ORDERS];     /* it failed between the two accesses */
	bool unusual[ORDERS]; /* orderly runs do not fail so */
	unsigned reached;     /* how many of them can be compared */
	enum hd_err rc;
};

static struct hd_run *report_of(struct hd_campaign *c)
{
	return &c->observations[0].trial->run;
}

static struct hd_finding *finding_of(const struct race *r)
{
	return &report_of(r->c)->findings[r->finding];
}

/* ---- both orders --------------------------------------------------------------------------- */

/* The trial whose run @run is; NULL: it is not there any more. *@by: what predicts from it. */
static struct hd_trial *trial_of(struct hd_campaign *c, const struct hd_run *run,
				 struct hd_predictor **by)
{
	*by = NULL;
	for (size_t i = 0; i < c->nobservations; i++) {
		if (&c->observations[i].trial->run != run)
			continue;
		*by = &c->observations[i].predictor;
		return c->observations[i].trial;
	}
	for (size_t i = 0; i < c->nextra; i++) {
		if (&c->extra[i].trial->run == run)
			return c->extra[i].trial;
	}
	for (size_t i = 0; i < c->nattempts; i++) {
		struct hd_trial *t = c->attempts[i].witness.trial;

		if (t && &t->run == run)
			return t;
	}
	return NULL;
}

/* The plan ends where both are next: now they happen, in this order, whatever they see. */
static enum hd_err order_plan(struct race *r, const struct hd_goal *goal,
			      const struct hd_prediction *p, struct hd_predictor *by, int turned,
			      struct hd_errbuf *eb)
{
	struct hd_plan *plan = &r->plans[turned];
	enum hd_err err = hd_predictor_plan(by, goal, p, plan, eb);
	struct hd_plan_entry *last, first;

	if (err)
		return err;
	last = &plan->entries[plan->n - 2];
	first = last[0];
	if (turned) {
		last[0] = last[1];
		last[1] = first;
	}
	last[0].flags = last[1].flags = HD_PLAN_GOAL | HD_PLAN_FREE;
	return HD_OK;
}

static enum hd_err plan_with(struct race *r, struct hd_predictor *by, struct hd_errbuf *eb)
{
	const struct hd_predict_options options = { .relaxed = true, .seconds = QUICK };
	const struct hd_access *a = finding_of(r)->accesses;
	const struct hd_goal goal = { .next = { a[0].index, a[1].index }, .nnext = 2 };
	struct hd_prediction p;
	size_t chosen;
	enum hd_err err;

	by->trace = r->seen->trace;
	err = hd_predictor_decide(by, &goal, 1, &options, &p, &chosen, eb);
	if (err)
		return err == HD_ERR_STOPPED || err == HD_ERR_INVALID ? HD_OK : err;
	for (int i = 0; i < 2 && !err && p.scheduled; i++)
		err = order_plan(r, &goal, &p, by, i, eb);
	r->planned = !err && p.scheduled;
	r->fixed = p.decision == HD_DECISION_INFEASIBLE;
	hd_prediction_free(&p);
	for (int i = 0; i < 2; i++)
		snprintf(r->after[i], sizeof(r->after[i]), "first:T%u", a[i].event.thread);
	return err;
}

static enum hd_err plan_orders(struct race *r)
{
	struct hd_predictor own = { 0 };
	struct hd_errbuf eb = { 0 };
	enum hd_err err = plan_with(r, r->by ? r->by : &own, &eb);

	hd_predictor_free(&own);
	return err ? hd_error(HD_ERR_SYSTEM, "%s", eb.text) : HD_OK;
}

static bool order_next(void *arg, size_t i, struct hd_trial *t)
{
	struct race *r = arg;

	if (i == ORDERS)
		return false;
	*t = hd_campaign_fine_trial(r->c);
	t->follow = HD_POLICY_PLAN;
	t->plan = &r->plans[i % 2];
	t->after = r->after[i / 2];
	return true;
}

/* The run followed the plan, but failed when the first of the two accesses had happened. */
static bool is_cut(const struct hd_trial *t)
{
	const struct hd_finding *left = hd_run_divergence(&t->run);

	return left && left->divergence.why == HD_DIVERGED_PROGRAM_ENDED &&
	       left->value == t->plan->n - 1 && hd_trial_failure(t, true).what != HD_FAIL_NONE;
}

static bool order_take(void *arg, size_t i, struct hd_trial *t)
{
	struct race *r = arg;

	r->c->executions++;
	if (!t->trace || t->timed_out || t->run.assumed || hd_campaign_is_stalled(r->c, t))
		return true;
	r->cut[i] = !t->run.goal;
	if (r->cut[i] && !is_cut(t))
		return true;
	/* What orderly runs show, too, is a consequence, if only one of the orders has it. */
	if (r->c->normal.runs)
		r->failure[i] = hd_campaign_failure(r->c, t);
	r->unusual[i] = r->failure[i].what != HD_FAIL_NONE;
	if (!r->unusual[i])
		r->failure[i] = hd_trial_failure(t, !r->c->normal.runs);
	r->ran[i] = hd_trial_keep(t);
	if (!r->ran[i])
		r->rc = hd_error(HD_ERR_NOMEM, "out of memory");
	return r->rc == HD_OK;
}

/* ---- what they did -------------------------------------------------------------------------- */

/* Both went on in the same way: the one that fails while the other does not, or not so; -1: none. */
static int decided_by_order(const struct race *r, bool *both)
{
	int worst = -1;

	*both = false;
	for (unsigned i = 0; i < ORDERS; i++) {
		unsigned k = i ^ 1;

		if (!r->ran[i] || r->failure[i].what == HD_FAIL_NONE)
			continue;
		if (r->ran[k] && hd_same_failure(&r->failure[i], &r->failure[k])) {
			*both |= r->unusual[i];
			worst = worst < 0 && r->unusual[i] ? (int)i : worst;
		} else if (r->ran[k]) {
			*both = false;
			return (int)i;
		}
	}
	return worst;
}

static bool set_consequence(struct hd_finding *f, enum hd_harm harm, const char *word,
			    unsigned orders, char *text)
{
	free(f->consequence.text);
	f->consequence = (struct hd_consequence){
		.harm = harm, .word = word, .orders = orders, .text = text
	};
	return text != NULL;
}

/* How it fails in all of them, whatever the order; NULL: in some it does not. */
static const char *fails_anyway(const struct race *r)
{
	const char *words = NULL;

	for (unsigned i = 0; i < ORDERS; i++) {
		if (!r->ran[i])
			continue;
		if (r->failure[i].what == HD_FAIL_NONE)
			return NULL;
		words = r->failure[i].words;
	}
	return words;
}

static char *difference_text(const struct race *r, const char *words)
{
	const char *anyway = fails_anyway(r);
	char *text;

	if (!anyway)
		return strdup(words);
	return asprintf(&text, "%s, and it fails in either order: %s", words, anyway) < 0 ? NULL
											  : text;
}

/* No order is to blame for a failure: by what do they differ? */
static bool tell_difference(struct race *r)
{
	struct hd_finding *f = finding_of(r);
	struct hd_apart apart = { .addr = f->location.addr, .size = f->location.size };
	char words[400];

	for (int i = 0; i < 2; i++) {
		apart.pc[i] = f->accesses[i].event.pc;
		apart.op[i] = f->accesses[i].event.op;
	}
	for (unsigned i = 0; i < ORDERS; i += 2) {
		if (r->ran[i] && r->ran[i + 1] &&
		    hd_ended_apart(r->ran[i], r->ran[i + 1], &apart, words, sizeof(words)))
			return set_consequence(f, HD_HARM_VALUES, "values", r->reached,
					       difference_text(r, words));
	}
	return set_consequence(f, HD_HARM_NONE, "none", r->reached, strdup(""));
}

static bool tell_untried(struct hd_finding *f, const char *why)
{
	return set_consequence(f, HD_HARM_UNKNOWN, "unknown", 0, strdup(why));
}

/* ---- the one that fails ---------------------------------------------------------------------- */

/* The two accesses in the order that fails, as a thing to look for in other runs. */
static struct hd_found wanted_of(const struct race *r, int way, struct hd_found_access two[2])
{
	const struct hd_finding *f = finding_of(r);

	for (int i = 0; i < 2; i++)
		two[i] = (struct hd_found_access){
			.role = i ? "second" : "first",
			.index = f->accesses[i ^ (way & 1)].index,
			.event = f->accesses[i ^ (way & 1)].event,
		};
	return (struct hd_found){ .kind = HD_KIND_RACE,
				  .addr = f->location.addr,
				  .size = f->location.size,
				  .group = -1,
				  .accesses = two,
				  .naccesses = 2 };
}

/* In the words of the run that @shown is of, whose accesses are in the order that fails. */
static char *outcome_text(const struct hd_finding *shown, const struct hd_failure *failure,
			  bool both)
{
	const struct hd_event *a = &shown->accesses[0].event, *b = &shown->accesses[1].event;
	char *text;
	int n;

	if (both)
		n = asprintf(&text, "%s, whichever of the two comes first", failure->words);
	else
		n = asprintf(&text, "%s, if the %s by T%u comes before the %s by T%u",
			     failure->words, hd_access_word(a), a->thread, hd_access_word(b),
			     b->thread);
	return n < 0 ? NULL : text;
}

static bool tell_run(struct hd_finding *f, const struct hd_witness *w)
{
	f->witness.outcome = strdup(w->failure.words);
	f->witness.word = hd_failure_word(&w->failure);
	f->witness.schedule = w->file ? strdup(w->file) : NULL;
	f->witness.replay = strdup(w->replay);
	return f->witness.outcome && (!w->file || f->witness.schedule) && f->witness.replay;
}

/* The finding as the run of @w shows it takes the place of the observed one. */
static bool replace(struct race *r, struct hd_finding *shown, const struct hd_witness *w)
{
	struct hd_finding *f = finding_of(r), was = *f;

	*f = *shown;
	*shown = (struct hd_finding){ .location.group = -1, .moment.index = HD_NO_INDEX };
	f->home = &w->trial->run;
	f->certainty = was.certainty;
	f->merged = was.merged;
	f->consequence = was.consequence;
	was.consequence.text = NULL;
	hd_finding_clear(&was);
	return tell_run(f, w);
}

/* The witness as a finding of its run: how it fails, the file that shows it. */
static enum hd_err show(struct race *r, struct hd_witness *w, const struct hd_found *wanted,
			bool both)
{
	const char *word = hd_failure_word(&w->failure);
	struct hd_errbuf eb = { 0 };
	struct hd_finding *shown;
	char id[17], name[48];
	enum hd_err rc;

	if (hd_campaign_find(wanted, w->trial, &shown, &eb) != HD_OK)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	if (!shown || shown->naccesses != 2)
		return tell_untried(finding_of(r), "the run that failed does not show the accesses")
			       ? HD_OK
			       : hd_error(HD_ERR_NOMEM, "out of memory");
	hd_fingerprint(&w->trial->run, shown, id);
	snprintf(name, sizeof(name), "%.8s-%s", id, word);
	rc = hd_campaign_save_finding(r->c, w, "race", shown, name, &w->trial->run);
	if (rc == HD_OK && (!set_consequence(finding_of(r), HD_HARM_FAILS, word, r->reached,
					     outcome_text(shown, &w->failure, both)) ||
			    !replace(r, shown, w)))
		rc = hd_error(HD_ERR_NOMEM, "out of memory");
	return rc;
}

/* Does the run show the second access before the first one? */
static bool shows_turned(struct hd_trial *t, const struct hd_found *wanted)
{
	struct hd_found_access two[2] = { wanted->accesses[1], wanted->accesses[0] };
	struct hd_found turned = *wanted;
	struct hd_errbuf eb = { 0 };
	struct hd_sites sites;
	bool found;
	bool ok;

	turned.accesses = two;
	ok = hd_sites_find(&sites, t->trace, &turned, &found, &eb) == HD_OK;
	hd_sites_free(&sites);
	return !ok || found;
}

/* The run has only the first access, and by it fails before the second can come. */
static char *cut_text(const struct race *r, const struct hd_finding *shown,
		      const struct hd_failure *failure, const struct hd_event *second)
{
	const struct hd_event *first = &shown->accesses[0].event;
	const struct hd_run *run = hd_finding_run(report_of(r->c), finding_of(r));
	struct hd_frame frame;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "%s, if the %s by T%u comes before the %s", failure->words,
		hd_access_word(first), first->thread, hd_access_word(second));
	if (hd_run_frame(run, second->pc, &frame)) {
		fputs(" at ", out);
		hd_put_site(out, &frame);
	}
	fclose(out);
	return text;
}

static enum hd_err show_cut(struct race *r, struct hd_witness *w, const struct hd_found *wanted)
{
	const char *word = hd_failure_word(&w->failure);
	struct hd_found alone = *wanted;
	struct hd_errbuf eb = { 0 };
	struct hd_finding *shown;
	char id[17], name[48];
	enum hd_err rc;

	alone.naccesses = 1;
	if (hd_campaign_find(&alone, w->trial, &shown, &eb) != HD_OK)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	if (!shown || shows_turned(w->trial, wanted))
		return tell_untried(finding_of(r), "the run that failed does not show the accesses")
			       ? HD_OK
			       : hd_error(HD_ERR_NOMEM, "out of memory");
	hd_fingerprint(&w->trial->run, shown, id);
	snprintf(name, sizeof(name), "%.8s-%s", id, word);
	rc = hd_campaign_save_finding(r->c, w, "race", shown, name, &w->trial->run);
	if (rc == HD_OK &&
	    (!set_consequence(finding_of(r), HD_HARM_FAILS, word, r->reached,
			      cut_text(r, shown, &w->failure, &wanted->accesses[1].event)) ||
	     !tell_run(finding_of(r), w)))
		rc = hd_error(HD_ERR_NOMEM, "out of memory");
	return rc;
}

/*
 * Only this order fails so: what the report has of that failure is the race's doing. A search looks for
 * failures, and tells each by itself: it analyses nothing.
 */
static void claim_failure(struct race *r, const struct hd_failure *failure)
{
	struct hd_run *report = report_of(r->c);

	for (size_t i = 0; failure->what == HD_FAIL_FINDING && i < report->nfindings; i++) {
		struct hd_finding *f = &report->findings[i];
		char place[17];

		if (!hd_finding_is_failure(f) || f->certainty.candidate || f->certainty.verdict)
			continue;
		hd_failure_place(f, place);
		f->certainty.by_race |= !strcmp(place, failure->place);
	}
}

/* Order @way fails: make it a witness, as small as can be, and the finding what it shows. */
static enum hd_err tell_failure(struct race *r, int way, bool both)
{
	struct hd_campaign *c = r->c;
	struct hd_found_access two[2];
	struct hd_found wanted = wanted_of(r, way, two);
	struct hd_witness *w;
	enum hd_err rc;

	if (!HD_ROOM(c->harm, c->harm_room, c->nharm + 1))
		return hd_error(HD_ERR_NOMEM, "out of memory");
	w = &c->harm[c->nharm++];
	*w = (struct hd_witness){ .trial = r->ran[way], .failure = r->failure[way] };
	r->ran[way] = NULL;
	rc = hd_campaign_minimise(c, w, r->cut[way] ? NULL : &wanted);
	if (rc != HD_OK)
		return rc;
	if (!w->steady || (w->failure.what == HD_FAIL_OUTPUT && !w->preemptions))
		return tell_untried(finding_of(r),
				    w->steady ? "the output is unusual, but so it is in a run "
						"without preemption"
					      : "a run failed, but not when it was repeated")
			       ? HD_OK
			       : hd_error(HD_ERR_NOMEM, "out of memory");
	if (!both && c->analysed)
		claim_failure(r, &w->failure);
	return r->cut[way] ? show_cut(r, w, &wanted) : show(r, w, &wanted, both);
}

/* ---- one after the other ---------------------------------------------------------------------- */

static void free_race(struct race *r)
{
	for (unsigned i = 0; i < ORDERS; i++) {
		if (r->ran[i])
			hd_trial_free(r->ran[i]);
		free(r->ran[i]);
	}
	for (int i = 0; i < 2; i++)
		hd_plan_free(&r->plans[i]);
}

/* Runs that can be compared: with the other order and the same continuation beside them. */
static unsigned comparable(const struct race *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < ORDERS; i++)
		n += r->ran[i] && r->ran[i ^ 1];
	return n;
}

static const char *why_apart(const struct race *r)
{
	return r->fixed ? "in no order of what the run did can the second access come first, for "
			  "values that were read lead to it; with weaker memory it can"
	       : r->planned ? "the two accesses could not be brought together again"
			    : "no schedule was found in which either can come first";
}

static enum hd_err try_orders(struct race *r)
{
	struct hd_trials trials = {
		.program = &r->c->program, .arg = r, .next = order_next, .take = order_take
	};
	struct hd_finding *f;
	bool both, ok = true;
	int way;

	hd_campaign_ended_early(r->c, hd_trials_run(&trials, &r->c->pool));
	if (trials.rc != HD_OK || r->rc != HD_OK)
		return trials.rc != HD_OK ? trials.rc : r->rc;
	f = finding_of(r);
	r->reached = comparable(r);
	way = decided_by_order(r, &both);
	if (way >= 0)
		return tell_failure(r, way, both);
	if (!r->reached)
		ok = tell_untried(f, why_apart(r));
	else
		ok = tell_difference(r);
	return ok ? HD_OK : hd_error(HD_ERR_NOMEM, "out of memory");
}

static bool is_race(const struct hd_finding *f)
{
	return f->kind == HD_KIND_RACE && !f->certainty.candidate && f->naccesses == 2;
}

/* Can its accesses be found in a run, as events of two threads? */
static bool is_placed(struct race *r)
{
	const struct hd_finding *f = finding_of(r);
	const struct hd_access *a = f->accesses;
	uint32_t line;

	r->seen = trial_of(r->c, hd_finding_run(report_of(r->c), f), &r->by);
	r->subject = hd_subject_hash(hd_finding_run(report_of(r->c), f), f, &line);
	return r->seen && r->seen->trace && a[0].index != HD_NO_INDEX &&
	       a[1].index != HD_NO_INDEX && a[0].event.thread != a[1].event.thread;
}

/* Of the same variable: were enough pairs tried, or does one of them fail already? */
static bool is_settled(const struct race *r)
{
	return r->subject && hd_map_get(r->tried, r->subject) >= PAIRS;
}

/* One more pair of its variable was tried. */
static bool note_tried(const struct race *r)
{
	bool fails = finding_of(r)->consequence.harm == HD_HARM_FAILS;
	uint64_t times = fails ? PAIRS : hd_map_get(r->tried, r->subject) + 1;

	return !r->subject || hd_map_set(r->tried, r->subject, times);
}

static enum hd_err weigh(struct race *r, double until)
{
	struct hd_campaign *c = r->c;
	const char *why = NULL;
	enum hd_err rc = HD_OK;

	if (hd_finding_run(report_of(c), finding_of(r))->process[0])
		why = "it is in a child process";
	else if (!is_placed(r))
		why = "where the two accesses are in the run is not known";
	else if (is_settled(r))
		return HD_OK;
	else if (c->out_of_time || c->interrupted || c->out_of_memory)
		why = "the check was ended before";
	else if (hd_now() > until)
		why = "it would have taken too long";
	else if (c->first_unfinished)
		why = "the program does not come to an end";
	else
		rc = plan_orders(r);
	if (rc != HD_OK)
		return rc;
	if (!why && r->planned)
		return try_orders(r);
	if (!why)
		why = why_apart(r);
	if (!tell_untried(finding_of(r), why))
		return hd_error(HD_ERR_NOMEM, "out of memory");
	return HD_OK;
}

enum hd_err hd_campaign_weigh_races(struct hd_campaign *c)
{
	double took = hd_now() - c->began, until = hd_now() + (took > SPEND ? took : SPEND);
	struct hd_map tried = { 0 };
	enum hd_err rc = HD_OK;

	for (size_t i = c->weighed; i < report_of(c)->nfindings && rc == HD_OK; i++) {
		struct race r = { .c = c, .finding = i, .tried = &tried };

		c->weighed = i + 1;
		if (!is_race(&report_of(c)->findings[i]))
			continue;
		if (hd_progress_due())
			hd_progress_show("heddle: what races do, %zu of %zu findings", i + 1,
					 report_of(c)->nfindings);
		rc = weigh(&r, until);
		if (rc == HD_OK && !note_tried(&r))
			rc = hd_error(HD_ERR_NOMEM, "out of memory");
		free_race(&r);
	}
	hd_map_free(&tried);
	return rc;
}
