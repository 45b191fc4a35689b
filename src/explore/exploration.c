/*
 * An exploration: its rounds, and what is learnt from each.
 */
#include "exploration.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/shrink.h"
#include "common/addresses.h"
#include "common/array.h"
#include "common/budget.h"
#include "common/interrupts.h"
#include "common/listener.h"
#include "launch/launch.h"
#include "launch/live.h"
#include "launch/program_file.h"
#include "campaign/greeting.h"
#include "ranks/launched_ranks.h"
#include "rounds.h"
#include "suggest_orders.h"

#define SIMPLER		2000 /* executions spent on finding a fault with fewer preemptions ... */
#define SIMPLER_SECONDS 10.0 /* ... and no more than so long */

/* ---- executions ------------------------------------------------------------------ */

enum hd_err hd_exploration_execute(void *arg, const struct hd_xrequest *request,
				   struct hd_xlog *log, struct hd_errbuf *eb)
{
	struct hd_exploration *x = arg;

	if (hd_budget_over())
		return hd_fail(eb, HD_ERR_STOPPED, "stopped before an execution");
	return hd_executors_run(x->using, request, log, eb);
}

static void look_ahead(void *arg, const struct hd_xasked *likely, size_t n)
{
	struct hd_exploration *x = arg;

	if (likely)
		hd_executors_ahead(x->using, likely, n);
	else
		hd_executors_forget(x->using);
}

static uint32_t *copy_choices(const struct hd_xlog *log, size_t *n)
{
	uint32_t *copy = malloc((log->nchoices + 1) * sizeof(*copy));

	*n = log->nchoices;
	if (copy && *n)
		memcpy(copy, log->choices, *n * sizeof(*copy));
	return copy;
}

/* Is more than the search tried? Only if nobody asked for a strategy, and this one may take too long. */
static bool turns_are_taken(const struct hd_exploration *x)
{
	return x->config->strategy == HD_STRATEGY_AUTO && x->strategy == HD_STRATEGY_DPOR &&
	       x->config->match != HD_MATCH_EXACT;
}

static uint32_t preemptions_of(const struct hd_xlog *log)
{
	uint32_t n = 0;

	for (size_t i = 0; i < log->nnodes; i++)
		n += hd_x_is_preemption(&log->nodes[i]);
	return n;
}

static bool same_fault(const struct hd_xfault *a, const struct hd_xfault *b)
{
	return a->kind == b->kind && a->site == b->site;
}

static bool has_race(const struct hd_exploration *x)
{
	for (size_t i = 0; i < x->nfaults; i++) {
		if (x->faults[i].what.kind == HD_KIND_RACE)
			return true;
	}
	return false;
}

/* While a failure is looked for behind the first races, others are not of interest. */
static bool is_one_race_more(const struct hd_exploration *x, size_t i, const struct hd_xfault *what)
{
	return !x->keep_going && what->kind == HD_KIND_RACE &&
	       x->faults[i].what.kind == HD_KIND_RACE && x->faults[i].number != x->nseen;
}

static bool keep_fault(struct hd_exploration *x, const struct hd_xfault *what,
		       const struct hd_xlog *log)
{
	struct hd_fault *f = x->minimised;

	if (f && !same_fault(&f->what, what))
		return true;
	for (size_t i = 0; i < x->nfaults && !f; i++) {
		if (same_fault(&x->faults[i].what, what) || is_one_race_more(x, i, what))
			return true;
	}
	if (!f) {
		if (!HD_ROOM(x->faults, x->faults_room, x->nfaults + 1))
			return false;
		f = &x->faults[x->nfaults++];
		*f = (struct hd_fault){ .what = *what, .by = x->portfolio.now, .number = x->nseen };
		if (!x->searching)
			hd_live_fault(what->kind, x->nseen);
	}
	free(f->choices);
	f->choices = copy_choices(log, &f->nchoices);
	f->at = x->at;
	f->preemptions = preemptions_of(log);
	return f->choices != NULL;
}

static void show_progress(struct hd_exploration *x, const struct hd_xstats *s)
{
	double now = hd_now(), rate;
	uint64_t all = x->stats.executions + s->executions;
	char part[160] = "", who[80], left[HD_PROGRESS_LEFT];
	bool is_search = x->portfolio.now.member == HD_MEMBER_SEARCH;
	uint64_t size, before;

	if (!hd_progress_due())
		return;
	if (x->from == 0) {
		x->from = now;
		x->from_executions = all;
	}
	rate = now > x->from ? (double)(all - x->from_executions) / (now - x->from) : 0;
	if (is_search && hd_estimate_get(&x->estimate, s->executions, &size, &before))
		snprintf(part, sizeof(part), ", about %.*f %% of at least %llu (was %llu)",
			 s->part < 0.1, 100 * s->part, (unsigned long long)size,
			 (unsigned long long)before);
	/* As if all of it had been done at this rate: a resumed one has had other times, too. */
	hd_progress_left(left, s->part, rate > 0 ? (double)all / rate : 0,
			 hd_campaign_time_left(&x->c));
	hd_worker_words(x, &x->portfolio.now, who, sizeof(who));
	hd_progress_show(
		"heddle: %s: %llu executions, %.0f a second%s%s, %llu states, depth %llu%s%.0zu%s",
		who, (unsigned long long)all, rate, part, left,
		(unsigned long long)(x->stats.states + s->states), (unsigned long long)s->depth,
		x->nfaults ? ", " : "", x->nfaults,
		x->nfaults == 1 ? " fault"
		: x->nfaults	? " faults"
				: "");
}

/* Are there decisions at accesses to memory? With regions, every order of those is tried. */
static bool decides_at_memory(const struct hd_xlog *log)
{
	for (size_t i = 0; i < log->nops; i++) {
		const struct hd_xop *op = &log->ops[i];

		if ((op->kind == HD_X_READ || op->kind == HD_X_WRITE || op->kind == HD_X_ADD) &&
		    !(op->object & 1))
			return true;
	}
	return false;
}

/*
 * The first execution has told what the program is like: is there a better way to explore it? Tasks that only wait
 * for each other have nothing whose order matters, which regions know and dpor does not.
 */
static bool choose_again(struct hd_exploration *x, const struct hd_xlog *log)
{
	bool marked = x->uses & (HD_X_USES_ISOLATED | HD_X_USES_REGIONS);
	bool tasks = (x->uses & HD_X_USES_TASKS) && x->choosing && !decides_at_memory(log);
	bool peeks = x->uses & HD_X_USES_PEEKS;
	enum hd_strategy was = x->strategy;
	bool once_more = false;

	if (x->infer && !x->inferring && !(x->uses & HD_X_USES_TASKS)) {
		x->infer = false;
		hd_campaign_note(&x->c, "this is no task program: no regions are inferred");
	} else if (x->infer && peeks) {
		x->infer = false;
	} else if (x->infer) {
		once_more = true; /* with them */
		x->strategy = HD_STRATEGY_REGIONS;
	} else if (x->choosing && (marked || tasks) && !peeks) {
		x->strategy = HD_STRATEGY_REGIONS;
	} else if (peeks && x->strategy == HD_STRATEGY_REGIONS) {
		x->strategy = HD_STRATEGY_DPOR;
		hd_campaign_note(&x->c,
				 "the program looks how far others are without waiting for them "
				 "(hj_future_ready, hj_phaser_phase, ...): regions would leave out "
				 "schedules, so dpor is used instead");
	}
	x->choosing = false;
	x->probed = once_more || x->strategy != was;
	return x->probed;
}

static bool is_random(const struct hd_exploration *x)
{
	return x->how.strategy == HD_X_RANDOM || x->how.strategy == HD_X_PCT;
}

/* Is something at work that the search does not rest on? */
static bool is_beside(const struct hd_exploration *x)
{
	return x->portfolio.now.member != HD_MEMBER_SEARCH;
}

/* Do later rounds do better? Not if threads are preempted anywhere, or at random. */
static bool learns(const struct hd_exploration *x)
{
	return is_beside(x) || (!is_random(x) && x->strategy != HD_STRATEGY_NAIVE);
}

#define SOON 200 /* a round that has not done more is given up when it has to be repeated */

/* What is learnt from the execution's faults; is it worth going on with this round? */
static bool learn(struct hd_exploration *x, const struct hd_xlog *log, bool *ok)
{
	bool apart = false;

	for (size_t i = 0; i < log->nfaults && *ok; i++) {
		const struct hd_xfault *f = &log->faults[i];
		bool race = f->kind == HD_KIND_RACE;

		if (race || f->kind == HD_KIND_PERMISSION)
			*ok = hd_refinement_learn(&x->refine, f, race);
		apart |= f->kind == HD_KIND_PERMISSION;
	}
	return !x->refine.changed || (!apart && x->in_round > SOON);
}

/* A conflict of regions that are only inferred: what is in them may race, or not. */
static bool is_inferred(const struct hd_xfault *f)
{
	return f->kind == HD_KIND_PERMISSION && f->places[0] <= UINT16_MAX;
}

/*
 * Is there a fault that ends the search? A conflict of regions may be one of their sizes. After a race, a failure
 * is looked for that may be behind it, for a while.
 */
static bool is_enough(const struct hd_exploration *x)
{
	const struct hd_fault *race = NULL;

	for (size_t i = 0; i < x->nfaults; i++) {
		const struct hd_fault *f = &x->faults[i];

		if (f->what.kind == HD_KIND_PERMISSION)
			continue;
		if (f->what.kind != HD_KIND_RACE || !turns_are_taken(x) || x->any_fault)
			return true;
		if (!race)
			race = f;
	}
	return race && x->nseen - race->number >= hd_portfolio_behind_race(x);
}

/* Is there a fault that says why the program did not end in its own way? */
static bool told_its_end(const struct hd_xlog *log)
{
	for (size_t i = 0; i < log->nfaults; i++) {
		const struct hd_finding f = { .kind = log->faults[i].kind };

		if (hd_finding_ends_run(&f))
			return true;
	}
	return false;
}

/* Is it one of --expect-exit? */
static bool is_expected(const struct hd_exploration *x, int status)
{
	const char *list = x->config->campaign.run.expect_exit;

	return list && hd_status_is_listed(list, (unsigned long)status);
}

/* Does a program that uses this do by the memory model what no order of everything does? */
static bool is_weak(const struct hd_exploration *x, unsigned uses)
{
	return uses & (x->config->campaign.run.model == HD_MODEL_TSO ? HD_X_USES_BUFFERED
								     : HD_X_USES_WEAK);
}

/* What it uses as far as a memory model goes: the stores of a race may be seen late, too. */
static unsigned uses_of(const struct hd_xlog *log)
{
	for (size_t i = 0; i < log->nfaults; i++) {
		if (log->faults[i].kind == HD_KIND_RACE)
			return log->uses | HD_X_USES_BUFFERED;
	}
	return log->uses;
}

/* The search begins anew, and with what is different now nothing of it holds. */
static void forget_all(struct hd_exploration *x)
{
	while (x->nfaults)
		free(x->faults[--x->nfaults].choices);
	free(x->first);
	x->first = NULL;
	hd_outcomes_clear(&x->outcomes);
	x->again = x->probed = true;
}

/*
 * Where all atomic operations are seq_cst, C11 allows what one order of everything does, no more. So does x86 where
 * all stores that are in no order with what others do are locked instructions. The first execution with something else
 * shows that this is not so: from the beginning, by the memory model.
 */
static bool turns_weak(struct hd_exploration *x, const struct hd_xlog *log)
{
	if (x->config->campaign.run.model == x->c.base.model || !is_weak(x, uses_of(log)))
		return false;
	x->c.base.model = x->config->campaign.run.model;
	x->c.base.symmetry = false;
	x->uses |= uses_of(log);
	forget_all(x);
	return true;
}

/* Has it a fault that may rest on an order which was not told to the race detector? */
static bool may_rest_on_order(const struct hd_xlog *log)
{
	bool any = false;

	for (size_t i = 0; i < log->nfaults; i++) {
		const struct hd_finding f = { .kind = log->faults[i].kind };

		any |= !hd_finding_ends_run(&f);
	}
	return any;
}

/*
 * Additions that come in any order acquire nothing (dependence.h). So what rests on an order may be no fault, and a fence
 * may acquire what the addition did not: from the beginning, with all their orders. The same goes for threads that are equal
 * (runtime/explore/equal_threads.h), and somebody may tell them apart.
 */
static bool turns_to_all_orders(struct hd_exploration *x, const struct hd_xlog *log)
{
	bool adds = x->c.base.commute && (log->uses & HD_X_USES_ADDS);
	bool equal = x->c.base.symmetry && (log->uses & HD_X_USES_EQUAL);
	bool doubt = (adds || equal) && may_rest_on_order(log);

	adds &= doubt || (log->uses & HD_X_USES_FENCES);
	equal &= doubt || (log->uses & HD_X_USES_TOLD_APART);
	if ((!adds && !equal) || x->minimised)
		return false;
	x->c.base.commute &= !adds;
	x->c.base.symmetry &= !equal;
	forget_all(x);
	return true;
}

/* What was not followed to its end elsewhere does not make the search less. */
static void note_uses(struct hd_exploration *x, const struct hd_xlog *log)
{
	const unsigned own = HD_X_USES_PATIENCE | HD_X_USES_SETTLED;

	if (is_beside(x) && (log->uses & own))
		x->portfolio.bounds_hold = false;
	x->uses |= is_beside(x) ? log->uses & ~own : log->uses;
}

bool hd_exploration_see(void *arg, const struct hd_xlog *log, const struct hd_xstats *s)
{
	struct hd_exploration *x = arg;
	bool ok = true, whole = log->end == HD_X_END_DONE;
	int status = log->code + (log->exited ? 0 : 128);

	show_progress(x, s);
	if (turns_to_all_orders(x, log) || turns_weak(x, log))
		return false;
	x->nseen += !x->minimised;
	note_uses(x, log);
	if (!is_beside(x))
		x->in_round = x->earlier_in_round + s->executions;
	if (!is_beside(x) && !x->minimised)
		hd_estimate_add(&x->estimate, s->executions, s->part);
	if (whole && !log->assumed && log->graph && !x->minimised) {
		bool known;

		ok = hd_seen_states_add(&x->graphs, log->graph, 0, &known);
	}
	if (!x->first) {
		x->first = copy_choices(log, &x->nfirst);
		x->first_at = x->at;
		x->first_cut = log->end == HD_X_END_BOUND || log->end == HD_X_END_FULL;
		ok = x->first != NULL;
	}
	for (size_t i = 0; i < log->nfaults && ok; i++) {
		if (!is_inferred(&log->faults[i]))
			ok = keep_fault(x, &log->faults[i], log);
	}
	if (ok && whole && !told_its_end(log) && status && !is_expected(x, status)) {
		struct hd_xfault what = { .kind = HD_KIND_EXIT, .site = (uint64_t)status };

		ok = keep_fault(x, &what, log);
	}
	if (ok && whole && x->config->outcomes && !log->assumed && !x->minimised)
		ok = hd_outcomes_add(&x->outcomes, log, x->rounds);
	x->no_memory |= !ok;
	if ((x->uses & HD_X_USES_OUTSIDE) && is_random(x))
		return false; /* what it does is not in its decisions */
	if (x->minimised)
		return ok && x->minimised->preemptions >= x->how.preemptions + 1;
	if (choose_again(x, log))
		x->again = true;
	if (learns(x) && !learn(x, log, &ok))
		x->again = true;
	x->no_memory |= !ok;
	return ok && !x->again && (x->keep_going || !is_enough(x));
}

/* ---- exploring ------------------------------------------------------------------- */

/* --jobs, else as many as there are processors for this process. */
static unsigned count_jobs(const struct hd_exploration *x)
{
	cpu_set_t set;
	unsigned n = 1;

	if (x->config->campaign.jobs)
		n = x->config->campaign.jobs;
	else if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = (unsigned)CPU_COUNT(&set);
	return n > HD_EXECUTORS ? HD_EXECUTORS : n;
}

void hd_exploration_apply_strategy(struct hd_exploration *x)
{
	static const struct {
		enum hd_xstrategy how;
		bool match; /* may states be matched? */
	} ways[HD_STRATEGIES] = {
		[HD_STRATEGY_DPOR] = { HD_X_DPOR, false },
		[HD_STRATEGY_REGIONS] = { HD_X_NAIVE, true },
		[HD_STRATEGY_BOUNDED] = { HD_X_BOUNDED, true },
		[HD_STRATEGY_PCT] = { HD_X_PCT, false },
		[HD_STRATEGY_RANDOM] = { HD_X_RANDOM, false },
		[HD_STRATEGY_NAIVE] = { HD_X_NAIVE, true },
	};

	x->how.strategy = ways[x->strategy].how;
	x->how.match = ways[x->strategy].match && x->config->match != HD_MATCH_NO;
	x->how.exact = x->config->match == HD_MATCH_EXACT;
	if (x->strategy == HD_STRATEGY_NAIVE)
		x->at.switch_at = HD_AT_ACCESSES;
}

void hd_exploration_choose(struct hd_exploration *x)
{
	const struct hd_explore_config *o = x->config;

	x->using = &x->executors;
	x->strategy = o->strategy;
	x->at.switch_at = o->campaign.run.switch_at;
	x->choosing = x->strategy == HD_STRATEGY_AUTO;
	x->infer = o->infer_regions;
	if (x->choosing)
		x->strategy = HD_STRATEGY_DPOR;
	x->how = (struct hd_xoptions){
		.preemptions = o->preemptions,
		.max_executions = o->executions,
		.max_seconds = o->campaign.outputs.seconds,
		/* Of random executions each part makes others. */
		.seed = o->campaign.run.seed + ((uint64_t)o->campaign.part << 40),
		.pct_depth = (uint32_t)o->campaign.run.pct_depth,
		.pct_length = o->pct_length,
		.together =
			true, /* but in slices, whose makers know nothing of what others learn */
	};
	x->c.base.any_time = x->c.base.state_points = true;
	x->c.base.model = HD_MODEL_SC; /* until it makes a difference */
	x->c.base.commute =
		o->commute && o->campaign.parts <= 1; /* parts do not talk to each other */
	x->c.base.symmetry = o->symmetry && o->campaign.parts <= 1 && !o->campaign.nranks &&
			     !o->campaign.ranks; /* nor do ranks, of this */
	x->keep_going = o->campaign.keep_going || (o->outcomes && !x->any_fault);
	x->c.base.output_points = o->outcomes;
	if (x->keep_going) /* one fault is not to hide others */
		x->c.base.end_points = true;
	x->jobs = count_jobs(x);
	x->limit = HD_RUN_LIMIT;
	x->depth = o->depth;
	if (x->depth > HD_X_NODES)
		x->depth = HD_X_NODES; /* more are never followed */
}

struct simpler {
	struct hd_exploration *x;
	struct hd_xoptions how;
	enum hd_err err;
	struct hd_errbuf *eb;
};

/* As hd_shrink_bounded_fn, with a budget for each bound. */
static enum hd_bounded search_within(void *arg, uint32_t bound)
{
	struct simpler *s = arg;
	struct hd_exploration *x = s->x;
	struct hd_xstats stats;

	s->how.preemptions = x->how.preemptions = bound;
	s->err = hd_explore(&s->how, hd_exploration_execute, hd_exploration_see, x, &stats, s->eb);
	x->c.executions += stats.executions;
	x->simpler += stats.executions;
	if (s->err)
		return HD_BOUNDED_STOP;
	if (x->minimised->preemptions <= bound)
		return HD_BOUNDED_FOUND;
	return stats.complete ? HD_BOUNDED_NONE : HD_BOUNDED_STOP;
}

/* The same fault with fewer preemptions, as far as the budget goes. */
static enum hd_err minimise(struct hd_exploration *x, struct hd_fault *f, struct hd_errbuf *eb)
{
	struct simpler s = { .x = x, .how = x->how, .eb = eb };
	struct hd_xoptions was = x->how;

	s.how.strategy = HD_X_BOUNDED;
	s.how.max_executions = SIMPLER;
	s.how.max_seconds = SIMPLER_SECONDS;
	x->minimised = f;
	hd_shrink_by_bound(f->preemptions, search_within, &s);
	x->minimised = NULL;
	x->how = was;
	return s.err;
}

/* More text than the runtime reads: then threads may be preempted at every access. */
#define SITES_TEXT 32768

/* The sites of the next round as an option of it. False: no memory. */
static bool set_sites(struct hd_exploration *x)
{
	bool too_many = false;
	char *text;

	if (!x->refine.sites.n)
		return true;
	text = hd_places_text(&x->refine.sites, SITES_TEXT, &too_many);
	if (too_many)
		x->at = (struct hd_where){ .switch_at = HD_AT_ACCESSES };
	else if (text)
		x->at.sites = hd_exploration_text(x, text);
	free(text);
	return too_many || x->at.sites;
}

enum hd_err hd_exploration_start(struct hd_exploration *x)
{
	struct hd_run_config run = x->c.base;
	char *calm = hd_places_text(&x->refine.regions, 0, NULL);
	enum hd_err rc;

	if (!calm)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	hd_where_put(&run, &x->at);
	run.states = x->how.match;
	run.exact_states = x->how.exact;
	run.regions = x->strategy == HD_STRATEGY_REGIONS;
	run.calm_regions = *calm ? calm : NULL;
	run.snapshots = x->config->snapshots;
	run.commute &= x->strategy == HD_STRATEGY_DPOR;
	run.symmetry &= x->strategy == HD_STRATEGY_DPOR;
	run.spins = x->config->spins;
	run.observe = x->outcomes.observed.where;
	for (unsigned i = 0; i < HD_EXECUTORS; i++)
		x->using->each[i] = (struct hd_executor){ .limit = x->limit,
							  .max_nodes = x->depth,
							  .interrupted = hd_budget_over };
	rc = hd_executors_start(x->using, x->jobs, x->c.program.argv, &run, x->c.program.input);
	free(calm);
	if (rc != HD_OK)
		hd_executors_stop(x->using);
	if (rc == HD_OK && x->position)
		hd_executors_know(x->using, x->lessons, x->nlessons);
	x->nlessons = 0;
	x->how.known = x->using->known;
	x->how.ahead = look_ahead;
	x->how.nahead = HD_EXECUTORS_AHEAD(x->using);
	return rc;
}

/* A new round with what the last one taught, unless an unfinished one goes on. */
static enum hd_err begin_round(struct hd_exploration *x, const struct hd_xoptions *budget)
{
	hd_exploration_apply_strategy(x);
	x->how.max_executions = budget->max_executions;
	x->how.max_seconds = budget->max_seconds;
	x->how.position = &x->position;
	if (!x->position && !x->split) {
		enum hd_err rc = x->infer && x->first ? hd_exploration_infer(x) : HD_OK;

		if (rc != HD_OK)
			return rc;
		x->again = x->refine.changed = x->portion.dealt = false;
		hd_portfolio_begin(&x->portfolio);
		x->estimate = (struct hd_estimate){ 0 };
		x->rounds++;
		if (!set_sites(x) || !HD_ROOM(x->wheres, x->wheres_room, x->rounds + 1))
			return hd_error(HD_ERR_NOMEM, "out of memory");
		x->wheres[x->rounds] = x->at;
	}
	return hd_exploration_start(x);
}

/*
 * What is learnt are addresses of code. Where they are others in the next run, it would be learnt again, for
 * ever; programs at fixed addresses are below 4 GB.
 */
static bool places_move(const struct hd_exploration *x)
{
	const struct hd_places *s = &x->refine.sites, *r = &x->refine.regions;

	return ((s->n && s->list[s->n - 1] > UINT32_MAX) ||
		(r->n && r->list[r->n - 1] > UINT32_MAX)) &&
	       !hd_addresses_can_be_fixed();
}

/* Without any execution there is nothing to go on from. */
bool hd_exploration_can_save(const struct hd_exploration *x)
{
	return x->first && !x->how.exact && !x->searching && !x->config->outcomes &&
	       !places_move(x);
}

/* For --resume. */
static enum hd_err leave_file(struct hd_exploration *x)
{
	enum hd_err rc = hd_exploration_can_save(x) ? hd_exploration_save(x, &x->file) : HD_OK;

	if (rc == HD_OK || rc == HD_ERR_NOMEM)
		return rc;
	/* What was found until here is to be told first. */
	hd_campaign_not_written(&x->c);
	return HD_OK;
}

bool hd_exploration_has_enough(const struct hd_exploration *x)
{
	return x->no_memory || x->again || (!x->keep_going && is_enough(x));
}

bool hd_exploration_is_over(const struct hd_exploration *x)
{
	return hd_exploration_has_enough(x) || hd_budget_over();
}

/*
 * One round, or what is left of one: the search, and in between what is tried besides. *@besides: executions of
 * that.
 */
static enum hd_err explore_round(struct hd_exploration *x, struct hd_xstats *s, uint64_t *besides,
				 struct hd_errbuf *eb)
{
	const uint64_t budget = x->how.max_executions;
	uint64_t left = budget;
	const bool limited = left != 0;
	double until = x->how.max_seconds > 0 ? hd_now() + x->how.max_seconds : 0;
	bool others_help = hd_exploration_can_split(x);
	const uint64_t alone = hd_exploration_alone();

	*besides = 0;
	if (others_help && !x->position && !x->split)
		x->in_round = 0; /* it was the last round's */
	for (;;) {
		uint64_t share, before = x->position ? x->position->stats.executions : 0;
		uint64_t then = x->c.executions;
		enum hd_err err;

		others_help = hd_exploration_can_split(x);
		x->portfolio.on = turns_are_taken(x);
		share = hd_portfolio_share(x);
		if (x->split || (others_help && x->in_round >= alone)) {
			x->how.max_executions = left;
			err = hd_exploration_split(x, s, eb);
			x->how.max_executions = budget;
			return err;
		}
		if (others_help && (!share || share > alone - x->in_round))
			share = alone - x->in_round;
		x->how.max_executions = share && (!limited || share < left) ? share : left;
		x->how.max_seconds = until > 0 ? until - hd_now() : 0;
		if (until > 0 && x->how.max_seconds <= 0)
			x->how.max_seconds = 1e-9;
		err = hd_explore(&x->how, hd_exploration_execute, hd_exploration_see, x, s, eb);
		x->how.max_executions = budget;
		left -= limited ? s->executions - before : 0;
		if (err || !s->stopped || strcmp(s->stopped, "executions") != 0 ||
		    (limited && !left))
			return err;
		s->stopped = NULL; /* that was its share, not a budget */
		if (hd_budget_over())
			return hd_fail(eb, HD_ERR_STOPPED, "stopped between two turns");
		if (hd_exploration_is_over(x))
			return HD_OK;
		if (share == 1 || (others_help && x->in_round >= alone))
			continue; /* now it is known how long executions are, or how many */
		err = hd_portfolio_turn(x, &left, until, &s->stopped, eb);
		*besides += x->c.executions - then;
		if (err || s->stopped || hd_exploration_is_over(x))
			return err;
	}
}

/* Of a round that was begun earlier. */
static uint64_t executions_of_round(const struct hd_exploration *x)
{
	return x->split	     ? hd_xsplit_stats(x->split)->executions
	       : x->position ? x->position->stats.executions
			     : 0;
}

/* Rounds until nothing new is learnt. The executors of the last one are left running. */
static enum hd_err explore_in_rounds(struct hd_exploration *x, enum hd_err *err,
				     struct hd_errbuf *eb)
{
	struct hd_xoptions budget = x->how;

	for (;;) {
		uint64_t before = executions_of_round(x);
		struct hd_xstats s;
		double began = hd_now();
		uint64_t besides;
		enum hd_err rc = begin_round(x, &budget);

		if (rc != HD_OK)
			return rc;
		*err = explore_round(x, &s, &besides, eb);
		x->how.position = NULL;
		if (*err == HD_ERR_STOPPED) {
			*err = HD_OK;
			x->over = true;
			if (hd_budget_stop() != HD_STOP_INTERRUPTED)
				s.stopped = hd_stop_word(hd_budget_stop());
		}
		if (!x->again && (s.stopped || x->over))
			rc = leave_file(x);
		hd_xposition_free(x->position);
		x->position = NULL;
		hd_xsplit_free(x->split);
		x->split = NULL;
		if (rc != HD_OK)
			return rc;
		if (x->probed) { /* it was only for finding out how to explore */
			s = (struct hd_xstats){ .executions = s.executions };
			hd_outcomes_clear(&x->outcomes);
		}
		x->probed = false;
		hd_xstats_add(&x->stats, &s);
		x->c.executions += s.executions;
		x->again |= x->refine.changed;
		if (!x->keep_going && is_enough(x))
			x->again = false;
		if (!x->keep_going && has_race(x)) /* others were not kept */
			x->stats.complete = false;
		if (*err || x->file || x->no_memory || !x->again || s.stopped || x->over)
			return rc;
		x->stats.complete = false;
		s.executions -= before;
		s.executions += besides;
		if (places_move(x)) {
			x->stats.stopped = "addresses";
			return rc;
		}
		if (!hd_xoptions_spend(&budget, &s, hd_now() - began))
			x->stats.stopped = budget.max_executions ? "executions" : "time";
		if (x->stats.stopped || hd_budget_over())
			return leave_file(x);
		hd_executors_stop(&x->executors);
	}
}

enum hd_err hd_exploration_explore(struct hd_exploration *x)
{
	struct hd_errbuf eb = { 0 };
	enum hd_err err = HD_OK;
	enum hd_err rc = explore_in_rounds(x, &err, &eb);

	if (rc != HD_OK)
		return rc;
	if ((x->uses & HD_X_USES_OUTSIDE) && is_random(x) && !err)
		err = HD_ERR_DIVERGED;
	for (size_t i = 0; i < x->nfaults && !err && !x->any_fault && !hd_budget_over(); i++) {
		struct hd_fault *f = &x->faults[i];

		if (f->preemptions &&
		    (f->at.sites != x->at.sites || f->at.regions != x->at.regions)) {
			hd_executors_stop(&x->executors);
			x->at = f->at;
			rc = hd_exploration_start(x);
			if (rc != HD_OK)
				return rc;
		}
		err = minimise(x, f, &eb);
	}
	hd_executors_stop(&x->executors);
	if (err == HD_ERR_STOPPED) /* while a fault was made simpler */
		err = HD_OK;
	if (err == HD_ERR_DIVERGED && !x->no_memory && !hd_interrupted() && !x->searching &&
	    hd_exploration_may_sample(x))
		return hd_exploration_sample(x);
	hd_progress_clear();
	x->c.interrupted = hd_interrupted();
	hd_interrupts_forget(); /* the report needs runs, too */
	if (x->no_memory)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	/* What was found is told: only the proof is gone. */
	if (err == HD_ERR_DIVERGED && x->nfaults && !x->searching && !x->c.interrupted) {
		x->stats.complete = false;
		x->stats.stopped = "diverged";
		return HD_OK;
	}
	if (err && !x->c.interrupted)
		return hd_error(err == HD_ERR_NOMEM ? err : HD_ERR_REQUEST, "%s", eb.text);
	return HD_OK;
}

const char *const hd_strategy_words[HD_STRATEGIES + 1] = {
	"auto", "dpor", "regions", "bounded", "pct", "random", "naive", NULL,
};

/* ---- from beginning to end ------------------------------------------------------- */

static void help_to_explore(void *arg, struct hd_ranks *ranks)
{
	const struct hd_exploration *x = arg;
	struct hd_explore_config config = *x->config;

	if (!config.campaign.jobs)
		config.campaign.jobs = 1; /* there is a rank for each processor */
	hd_exploration_work(&config, &x->c.program, ranks);
}

/* The processes that --ranks asks for. */
static enum hd_err explore_with_ranks(struct hd_exploration *x)
{
	struct hd_explore_config config = *x->config;
	struct hd_ranks ranks;
	enum hd_err err;

	if (config.campaign.ranks || !config.campaign.nranks) {
		err = hd_exploration_explore(x);
		hd_exploration_say_if_whole(x);
		return err;
	}
	if (config.campaign.nranks > HD_MOST_RANKS)
		return hd_error(HD_ERR_REQUEST, "--ranks must be from 1 to %u", HD_MOST_RANKS);
	if (!hd_ranks_fork(&ranks, config.campaign.nranks, help_to_explore, x))
		return hd_error(HD_ERR_SYSTEM, "no processes for --ranks %u",
				config.campaign.nranks);
	config.campaign.ranks = &ranks;
	x->config = &config;
	err = hd_exploration_explore(x);
	hd_exploration_say_if_whole(x);
	ranks.end(ranks.arg);
	config.campaign.ranks = NULL;
	return err;
}

/* All is reported, and there is nothing to go on from. */
static void drop_saved(const struct hd_exploration *x)
{
	if (x->saved && !x->file && !x->c.interrupted)
		unlink(x->saved);
}

static enum hd_err explore_to_the_end(struct hd_exploration *x)
{
	const struct hd_explore_config *config = x->config;
	struct hd_campaign *c = &x->c;
	enum hd_err rc;

	c->config = &x->config->campaign;
	rc = hd_campaign_set_up(c);
	if (rc != HD_OK)
		return rc;
	hd_exploration_choose(x);
	rc = hd_program_input(&c->program, c->config->standard_input);
	if (rc == HD_OK && x->config->campaign.ranks)
		rc = hd_ranks_greet(x->config->campaign.ranks, c);
	if (rc == HD_OK && x->config->observe)
		rc = hd_observed_find(&x->outcomes.observed, c->program.argv[0],
				      x->config->observe);
	if (rc == HD_OK && x->config->resume)
		rc = hd_exploration_resume(x, x->config->resume);
	if (is_weak(x, x->uses))
		x->c.base.model = x->config->campaign.run.model;
	if (rc == HD_OK)
		rc = explore_with_ranks(x);
	x->config = config;
	if (rc == HD_OK)
		rc = hd_exploration_report(x);
	rc = hd_outputs_close(&c->outputs, rc);
	if (rc == HD_OK)
		drop_saved(x);
	return rc;
}

void hd_exploration_free(struct hd_exploration *x)
{
	for (size_t i = 0; i < x->nfaults; i++)
		free(x->faults[i].choices);
	free(x->faults);
	for (size_t i = 0; i < x->ntexts; i++)
		free(x->texts[i]);
	free(x->texts);
	free(x->file);
	free(x->saved);
	hd_xposition_free(x->position);
	hd_xsplit_free(x->split);
	free(x->lessons);
	hd_refinement_free(&x->refine);
	hd_seen_states_free(&x->graphs);
	hd_outcomes_free(&x->outcomes);
	hd_orders_free(&x->orders);
	hd_portfolio_free(&x->portfolio);
	free((void *)x->told.found);
	free(x->wheres);
	hd_regions_free(&x->regions);
	hd_inferred_free(&x->inferred);
	free(x->first);
	hd_campaign_tear_down(&x->c);
}

static enum hd_err explore_alone(const struct hd_explore_config *config, char **argv,
				 enum hd_status *status)
{
	struct hd_exploration *x = calloc(1, sizeof(*x));
	enum hd_err err;

	if (!x)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	x->config = config;
	x->c.program.argv = argv;
	while (argv[x->c.program.argc])
		x->c.program.argc++;
	err = hd_find_built_program(argv[0]);
	if (!err)
		err = explore_to_the_end(x);
	*status = x->c.status;
	hd_exploration_free(x);
	free(x);
	return err;
}

/* The others: take what rank 0 says first, and make slices until there are no more. */
static void help_launched(struct hd_ranks *ranks, const struct hd_explore_config *config,
			  char **argv)
{
	struct hd_explore_config own = *config;
	struct hd_campaign c = { .config = &own.campaign, .program = { .argv = argv } };
	struct hd_errbuf eb = { 0 };
	size_t len = 0;
	char *text;

	own.campaign.outputs = (struct hd_output_config){ 0 }; /* rank 0 reports */
	if (!own.campaign.jobs)
		own.campaign.jobs = 1; /* there is a rank for each processor */
	while (argv[c.program.argc])
		c.program.argc++;
	hd_interrupts_take();
	text = hd_ranks_await(ranks, &len);
	if (text && hd_find_built_program(argv[0]) == HD_OK &&
	    hd_ranks_take_greeting(&c, text, len)) {
		hd_ranks_keep_files();
		hd_exploration_work(&own, &c.program, ranks);
	} else if (text) {
		hd_fail(&eb, HD_ERR_REQUEST,
			"rank %u has another program than rank 0, other options, or none",
			ranks->rank);
		hd_ranks_say_error(ranks, &eb);
	}
	free(text);
	if (c.program.input > 0)
		close(c.program.input);
}

/* Rank 0 does what one process would, and the others help. */
static enum hd_err explore_launched(const struct hd_explore_config *config, char **argv,
				    enum hd_status *status)
{
	struct hd_explore_config own = *config;
	struct hd_ranks ranks;
	enum hd_err err = hd_ranks_join(&ranks, config->campaign.mpi);

	if (err)
		return err;
	own.campaign.ranks = &ranks;
	*status = HD_STATUS_CLEAN;
	if (ranks.rank)
		help_launched(&ranks, config, argv);
	else
		err = explore_alone(&own, argv, status);
	ranks.end(ranks.arg);
	return err;
}

enum hd_err hd_explore_program(const struct hd_explore_config *config, char **argv,
			       enum hd_status *status)
{
	if (!hd_ranks_are_launched(config->campaign.mpi)) {
		enum hd_err err =
			config->campaign.parts ? HD_OK : hd_ranks_look_around(config->campaign.mpi);

		return err ? err : explore_alone(config, argv, status);
	}
	if (config->campaign.nranks)
		return hd_error(HD_ERR_REQUEST, "--ranks is for one machine without MPI: the ranks "
						"are those that the launcher has started");
	return explore_launched(config, argv, status);
}
