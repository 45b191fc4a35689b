/*
 * What became of an exploration: its faults in runs that show them, and what it proves.
 */
#include "exploration.h"

#include <stdlib.h>
#include <string.h>

#include "common/budget.h"
#include "launch/launch.h"
#include "suggest_orders.h"

/* Run 0 is the first execution, the others are those that meet faults, and then those of outcomes. */
static bool next_trial(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_exploration *x = arg;

	if (i > x->nfaults + x->outcomes.n)
		return false;
	*t = hd_campaign_trial(&x->c);
	if (!x->first) { /* no execution came to its end: what does one show that has to be ended? */
		t->run_as.policy = HD_POLICY_RANDOM;
		return i == 0;
	}
	t->follow = HD_POLICY_REPLAY;
	if (i > x->nfaults) {
		const struct hd_end *e = &x->outcomes.list[i - x->nfaults - 1];

		hd_where_put(&t->run_as, &x->wheres[e->round]);
		t->choices = e->choices;
		t->nchoices = e->nchoices;
		return true;
	}
	hd_where_put(&t->run_as, i ? &x->faults[i - 1].at : &x->first_at);
	t->choices = i ? x->faults[i - 1].choices : x->first;
	t->nchoices = i ? x->faults[i - 1].nchoices : x->nfirst;
	return true;
}

static bool run_shows(const struct hd_run *run, unsigned kind)
{
	for (size_t i = 0; i < run->nfindings; i++) {
		const struct hd_finding *f = &run->findings[i];

		if (hd_finding_is_fault(f) && !strcmp(hd_kind_word(f->kind), hd_kind_word(kind)))
			return true;
	}
	return false;
}

/* Does it show a fault of this kind, in one of its processes? */
static bool trial_shows(const struct hd_trial *t, unsigned kind)
{
	for (size_t i = 0; t->trace && i < t->children.n; i++) {
		if (run_shows(&t->children.each[i].run, kind))
			return true;
	}
	return t->trace && run_shows(&t->run, kind);
}

static bool take_trial(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_exploration *x = arg;
	bool ok = true;

	if (i > x->nfaults)
		return hd_outcome_shown(&x->outcomes, i - x->nfaults - 1, &x->c, t) == HD_OK;
	if (i > 0) {
		x->faults[i - 1].rerun = true;
		x->faults[i - 1].shown = trial_shows(t, x->faults[i - 1].what.kind);
	}
	if (!t->trace)
		return true; /* it was ended before it did anything */
	if (x->uses & HD_X_USES_REGIONS)
		ok = hd_regions_look(&x->regions, t);
	if (ok && i == 0)
		ok = hd_campaign_keep_observation(&x->c, t);
	else if (ok)
		ok = hd_campaign_keep_extra(&x->c, t);
	x->no_memory |= !ok;
	return ok;
}

/* How good the chances were to meet a bug, had there been one. */
static void tell_chances(struct hd_exploration *x)
{
	const struct hd_xstats *s = &x->stats;
	uint32_t depth = x->how.pct_depth ? x->how.pct_depth : 1;
	double one = 1.0 / (double)(s->pct_threads ? s->pct_threads : 1), none = 1;

	for (uint32_t i = 1; i < depth && s->pct_length; i++)
		one /= (double)s->pct_length;
	for (uint64_t i = 0; i < s->pct_executions && none > 1e-9; i++)
		none *= 1 - one;
	hd_campaign_note(
		&x->c,
		"pct: with %llu threads and at most %llu decisions, an execution finds a "
		"bug of depth %u with a probability of at least 1/(%llu * %llu^%u) = %.2g, one "
		"of %llu with %.2g",
		(unsigned long long)s->pct_threads, (unsigned long long)s->pct_length, depth,
		(unsigned long long)s->pct_threads, (unsigned long long)s->pct_length, depth - 1,
		one, (unsigned long long)s->pct_executions, 1 - none);
}

/* What no schedule would show; NULL: nothing. */
static const char *what_is_left_out(const struct hd_exploration *x)
{
	if (x->uses & HD_X_USES_PATIENCE)
		return "spins";
	if (x->uses & HD_X_USES_SETTLED)
		return "model";
	if (x->uses & HD_X_USES_MIXED)
		return "mixed";
	if (x->uses & HD_X_USES_UNHOOKED)
		return "unhooked";
	if (x->uses & HD_X_USES_TIMERS)
		return "timers";
	if (x->uses & HD_X_USES_SIGNALS)
		return "signals";
	if (x->uses & HD_X_USES_CANCEL)
		return "cancel";
	if (x->uses & HD_X_USES_STATES)
		return "states";
	if (x->uses & HD_X_USES_ASKS)
		return "asks";
	if (x->uses & HD_X_USES_TWICE)
		return "mappings";
	return x->uses & HD_X_USES_OUTSIDE ? "outside" : NULL;
}

/* Of the search alone. */
static const char *why_search_stopped(const struct hd_exploration *x)
{
	const struct hd_xstats *s = &x->stats;

	if (!s->complete && x->c.interrupted)
		return "interrupted";
	if (!s->complete && s->stopped)
		return s->stopped;
	if (x->sampled)
		return "sampled";
	if (!s->complete)
		return "finding";
	if (s->cut)
		return "depth";
	return what_is_left_out(x) || x->config->campaign.parts < 2 ? what_is_left_out(x) : "part";
}

const char *hd_exploration_why_stopped(const struct hd_exploration *x)
{
	return x->unshown ? "unshown" : why_search_stopped(x);
}

/* What of it was searched here. */
static void tell_part(struct hd_exploration *x)
{
	const struct hd_campaign_config *o = &x->config->campaign;

	if (!o->parts)
		return;
	x->c.part = (struct hd_report_part){ .number = o->part,
					     .of = o->parts,
					     .whole = !x->portion.dealt,
					     .split = x->portion.dealt ? x->portion.split : 0,
					     .program = hd_campaign_program(&x->c),
					     .options = o->options };
	if (x->c.part.whole && o->parts > 1)
		hd_campaign_note(&x->c,
				 "this search was not split: each of the %u parts makes all of it",
				 o->parts);
}

static bool is_proof(const struct hd_exploration *x)
{
	return !hd_exploration_why_stopped(x);
}

#define LONG 100 /* decisions: dpor, which begins with the last, will hardly come to the first */

static void sum_up_sample(struct hd_exploration *x)
{
	hd_campaign_note(
		&x->c,
		"the program does not do the same under the same schedule (it waits for input, a "
		"client or another process), so its schedules cannot be explored: it was "
		"run in %llu random orders instead, and nothing is proved",
		(unsigned long long)x->sampled);
}

/* What the search has covered, by enum hd_model. */
static const char *const rules[] = { "sequential consistency", "the memory model of C11",
				     "the memory model of x86 (TSO)" };

void hd_exploration_tell_proof(const struct hd_exploration *x, struct hd_campaign *to)
{
	const char *files =
		x->uses & HD_X_USES_FILES ? "; orders in which threads use files: not tried" : "";
	const char *atomic = x->c.base.volatiles ? "; volatile accesses: taken for atomic" : "";
	const char *fails =
		x->uses & HD_X_USES_FAILS_ONCE
			? "; weak compare-exchanges that fail for no reason: once in a row"
			: "";
	const char *adds =
		x->c.base.commute && x->c.base.model == HD_MODEL_SC && (x->uses & HD_X_USES_ADDS)
			? "; atomic additions whose results nobody uses: in one order"
			: "";
	const char *equal =
		x->c.base.symmetry && x->c.base.model == HD_MODEL_SC &&
				x->how.strategy == HD_X_DPOR && (x->uses & HD_X_USES_EQUAL)
			? "; threads that begin alike: not told apart, wherever their stacks are"
			: "";
	const struct hd_campaign_config *o = &x->config->campaign;
	char bound[80] = "that matters", assumed[80] = "", what[64] = "complete";

	if (x->how.strategy == HD_X_BOUNDED)
		snprintf(bound, sizeof(bound), "with at most %u preemptions", x->how.preemptions);
	if (x->stats.assumed)
		snprintf(assumed, sizeof(assumed),
			 "; not of interest, as an assumption does not hold: %llu",
			 (unsigned long long)x->stats.assumed);
	if (o->parts > 1) /* alone it proves nothing */
		snprintf(what, sizeof(what), "part %u of %u is complete", o->part, o->parts);
	hd_campaign_note(to,
			 "%s: every schedule %s%s was tried, for this input, under %s, with "
			 "times at any moment; code without hooks: none%s%s%s%s%s%s",
			 what, o->parts > 1 ? "in it " : "", bound,
			 rules[x->config->campaign.run.model], files, assumed, atomic, fails, adds,
			 equal);
	if (x->config->campaign.run.model == HD_MODEL_SC && (x->uses & HD_X_USES_WEAK))
		hd_campaign_note(
			to,
			"the program has atomic operations weaker than seq_cst, or that may fail: "
			"--model c11 explores what C11 allows for them");
	if (x->config->campaign.run.model == HD_MODEL_SC && x->c.base.volatiles)
		hd_campaign_note(to,
				 "volatile accesses were in one order of everything: --model tso "
				 "explores what the store buffers of x86 allow for them");
}

static void tell_unhooked(struct hd_campaign *c)
{
	char *names = NULL;
	size_t len;
	FILE *out = open_memstream(&names, &len);

	if (out)
		hd_put_unhooked(out, &c->observations[0].trial->run.unhooked);
	if (out && fclose(out) == 0)
		hd_campaign_note(
			c,
			"not a proof: code without hooks may have been given shared memory, and what "
			"it does there is not seen%s",
			names);
	free(names);
}

/* Faults that were met, and of which nothing else is told. */
static void tell_unshown(struct hd_exploration *x)
{
	char text[400] = "";
	size_t len = 0;

	for (size_t i = 0; i < x->nfaults && len < sizeof(text); i++) {
		const struct hd_fault *f = &x->faults[i];

		if (!f->shown)
			len += (size_t)snprintf(
				text + len, sizeof(text) - len, "%s%s in execution %llu%s",
				len ? "; " : "", hd_kind_word(f->what.kind),
				(unsigned long long)f->number, f->rerun ? "" : " (not run again)");
	}
	if (len)
		hd_campaign_note(&x->c, "met, but not shown by the runs for the report: %s", text);
}

static void tell_no_proof(struct hd_exploration *x, const char *why)
{
	if (!strcmp(why, "part"))
		hd_exploration_tell_proof(x, &x->c);
	else if (!strcmp(why, "spins"))
		hd_campaign_note(&x->c,
				 "not a proof: a thread waits in a loop that is not the same "
				 "each time; %llu rounds without progress were followed (--spins)",
				 (unsigned long long)x->config->spins);
	else if (!strcmp(why, "depth") && x->stats.too_long)
		hd_campaign_note(
			&x->c,
			"not a proof: executions were too long to follow, and were cut off after "
			"%llu operations",
			(unsigned long long)x->stats.too_long);
	else if (!strcmp(why, "depth"))
		hd_campaign_note(&x->c,
				 "not a proof: executions of more than %u decisions were cut off "
				 "(--depth)",
				 x->depth);
	else if (!strcmp(why, "model"))
		hd_campaign_note(
			&x->c, "not a proof: executions had more atomic operations than the memory "
			       "model remembers, and what was older could not be read any more");
	else if (!strcmp(why, "mixed"))
		hd_campaign_note(
			&x->c,
			"not a proof: the memory model does not have all of the program's operations "
			"(atomics of several sizes in the same bytes, of more than eight bytes, or "
			"beside copies of ranges); those are taken for sequentially consistent");
	else if (!strcmp(why, "unhooked"))
		tell_unhooked(&x->c);
	else if (!strcmp(why, "timers"))
		hd_campaign_note(
			&x->c,
			"not a proof: the program sets timers (alarm, setitimer, timer_create, "
			"timerfd), and not every moment for them is tried");
	else if (!strcmp(why, "signals"))
		hd_campaign_note(
			&x->c,
			"not a proof: a signal to the process could be taken by several threads, of "
			"which one is tried, or a handler is installed beside other threads");
	else if (!strcmp(why, "asks"))
		hd_campaign_note(
			&x->c,
			"not a proof: the program asks whether threads have ended "
			"(pthread_tryjoin_np, pthread_timedjoin_np, pthread_kill), and not every "
			"moment for that is tried");
	else if (!strcmp(why, "cancel"))
		hd_campaign_note(
			&x->c,
			"not a proof: the program cancels threads (pthread_cancel), and not every "
			"moment for that is tried");
	else if (!strcmp(why, "states"))
		hd_campaign_note(
			&x->c,
			"not a proof: several threads use one stream (FILE), or the program changes its "
			"folder or locale beside other threads, and not every order of that is tried");
	else if (!strcmp(why, "mappings"))
		hd_campaign_note(
			&x->c,
			"not a proof: the program has mapped the same memory at several addresses, "
			"and not everything that threads do by both is known to meet");
	else if (!strcmp(why, "outside"))
		hd_campaign_note(
			&x->c,
			"not a proof: the program reads what another process writes, and not "
			"every moment for that is tried");
	else if (!strcmp(why, "addresses"))
		hd_campaign_note(
			&x->c,
			"not a proof: addresses differ from run to run, since address randomisation "
			"could not be switched off; build the program here (`heddle cc` then links it "
			"with -no-pie), or allow personality(2)");
	else if (!strcmp(why, "diverged"))
		hd_campaign_note(
			&x->c,
			"not a proof: the program does not do the same under the same schedule, so "
			"the search ended after %llu executions, with what it had found",
			(unsigned long long)x->stats.executions);
	else if (!strcmp(why, "interrupted"))
		hd_campaign_note(&x->c, "not a proof: interrupted");
	else if (!strcmp(why, "finding"))
		hd_campaign_note(&x->c,
				 "stopped at the first fault; --keep-going looks for others");
	else
		hd_campaign_note(
			&x->c, "not a proof: --%s ran out%s", why,
			x->config->strategy == HD_STRATEGY_DPOR && x->stats.depth > LONG &&
					!x->nfaults
				? "; for executions this long, --strategy auto finds more in a short time"
				: "");
}

/* Which way to choose schedules has found the first fault of each kind. False: no memory. */
static bool tell_who_found(struct hd_exploration *x)
{
	struct hd_report_found *list = calloc(x->nfaults + 1, sizeof(*list));
	char text[400] = "";
	size_t len = 0, n = 0;

	for (size_t i = 0; list && i < x->nfaults; i++) {
		const struct hd_fault *f = &x->faults[i];
		const char *kind = hd_kind_word(f->what.kind);
		size_t k = 0;

		while (k < n && strcmp(list[k].kind, kind) != 0)
			k++;
		if (k < n)
			continue;
		list[n] = (struct hd_report_found){ .kind = kind, .execution = f->number };
		hd_worker_words(x, &f->by, list[n].by, sizeof(list[n].by));
		if (len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"%s%s by %s in execution %llu", n ? "; " : "", kind,
						list[n].by, (unsigned long long)f->number);
		n++;
	}
	if (n)
		hd_campaign_note(&x->c, "found: %s", text);
	x->told.found = list;
	x->told.nfound = n;
	return list != NULL;
}

/* How far the search has come, if it has not come to its end. */
static void tell_estimate(struct hd_exploration *x)
{
	struct hd_report_exploration *t = &x->told;

	if (x->stats.complete || !x->stats.stopped ||
	    !hd_estimate_get(&x->estimate, x->in_round, &t->estimate, &t->before))
		return;
	hd_campaign_note(
		&x->c,
		"estimate: %s makes at least some %llu executions in all, by what is known to be "
		"wanted so far; when half of these were made it was %llu",
		hd_strategy_words[x->strategy], (unsigned long long)t->estimate,
		(unsigned long long)t->before);
}

/* The same numbers as in the notes, for machines. */
static void tell_numbers(struct hd_exploration *x)
{
	const struct hd_portfolio *p = &x->portfolio;
	struct hd_report_exploration *t = &x->told;

	t->strategy = hd_strategy_words[x->strategy];
	t->rounds = x->rounds;
	t->search = x->stats.executions;
	t->redundant = x->stats.redundant;
	t->matched = x->stats.matched;
	t->cut = x->stats.cut;
	t->depth = x->stats.depth;
	t->conflicts = p->executions[HD_MEMBER_CONFLICTS];
	t->bounded = p->executions[HD_MEMBER_BOUNDED];
	t->pct = p->executions[HD_MEMBER_PCT];
	t->simpler = x->simpler;
	t->preemptions = -1;
	if (!x->stats.complete && p->bound && p->bounds_hold && !what_is_left_out(x))
		t->preemptions = (int)p->bound - 1;
	x->c.exploration = t;
}

static void tell_orders(struct hd_exploration *x)
{
	const struct hd_orders *o = &x->orders;

	hd_orders_note(&x->c, o);
	x->told.orders = (struct hd_report_orders){ .what = o->what,
						    .smallest = o->smallest,
						    .list = o->list,
						    .n = o->n,
						    .explorations = o->explorations,
						    .executions = o->executions };
}

static void sum_up(struct hd_exploration *x)
{
	const struct hd_xstats *s = &x->stats;
	double seconds = hd_now() - x->c.began;
	char assumed[64] = "";

	if (x->sampled) {
		sum_up_sample(x);
		return;
	}
	if (s->assumed)
		snprintf(assumed, sizeof(assumed), ", %llu ended by an assumption",
			 (unsigned long long)s->assumed);
	hd_campaign_note(
		&x->c,
		"%s: %u round%s, %llu executions (%llu redundant, %llu into states seen before, %llu "
		"cut off%s), %llu states, %llu transitions, depth %llu, %.0f a second",
		hd_strategy_words[x->strategy], x->rounds, x->rounds == 1 ? "" : "s",
		(unsigned long long)s->executions, (unsigned long long)s->redundant,
		(unsigned long long)s->matched, (unsigned long long)s->cut, assumed,
		(unsigned long long)s->states, (unsigned long long)s->transitions,
		(unsigned long long)s->depth,
		(double)(s->executions - x->earlier) / (seconds > 0 ? seconds : 1));
	if (x->how.match && x->how.exact)
		hd_campaign_note(&x->c,
				 "states were compared in full: %llu had the hash of another one",
				 (unsigned long long)s->collisions);
	if (x->c.base.model != HD_MODEL_SC && !x->config->resume)
		hd_campaign_note(
			&x->c,
			"the memory model: %zu distinct executions ended, by what each load "
			"read and the order of the stores",
			x->graphs.n);
	if (x->outcomes.left_out)
		hd_campaign_note(
			&x->c,
			"%llu executions came to ends beyond the first %u, which are not listed",
			(unsigned long long)x->outcomes.left_out, HD_OUTCOMES);
	if (x->uses & HD_X_USES_FILES)
		hd_campaign_note(
			&x->c,
			"the program changes files: executions come one after the other, and "
			"files are restored after each; orders in which threads use a file are "
			"not looked for");
	if (x->how.strategy == HD_X_PCT && !x->nfaults)
		tell_chances(x);
	tell_numbers(x);
	if (!tell_who_found(x))
		x->no_memory = true;
	hd_portfolio_note(x);
	if (x->told.preemptions >= 0)
		hd_campaign_note(
			&x->c,
			"complete up to %d preemption%s: every schedule with so many was tried",
			x->told.preemptions, x->told.preemptions == 1 ? "" : "s");
	tell_estimate(x);
	if (is_proof(x))
		hd_exploration_tell_proof(x, &x->c);
	else if (why_search_stopped(x))
		tell_no_proof(x, why_search_stopped(x));
	if (x->file)
		hd_campaign_note(&x->c, "to continue, run the same command with --resume %s",
				 x->file);
}

/* What ended a run comes before what only happened in one. */
static void lead_with_failures(struct hd_run *run)
{
	for (size_t i = 1; i < run->nfindings; i++) {
		struct hd_finding f = run->findings[i];
		size_t k = i;

		for (; k > 0 && hd_finding_is_failure(&f) &&
		       !hd_finding_is_failure(&run->findings[k - 1]);
		     k--)
			run->findings[k] = run->findings[k - 1];
		run->findings[k] = f;
	}
}

/* Of runs in any order, which follow no fault, each may show what was met before. */
static bool is_shown_by_sample(const struct hd_exploration *x, unsigned kind)
{
	for (size_t i = 0; i < x->c.nextra; i++) {
		if (trial_shows(x->c.extra[i].trial, kind))
			return true;
	}
	return x->c.nobservations && trial_shows(x->c.observations[0].trial, kind);
}

static void count_unshown(struct hd_exploration *x)
{
	x->unshown = 0;
	for (size_t i = 0; i < x->nfaults; i++) {
		struct hd_fault *f = &x->faults[i];

		if (x->sampled)
			f->shown = is_shown_by_sample(x, f->what.kind);
		x->unshown += !f->shown;
	}
}

enum hd_err hd_exploration_report(struct hd_exploration *x)
{
	struct hd_trials trials = {
		.program = &x->c.program, .arg = x, .next = next_trial, .take = take_trial
	};
	struct hd_pool pool = { .jobs = 1,
				.unfinished = true,
				.until = hd_budget_last(),
				.limit = x->over || x->stats.cut ? HD_CUT_LIMIT : HD_RUN_LIMIT };
	enum hd_err rc;

	if (x->config->outcomes && !hd_outcomes_sort(&x->outcomes))
		return hd_error(HD_ERR_NOMEM, "out of memory");
	x->c.outcomes = x->outcomes.told;
	x->c.noutcomes = x->outcomes.n;
	if (!x->sampled)
		hd_trials_run(&trials, &pool);
	if (trials.rc != HD_OK)
		return trials.rc;
	if (!x->c.nobservations && !x->no_memory && x->nfaults)
		return hd_error(
			HD_ERR_SYSTEM,
			"%s in execution %llu, but there was no time for a run that shows it",
			hd_kind_word(x->faults[0].what.kind),
			(unsigned long long)x->faults[0].number);
	if (!x->c.nobservations && !x->no_memory)
		return hd_campaign_has_nothing(&x->c);
	if (x->no_memory || !x->c.nobservations)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	count_unshown(x);
	hd_run_find_unhooked(&x->c.observations[0].trial->run);
	if (x->c.observations[0].trial->run.unhooked.n)
		x->uses |= HD_X_USES_UNHOOKED;
	sum_up(x);
	tell_unshown(x);
	if (x->inferring) {
		rc = x->inferred.n ? HD_OK : hd_exploration_infer(x);
		if (rc != HD_OK)
			return rc;
		hd_inferred_note(&x->inferred, &x->refine.regions, &x->c);
	}
	if (!hd_regions_settle(&x->regions, &x->c, is_proof(x)))
		return hd_error(HD_ERR_NOMEM, "out of memory");
	rc = x->config->suggest_orders ? hd_exploration_suggest(x, &x->orders) : HD_OK;
	if (rc != HD_OK)
		return rc;
	if (x->config->suggest_orders)
		tell_orders(x);
	x->c.command = "explore";
	x->c.assumed = x->stats.assumed;
	x->c.states = x->stats.states;
	x->c.transitions = x->stats.transitions;
	x->c.stopped = hd_exploration_why_stopped(x);
	x->c.incomplete = x->c.stopped != NULL;
	tell_part(x);
	rc = hd_campaign_conclude(&x->c);
	if (rc == HD_OK)
		rc = hd_campaign_weigh_races(&x->c);
	lead_with_failures(&x->c.observations[0].trial->run);
	if (rc == HD_OK)
		rc = hd_campaign_report(&x->c);
	if (rc == HD_OK && x->unshown && x->c.status != HD_STATUS_FINDINGS)
		return hd_error(HD_ERR_SYSTEM, "%s", hd_stopped_words("unshown"));
	return rc;
}
