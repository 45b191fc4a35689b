#include "explorer.h"

#include <stdlib.h>
#include <string.h>

#include "common/budget.h"
#include "common/clock.h"
#include "events.h"
#include "position.h"
#include "reversal.h"
#include "symmetry.h"

struct explorer {
	const struct hd_xoptions *options;
	hd_xrun_fn *run;
	hd_xseen_fn *seen;
	void *arg;
	struct hd_xstats *stats;
	struct hd_xtree tree;
	struct hd_xevents events;
	struct hd_xreversals reversals;
	struct hd_seen_states states;
	struct hd_xlog log;
	struct hd_xasked asked, *likely;
	double began;
	uint64_t before; /* executions of earlier parts */
	bool strayed;	 /* an execution stopped in a state that is not known */
	/* An execution is being looked at: to its end, if it can be, lest --resume begins anew. */
	bool within;
};

/* ---- what remains to be tried ---------------------------------------------- */

static bool on_race(void *arg, uint32_t earlier, uint32_t later, bool fresh)
{
	return hd_xreversal_found(&((struct explorer *)arg)->reversals, earlier, later, fresh);
}

/* Add to the tree what the execution says is missing; new is what comes after decision @from. */
static bool find_missing(struct explorer *x, size_t from)
{
	struct hd_xreversals *r = &x->reversals;

	r->tree = &x->tree;
	r->ev = &x->events;
	r->log = &x->log;
	r->n = 0;
	return hd_xevents_order(&x->events, &x->log, from ? (uint32_t)from - 1 : 0, on_race, x) &&
	       hd_xreversal_all(r);
}

/*
 * Is it known that sequences lead to every order? Not where somebody waits for what may never come, where the
 * process ends before its threads, or where a choice is of another kind.
 */
static bool sequences_suffice(const struct hd_xlog *log)
{
	for (size_t k = 0; k < log->nnodes; k++) {
		if (log->nodes[k].why != HD_X_RUN)
			return false;
	}
	for (size_t i = 0; i < log->nops; i++) {
		if (log->ops[i].resumed)
			return false;
	}
	return !(log->uses & HD_X_USES_ROUNDS) && (log->end != HD_X_END_DONE || !log->npending);
}

static bool any_weak(const struct hd_xlog *log)
{
	for (size_t i = 0; i < log->nops; i++) {
		if (log->ops[i].weak)
			return true;
	}
	return false;
}

/*
 * Does it do to know who reads from whom? Not where somebody waits, or the process ends before its threads; nor where the
 * memory model has not got everything.
 */
static bool graphs_suffice(const struct hd_xlog *log)
{
	const unsigned not =
		HD_X_USES_MIXED | HD_X_USES_SETTLED | HD_X_USES_PATIENCE | HD_X_USES_OLDER;

	for (size_t k = 0; k < log->nnodes; k++) {
		const struct hd_xnode *n = &log->nodes[k];

		if (n->why != HD_X_RUN && !(n->first_op && log->ops[n->first_op - 1].weak))
			return false;
	}
	for (size_t i = 0; i < log->nops; i++) {
		if (log->ops[i].resumed || hd_xop_arrives(&log->ops[i]))
			return false;
	}
	return !(log->uses & not ) && (log->end != HD_X_END_DONE || !log->npending);
}

/* From the beginning by first steps, which suffice for whatever threads do. */
static void begin_anew(struct explorer *x)
{
	hd_xtree_cut(&x->tree, 0);
	x->tree.sequences = x->tree.strayed = x->tree.by_graph = false;
	x->tree.anew = true;
	x->stats->redundant = x->stats->executions;
}

/* From the beginning, with what is known now. */
static void begin_again(struct explorer *x)
{
	hd_xtree_cut(&x->tree, 0);
	x->tree.anew = true;
	x->stats->redundant = x->stats->executions;
}

static void want_all(struct explorer *x, struct hd_xtreenode *node)
{
	bool bounded = x->options->strategy == HD_X_BOUNDED && node->why == HD_X_RUN;

	for (size_t i = 0; i < node->nenabled; i++) {
		uint32_t cost = node->current && node->choices[i].thread != node->current;

		if (!bounded || node->preemptions + cost <= x->options->preemptions)
			node->choices[i].wanted = true;
	}
}

/* ---- states ----------------------------------------------------------------- */

/* Look for the state of a decision among those that were seen, and add it. */
static bool look_up(struct explorer *x, const struct hd_xnode *node, uint32_t spent, bool *known)
{
	uint64_t key = hd_x_state_key(node, x->options->strategy == HD_X_BOUNDED);
	bool equal;

	if (!hd_seen_states_add(&x->states, key, spent, known))
		return false;
	if (!x->options->exact)
		return true;
	if (!hd_seen_states_compare(&x->states, key, x->log.exact + node->first_exact, node->nexact,
				    &equal))
		return false;
	x->stats->collisions += !equal;
	*known &= equal;
	return true;
}

/* The number of decisions of the log that are worth keeping: up to a state that was seen. */
static bool match_states(struct explorer *x, size_t from, size_t *until)
{
	for (size_t k = from; k < x->log.nnodes; k++) {
		const struct hd_xnode *node = &x->log.nodes[k];
		uint64_t key = hd_x_state_key(node, x->options->strategy == HD_X_BOUNDED);
		uint32_t spent = x->tree.nodes[k].preemptions;
		bool known = false;

		x->stats->transitions++;
		if (!x->options->match || !node->state) {
			x->stats->states++;
			continue;
		}
		if (!look_up(x, node, spent, &known))
			return false;
		if (known) {
			*until = k;
			return true;
		}
		if (x->options->known && !x->options->exact)
			hd_xknown_add(x->options->known, key, spent);
		x->stats->states++;
	}
	*until = x->log.nnodes;
	return true;
}

/* ---- the loop --------------------------------------------------------------- */

/*
 * The execution met a known state at decision @until. If it has not stopped there, what it did after
 * that depends on when it was run, so it is not looked at.
 */
static void end_log(struct hd_xlog *log, size_t until)
{
	size_t n = 0;

	for (size_t i = 0; i < log->nfaults; i++) {
		if (log->faults[i].after <= until)
			log->faults[n++] = log->faults[i];
	}
	log->nfaults = n;
	log->nops = log->nodes[until].first_op;
	log->npending = 0;
	if (log->nchoices > log->nodes[until].first_choice)
		log->nchoices = log->nodes[until].first_choice;
	log->uses = log->nodes[until].uses;
	log->nnodes = until;
	log->end = HD_X_END_MATCHED;
}

static void count_kind(struct explorer *x)
{
	bool full = x->log.end == HD_X_END_FULL;

	x->stats->cut += full || x->log.end == HD_X_END_BOUND;
	x->stats->assumed += x->log.assumed && x->log.end == HD_X_END_DONE;
	if (full && x->log.nops > x->stats->too_long)
		x->stats->too_long = x->log.nops;
}

/*
 * Take in an execution that was new from decision @from on. Nodes come first, because a state
 * that was met before counts only with its bound.
 */
static bool take_in(struct explorer *x, size_t from)
{
	size_t until = x->log.nnodes;
	struct hd_xstats *s = x->stats;

	x->tree.anew = false;
	if (from > 0 && hd_x_any_anew(x->log.learnt, x->log.nlearnt)) {
		s->executions++;
		begin_again(x);
		return true;
	}
	x->tree.awaited |= x->log.awaited;
	if (!hd_xtree_extend(&x->tree, &x->log, from, until) || !match_states(x, from, &until))
		return false;
	if (until < x->log.nnodes) {
		end_log(&x->log, until);
		hd_xtree_cut(&x->tree, until);
	} else if (x->log.end == HD_X_END_MATCHED) {
		x->strayed = true;
		return false;
	}
	s->executions++;
	s->redundant += x->log.end == HD_X_END_REDUNDANT;
	count_kind(x);
	s->matched += x->log.end == HD_X_END_MATCHED;
	if (until > s->depth)
		s->depth = until;
	if (x->options->strategy == HD_X_DPOR) {
		for (size_t k = from; k < until; k++) {
			if (x->tree.nodes[k].why != HD_X_RUN)
				want_all(x, &x->tree.nodes[k]);
		}
		if (x->tree.sequences && (!sequences_suffice(&x->log) || any_weak(&x->log))) {
			x->tree.sequences = false;
			x->tree.strayed = from > 0;
		}
		if (from == 0 && !any_weak(&x->log)) /* order is what matters */
			x->tree.by_graph = false;
		if (x->tree.by_graph && !graphs_suffice(&x->log))
			x->tree.strayed = true;
		if (!x->tree.strayed &&
		    (!hd_xequal_sleep(&x->tree, &x->log, from ? from - 1 : 0, until) ||
		     !find_missing(x, from)))
			return false;
		if (x->tree.strayed)
			begin_anew(x);
		return true;
	}
	for (size_t k = from; k < until; k++)
		want_all(x, &x->tree.nodes[k]);
	return true;
}

/* The deepest choice that is wanted and not done; false: there is none. */
static bool next_choice(struct explorer *x, size_t *node, size_t *choice)
{
	if (x->tree.fresh) {
		*node = x->tree.base - 1;
		*choice = hd_xtree_next(&x->tree.nodes[*node]);
		return true;
	}
	for (size_t k = x->tree.n; k-- > x->tree.base;) {
		*node = k;
		*choice = hd_xtree_next(&x->tree.nodes[k]);
		if (*choice < x->tree.nodes[k].nenabled)
			return true;
	}
	return false;
}

static bool likely_next(struct explorer *x, size_t node, size_t choice, size_t *n)
{
	struct hd_xasked *next = &x->likely[(*n)++];
	bool ok = hd_xtree_request(&x->tree, node, choice, next);

	next->request.match = x->asked.request.match;
	next->request.bounded = x->asked.request.bounded;
	next->request.awaited = x->tree.awaited;
	next->request.rounds = x->asked.request.rounds;
	next->request.together = x->asked.request.together;
	return ok;
}

/*
 * Tell what will be asked after choice @choice at @node, and what comes of that. Without sleep sets
 * all choices that are left will be. With them, a request contains what the choices before it at
 * its node did, so only the next one of each node is known, and that only if no other
 * becomes wanted before it. Executors that were told wrong have worked in vain, nothing more.
 */
static bool look_ahead(struct explorer *x, size_t node, size_t choice)
{
	const struct hd_xoptions *o = x->options;
	size_t n = 0;
	bool ok = true;

	for (size_t k = node + 1; k-- > x->tree.base && n < o->nahead && ok;) {
		const struct hd_xtreenode *at = &x->tree.nodes[k];

		if (k == node && x->tree.sleep && at->why == HD_X_RUN)
			continue;
		if (x->tree.sleep && at->why == HD_X_RUN) {
			size_t i = hd_xtree_next(at);

			ok = i == at->nenabled || likely_next(x, k, i, &n);
			continue;
		}
		for (size_t i = 0; i < at->nenabled && n < o->nahead && ok; i++) {
			if (hd_xchoice_is_left(&at->choices[i]) && !(k == node && i == choice))
				ok = likely_next(x, k, i, &n);
		}
	}
	if (ok)
		o->ahead(x->arg, x->likely, n);
	while (n)
		hd_xasked_free(&x->likely[--n]);
	return ok;
}

/* How much of all is done, if what is left to try is as large as what was tried beside it. */
static double part_done(const struct explorer *x)
{
	double part = 0, share = 1;

	for (size_t k = x->tree.base; k < x->tree.n && share > 1e-6; k++) {
		const struct hd_xtreenode *n = &x->tree.nodes[k];
		unsigned done = 0, all = 0;

		for (size_t i = 0; i < n->nenabled; i++) {
			all += n->choices[i].wanted && !n->choices[i].asleep;
			done += n->choices[i].done && i != n->chosen && !n->choices[i].asleep;
		}
		if (all > 1) {
			part += share * done / all;
			share /= all;
		}
	}
	return part;
}

static const char *budget_spent(const struct explorer *x)
{
	const struct hd_xoptions *o = x->options;

	if (o->max_executions && x->stats->executions - x->before >= o->max_executions)
		return "executions";
	if (o->max_seconds > 0 && hd_now() - x->began >= o->max_seconds)
		return "time";
	return NULL;
}

static enum hd_err execute(struct explorer *x, const struct hd_xrequest *request,
			   struct hd_errbuf *eb)
{
	enum hd_err err = x->run(x->arg, request, &x->log, eb);

	if (err || (request->nprefix && hd_x_any_anew(x->log.learnt, x->log.nlearnt)))
		return err;
	if (x->log.end == HD_X_END_DIVERGED || x->log.nnodes < request->nprefix)
		return hd_fail(eb, HD_ERR_DIVERGED,
			       "the program does not do the same under the same schedule, so its "
			       "schedules cannot be explored");
	if (x->log.end == HD_X_END_LOST)
		return hd_fail(eb, HD_ERR_INVALID,
			       "an execution was lost: the program was killed, or its "
			       "states are too large to be compared in full");
	return HD_OK;
}

/* The request that comes next, for new decisions from *@from on; *@done: there is none, or a budget ended. */
static bool prepare(struct explorer *x, size_t *from, bool *done)
{
	struct hd_xrequest *r = &x->asked.request;
	size_t node = 0, choice = 0;

	hd_xasked_free(&x->asked);
	*from = 0;
	if (x->tree.anew) {
		x->stats->stopped = budget_spent(x);
		*done = x->stats->stopped != NULL;
	} else if (x->stats->executions || x->tree.base) {
		x->stats->complete = !next_choice(x, &node, &choice);
		x->stats->stopped = x->stats->complete ? NULL : budget_spent(x);
		*done = x->stats->complete || x->stats->stopped;
		if (*done)
			return true;
		hd_xtree_cut(&x->tree, node + 1);
		if (!hd_xtree_request(&x->tree, node, choice, &x->asked))
			return false;
		*from = node + 1;
	}
	r->match = x->options->match && x->options->known && !x->options->exact;
	r->bounded = x->options->strategy == HD_X_BOUNDED;
	r->awaited = x->tree.awaited;
	r->by_graph = x->tree.by_graph;
	r->rounds = x->options->strategy == HD_X_DPOR;
	r->together = r->rounds && x->options->together;
	if (*from && x->options->nahead && !look_ahead(x, node, choice))
		return false;
	if (*from)
		x->tree.nodes[node].chosen = choice;
	x->tree.fresh = false;
	return true;
}

static enum hd_err search(struct explorer *x, struct hd_errbuf *eb)
{
	for (;;) {
		size_t from;
		bool done = false;
		enum hd_err err;

		if (!prepare(x, &from, &done))
			return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
		if (done)
			return HD_OK;
		err = execute(x, &x->asked.request, eb);
		if (err)
			return err;
		x->within = true;
		if (!take_in(x, from))
			return hd_budget_late() ? hd_fail(eb, HD_ERR_STOPPED,
							  "stopped while an execution "
							  "was looked at")
			       : x->strayed	? hd_fail(eb, HD_ERR_INVALID,
							  "an execution has overwritten "
							      "the list of states")
						: hd_fail(eb, HD_ERR_NOMEM, "out of memory");
		x->within = false;
		x->stats->part = part_done(x);
		if (!x->seen(x->arg, &x->log, x->stats))
			return HD_OK;
	}
}

static uint64_t count_threads(const struct hd_xlog *log)
{
	uint64_t n = 1;

	for (size_t i = 0; i < log->nops - log->npending; i++)
		n += log->ops[i].kind == HD_X_FORK;
	return n;
}

/* An execution by priorities has shown how long they get: only those that knew so count. */
static void learn_length(struct explorer *x, bool guessed)
{
	struct hd_xstats *s = x->stats;
	uint64_t threads = count_threads(&x->log);

	if (threads > s->pct_threads)
		s->pct_threads = threads;
	if (x->log.nnodes > s->pct_length) {
		s->pct_length = x->log.nnodes;
		s->pct_executions = 0;
	} else if (!guessed) {
		s->pct_executions++;
	}
}

static bool is_random(const struct hd_xoptions *o)
{
	return o->strategy == HD_X_RANDOM || o->strategy == HD_X_PCT;
}

static struct hd_xrequest random_request(const struct explorer *x, uint64_t n)
{
	struct hd_xrequest request = { .random = x->options->seed + n };

	if (!request.random)
		request.random = UINT64_MAX; /* 0 stands for the default */
	if (x->options->strategy == HD_X_PCT) {
		/* How many decisions there are is not known the first time: so there is no change. */
		request.pct_depth = x->stats->pct_length ? x->options->pct_depth : 1;
		request.pct_length = x->stats->pct_length;
	}
	return request;
}

static void look_ahead_at_random(struct explorer *x)
{
	for (size_t i = 0; i < x->options->nahead; i++)
		x->likely[i].request = random_request(x, x->stats->executions + 1 + i);
	x->options->ahead(x->arg, x->likely, x->options->nahead);
}

static enum hd_err try_at_random(struct explorer *x, struct hd_errbuf *eb)
{
	for (;;) {
		struct hd_xrequest request = random_request(x, x->stats->executions);
		enum hd_err err;

		x->stats->stopped = x->stats->executions > x->before ? budget_spent(x) : NULL;
		if (x->stats->stopped)
			return HD_OK;
		if (x->options->nahead)
			look_ahead_at_random(x);
		err = execute(x, &request, eb);
		if (err)
			return err;
		x->stats->executions++;
		count_kind(x);
		x->stats->transitions += x->log.nnodes;
		if (x->options->strategy == HD_X_PCT)
			learn_length(x, !request.pct_length);
		if (x->log.nnodes > x->stats->depth)
			x->stats->depth = x->log.nnodes;
		if (!x->seen(x->arg, &x->log, x->stats))
			return HD_OK;
	}
}

/* Tell what comes after the next one; the rest of those with as many preemptions is known. */
static bool look_ahead_at_conflicts(struct explorer *x)
{
	size_t n = 0;
	bool ok = true;

	while (n < x->options->nahead &&
	       hd_xconflicts_ask(x->options->conflicts, n + 1, &x->likely[n], &ok))
		n++;
	if (ok)
		x->options->ahead(x->arg, x->likely, n);
	else
		n++; /* half of it is there */
	while (n)
		hd_xasked_free(&x->likely[--n]);
	return ok;
}

static enum hd_err try_conflicts(struct explorer *x, struct hd_errbuf *eb)
{
	struct hd_xconflicts *c = x->options->conflicts;
	bool ok;

	for (;;) {
		enum hd_err err;

		hd_xasked_free(&x->asked);
		x->stats->stopped = budget_spent(x);
		if (x->stats->stopped)
			return HD_OK;
		if (!hd_xconflicts_ask(c, 0, &x->asked, &ok))
			return ok ? HD_OK : hd_fail(eb, HD_ERR_NOMEM, "out of memory");
		if (c->begun && x->options->nahead && !look_ahead_at_conflicts(x))
			return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
		err = execute(x, &x->asked.request, eb);
		if (err)
			return err;
		x->stats->executions++;
		count_kind(x);
		x->stats->transitions += x->log.nnodes;
		if (x->log.nnodes > x->stats->depth)
			x->stats->depth = x->log.nnodes;
		if (!hd_xconflicts_learn(c, &x->log))
			return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
		if (!x->seen(x->arg, &x->log, x->stats))
			return HD_OK;
	}
}

/* Executors are to know what an earlier part met. */
static void tell_known(struct explorer *x)
{
	for (size_t i = 0; x->options->known && i < x->states.cap; i++) {
		if (x->states.slots[i].hash)
			hd_xknown_add(x->options->known, x->states.slots[i].hash,
				      x->states.slots[i].spent);
	}
}

static enum hd_err begin(struct explorer *x, struct hd_errbuf *eb)
{
	const struct hd_xoptions *o = x->options;
	struct hd_xposition *from = o->position ? *o->position : NULL;

	*x->stats = (struct hd_xstats){ .pct_length = o->pct_length };
	x->tree.sleep = x->tree.sequences = x->tree.by_graph = o->strategy == HD_X_DPOR;
	if (from) {
		x->tree = from->tree;
		x->states = from->states;
		*x->stats = from->stats;
		free(from);
		*o->position = NULL;
	}
	x->before = x->stats->executions;
	if (o->ahead)
		o->ahead(x->arg, NULL, 0);
	tell_known(x);
	x->likely = calloc(o->nahead + 1, sizeof(*x->likely));
	return x->likely ? HD_OK : hd_fail(eb, HD_ERR_NOMEM, "out of memory");
}

/* After an error the last request was not answered, and is the next one again. */
static enum hd_err end(struct explorer *x, enum hd_err err, struct hd_errbuf *eb)
{
	struct hd_xposition *p;

	hd_xasked_free(&x->asked);
	hd_xevents_free(&x->events);
	hd_xreversal_free(&x->reversals);
	free(x->likely);
	/* Of one that was not looked at to its end, nobody knows what it leads to. */
	if (x->options->position && (!x->stats->complete || x->tree.base) && err != HD_ERR_NOMEM &&
	    !x->within) {
		p = calloc(1, sizeof(*p));
		if (p) {
			*p = (struct hd_xposition){ x->tree, x->states, *x->stats };
			*x->options->position = p;
			return err;
		}
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	}
	hd_xtree_free(&x->tree);
	hd_seen_states_free(&x->states);
	return err;
}

enum hd_err hd_explore(const struct hd_xoptions *options, hd_xrun_fn *run, hd_xseen_fn *seen,
		       void *arg, struct hd_xstats *stats, struct hd_errbuf *eb)
{
	struct explorer x = { .options = options,
			      .run = run,
			      .seen = seen,
			      .arg = arg,
			      .stats = stats,
			      .began = hd_now() };
	enum hd_err err = begin(&x, eb);

	if (!err)
		err = is_random(x.options)		    ? try_at_random(&x, eb)
		      : options->strategy == HD_X_CONFLICTS ? try_conflicts(&x, eb)
							    : search(&x, eb);
	return end(&x, err, eb);
}
