/*
 * Runs to learn from: the observations that prediction starts from, and what is normal for
 * the program.
 *
 * In an orderly run a thread goes on until it waits or ends. What such runs do, in various
 * orders of the threads, is what the program does when nothing interferes; what it does in
 * some runs with preemptions too is taken into account where it cannot be told from a fault. In some of
 * them threads that nobody joins finish before the program ends, or nobody would see what they do.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

#include "campaign/same_run.h"
#include "common/array.h"
#include "common/listener.h"
#include "report/explain.h"

/*
 * rr: after so many scheduling points it is the next one's turn all the same, or a thread that
 * waits for another one in a loop that counts would go on for ever.
 */
#define LONG_TURN 5000

static const struct {
	enum hd_policy_word policy;
	uint64_t seed;
	bool orderly;
	bool last_exit; /* threads that nobody joins finish before the program ends */
} ordinary[] = {
	{ HD_POLICY_RR, 1, true, true },       { HD_POLICY_PCT, 1, true, false },
	{ HD_POLICY_PCT, 2, true, true },      { HD_POLICY_PCT, 3, true, true },
	{ HD_POLICY_RANDOM, 1, false, false }, { HD_POLICY_RANDOM, 2, false, true },
	{ HD_POLICY_RANDOM, 3, false, false },
};
#define ORDINARY (sizeof(ordinary) / sizeof(ordinary[0]))

static bool set_policy(struct hd_trial *t, enum hd_policy_word policy, uint64_t seed)
{
	t->run_as.policy = policy;
	t->run_as.seed = seed;
	t->run_as.rr_quantum = LONG_TURN;
	t->run_as.pct_depth = 1; /* no changes of priority */
	t->run_as.early = false; /* what only a stall brings about is not normal */
	return true;
}

/* ---- observations -------------------------------------------------------------------- */

/* Run @number of those that come first, of which there are @runs and the ordinary ones. */
static void show_progress(const struct hd_campaign *c, const char *what, size_t number, size_t runs)
{
	size_t all = c->config->runs + ORDINARY + 1;
	double seconds = hd_now() - c->began;
	char left[HD_PROGRESS_LEFT];

	hd_progress_show("heddle: %s, run %zu of %zu, %.1f a second%s", what, number, runs,
			 seconds > 0 ? (double)c->executions / seconds : 0,
			 hd_progress_left(left, (double)c->executions / (double)all, seconds,
					  hd_campaign_time_left(c)));
}

/* Scheduling points of a run of a program without an end: a second or less, with its analysis. */
#define ENDLESS 20000

/* Of what is observed, bytes of events that stay decoded: five million events. */
#define KEPT (256u << 20)

static bool observe_next(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_campaign *c = arg;
	uint64_t seed = c->config->run.seed;

	if (i == c->config->runs)
		return false;
	show_progress(c, "observing", i + 1, c->config->runs);
	*t = hd_campaign_trial(c);
	t->keep = KEPT / c->config->runs;
	if (i == 0 && c->begins_orderly) {
		t->run_as.last_exit = true; /* what they do is to be seen, too */
		return set_policy(t, HD_POLICY_RR, seed);
	}
	t->run_as.seed = seed + i - c->begins_orderly;
	return true;
}

/* Runs that take much longer than this one are ended; no longer than it, if it was itself. */
static void set_limit(struct hd_campaign *c, const struct hd_trial *t)
{
	double limit = t->timed_out ? t->told->seconds + 0.1 : t->told->seconds * 10 + 10;

	if (limit > c->pool.limit)
		c->pool.limit = limit;
}

static bool observe_take(void *arg, size_t i, struct hd_trial *t)
{
	struct hd_campaign *c = arg;

	hd_campaign_count(c, t);
	c->first_unfinished |= t->timed_out;
	if (!t->trace)
		return true; /* it was ended before it did anything */
	if (t->told->random_addresses && !i)
		hd_campaign_note(
			c, "address randomisation could not be switched off: addresses differ "
			   "from run to run, and plans may fail, unless the program is built "
			   "here (`heddle cc` then links it with -no-pie)");
	if (t->changed_files && c->pool.jobs > 1) {
		c->pool.jobs = 1; /* and nobody helps */
		hd_campaign_note(c,
				 "the program changes files, so its runs come one after the other");
	}
	set_limit(c, t);
	return hd_campaign_keep_observation(c, t);
}

static enum hd_err observe(struct hd_campaign *c, const struct hd_pool *pool)
{
	struct hd_trials trials = {
		.program = &c->program, .arg = c, .next = observe_next, .take = observe_take
	};
	enum hd_pool_why why = hd_trials_run(&trials, pool);

	if (trials.rc != HD_OK)
		return trials.rc;
	if (why != HD_POOL_TIME)
		hd_campaign_ended_early(c, why);
	if (why == HD_POOL_ENOUGH)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	return HD_OK;
}

/* What the first observation showed is told, but nothing more is learnt from it. */
static bool drop_first_observation(struct hd_campaign *c)
{
	if (!HD_ROOM(c->extra, c->extra_room, c->nextra + 1))
		return false;
	c->extra[c->nextra++] = (struct hd_witness){ .trial = c->observations[0].trial };
	memmove(c->observations, c->observations + 1,
		--c->nobservations * sizeof(*c->observations));
	return true;
}

/*
 * The program has no end, or none within the time. A run of it has more events than can be looked at, and
 * leaves no time to try anything: so runs are ended early from here on, and observed anew.
 */
static enum hd_err observe_beginning(struct hd_campaign *c, struct hd_pool pool)
{
	enum hd_err rc;

	pool.until = c->pool.until;
	pool.limit = hd_campaign_time_left(c) / 8; /* where there are few scheduling points */
	c->base.max_steps = ENDLESS;
	c->pool.limit = 0;
	c->first_unfinished = false;
	rc = observe(c, &pool);
	if (rc != HD_OK || c->nobservations < 2)
		return rc;
	hd_campaign_note(
		c,
		"to have time for other orders, further runs were ended after %d scheduling "
		"points (--max-steps), and candidates are those of such a run",
		ENDLESS);
	return drop_first_observation(c) ? HD_OK : hd_error(HD_ERR_NOMEM, "out of memory");
}

enum hd_err hd_check_observe(struct hd_campaign *c)
{
	struct hd_pool pool = c->pool;
	enum hd_err rc;

	pool.jobs = 1;	/* nobody knows yet whether runs meet in files ... */
	pool.limit = 0; /* ... or how long one takes */
	pool.unfinished = true;
	if (pool.until > 0) /* the rest is for what they show */
		pool.until = hd_now() + hd_campaign_time_left(c) / 3;
	rc = observe(c, &pool);
	if (rc != HD_OK)
		return rc;
	if (c->first_unfinished)
		hd_campaign_note(
			c,
			"the program had not ended after %.1f s and was stopped: the report says what "
			"it did until then",
			hd_now() - c->began);
	if (!c->nobservations)
		return hd_campaign_has_nothing(c);
	if (c->first_unfinished && !c->config->run.max_steps && c->pool.until > 0 &&
	    !c->interrupted && !c->out_of_memory)
		return observe_beginning(c, pool);
	return HD_OK;
}

/* ---- what is normal ------------------------------------------------------------------ */

struct normal {
	struct hd_campaign *c;
	struct hd_schedule again; /* the first observation's */
	bool differs;		  /* it did not come out the same again */
	bool failed;		  /* out of memory */
};

/* The first is a repetition of the first observation: does the same schedule do the same? */
static bool normal_next(void *arg, size_t i, struct hd_trial *t)
{
	struct normal *n = arg;
	struct hd_campaign *c = n->c;
	const struct hd_trial *first = c->observations[0].trial;

	if (i > ORDINARY)
		return false;
	show_progress(c, "what is normal", i + 1, ORDINARY + 1);
	*t = hd_campaign_trial(c);
	if (i && ordinary[i - 1].last_exit)
		t->run_as.last_exit = true;
	if (i)
		return set_policy(t, ordinary[i - 1].policy, ordinary[i - 1].seed);
	t->run_as = first->run_as;
	t->follow = HD_POLICY_REPLAY;
	t->choices = n->again.choices;
	t->nchoices = n->again.nchoices;
	return true;
}

static void judge_again(struct normal *n, const struct hd_trial *t)
{
	const struct hd_behaviour *a = &n->c->observations[0].trial->behaviour, *b = &t->behaviour;

	n->differs = hd_run_divergence(&t->run) || a->exited != b->exited || a->code != b->code;
	for (int s = 0; s < HD_STREAMS; s++) {
		n->differs |= !hd_text_same_lines(&a->text[s], &b->text[s]);
		hd_normal_add_again(&n->c->normal, s, &a->text[s], &b->text[s]);
	}
	n->c->normal.exit_varies |= a->exited != b->exited || a->code != b->code;
}

static bool normal_take(void *arg, size_t i, struct hd_trial *t)
{
	struct normal *n = arg;
	struct hd_campaign *c = n->c;
	bool orderly = i && ordinary[i - 1].orderly;

	hd_campaign_count(c, t);
	if (!t->trace || t->timed_out || t->run.assumed)
		return true;
	if (!i) {
		judge_again(n, t);
		return true;
	}
	if (orderly && !hd_campaign_know(c, t))
		n->failed = true;
	hd_normal_add(&c->normal, &t->behaviour, orderly);
	if (!hd_campaign_keep_extra(c, t))
		n->failed = true;
	return !n->failed;
}

static void note_normal(struct hd_campaign *c, const struct normal *n)
{
	const struct hd_normal *k = &c->normal;

	if (n->differs)
		hd_campaign_note(
			c, "the same schedule does not always do the same: the program depends "
			   "on something outside of it");
	if (k->exit_varies)
		hd_campaign_note(
			c, "the exit status differs between ordinary runs, so it was not used "
			   "to judge others");
	else if (k->failed)
		hd_campaign_note(c, "%zu of %zu ordinary runs ended unlike the orderly ones",
				 k->failed, k->runs);
	if (k->text_varies[HD_STDOUT] || k->text_varies[HD_STDERR])
		hd_campaign_note(c, "the output differs between ordinary runs, so by itself it was "
				    "not used to judge others; --oracle can");
}

enum hd_err hd_check_normal(struct hd_campaign *c)
{
	struct normal n = { .c = c };
	struct hd_trials trials = {
		.program = &c->program, .arg = &n, .next = normal_next, .take = normal_take
	};
	struct hd_errbuf eb = { 0 };
	char path[64];
	enum hd_err rc;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", c->observations[0].trial->trace_fd);
	if (hd_schedule_load(&n.again, path, &eb) != HD_OK)
		return hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	hd_campaign_ended_early(c, hd_trials_run(&trials, &c->pool));
	hd_schedule_free(&n.again);
	rc = trials.rc;
	if (rc == HD_OK && n.failed)
		rc = hd_error(HD_ERR_NOMEM, "out of memory");
	if (rc == HD_OK)
		note_normal(c, &n);
	if (rc == HD_OK && c->normal.usual.oracle > 0)
		rc = hd_error(HD_ERR_REQUEST,
			      "the oracle's status is %d for an ordinary run: it must be 0 "
			      "where nothing is wrong",
			      c->normal.usual.oracle);
	return rc;
}

/* ---- a run that was recorded before --------------------------------------------------- */

static void put_step(FILE *out, const struct hd_run *run, const struct hd_event *ev)
{
	struct hd_frame frame;

	if (!ev->op) {
		fputs("nothing more", out);
		return;
	}
	fprintf(out, "T%u: %s", ev->thread, hd_op_info[ev->op].name);
	if (hd_op_info[ev->op].value == HD_U_VAL)
		fprintf(out, " %llu", (unsigned long long)ev->value);
	if (hd_run_frame(run, ev->pc, &frame)) {
		fputs(" at ", out);
		hd_put_site(out, &frame);
	}
}

/* "it now has T1: read 6 at x.c:4 in f where the trace has T1: read 5 ...". */
static void describe_difference(char *buf, size_t len, const struct hd_run *now,
				const struct hd_run *then, const struct hd_difference *d)
{
	FILE *out = fmemopen(buf, len - 1, "w");

	memset(buf, 0, len);
	if (!out)
		return;
	fputs("it now has ", out);
	put_step(out, now, &d->b);
	fputs(" where the trace has ", out);
	put_step(out, then, &d->a);
	fclose(out);
}

struct recorded {
	struct hd_campaign *c;
	const struct hd_schedule *schedule;
	const char *path;
	struct hd_trace *trace;
	struct hd_run run;
	enum hd_err rc;
};

static bool recorded_next(void *arg, size_t i, struct hd_trial *t)
{
	struct recorded *r = arg;

	*t = hd_campaign_trial(r->c);
	t->keep = KEPT;
	t->follow = HD_POLICY_REPLAY;
	t->choices = r->schedule->choices;
	t->nchoices = r->schedule->nchoices;
	return i == 0;
}

/* The program as it is now, under the recorded schedule: is it the same run? */
static enum hd_err compare(struct recorded *r, struct hd_trial *t)
{
	const char *now = hd_run_build_id(&t->run), *then = hd_run_build_id(&r->run);
	struct hd_difference d;
	char how[500];

	if (now && then && strcmp(now, then))
		return hd_error(HD_ERR_REQUEST,
				"the program has changed since '%s' was recorded; record "
				"it again, or check without --trace",
				r->path);
	hd_compare_runs(r->trace, t->trace, &d);
	if (!d.differs && !d.in_value)
		return HD_OK;
	describe_difference(how, sizeof(how), &t->run, &r->run, &d);
	if (d.differs)
		return hd_error(HD_ERR_REQUEST,
				"the program does not do what it did when '%s' was recorded "
				"(its input or surroundings have changed): %s",
				r->path, how);
	hd_campaign_note(
		r->c,
		"values differ from those in the trace (the program's input or surroundings "
		"have changed), so the run was observed anew: %s",
		how);
	return HD_OK;
}

static bool recorded_take(void *arg, size_t i, struct hd_trial *t)
{
	struct recorded *r = arg;

	r->c->executions++;
	r->rc = compare(r, t);
	if (r->rc != HD_OK)
		return false;
	set_limit(r->c, t);
	if (!hd_campaign_keep_observation(r->c, t))
		r->rc = hd_error(HD_ERR_NOMEM, "out of memory");
	return true;
}

enum hd_err hd_check_from_trace(struct hd_campaign *c, const struct hd_schedule *s,
				const char *path)
{
	struct recorded r = { .c = c, .schedule = s, .path = path };
	struct hd_trials trials = {
		.program = &c->program, .arg = &r, .next = recorded_next, .take = recorded_take
	};
	struct hd_pool pool = c->pool;
	struct hd_errbuf eb = { 0 };

	if (hd_trace_open(&r.trace, path, &eb) != HD_OK)
		return hd_error(HD_ERR_REQUEST, "--trace: %s", eb.text);
	if (hd_run_read(&r.run, r.trace, NULL, NULL, &eb) != HD_OK) {
		r.rc = hd_error(HD_ERR_SYSTEM, "%s", eb.text);
	} else {
		pool.limit = 0;
		hd_campaign_ended_early(c, hd_trials_run(&trials, &pool));
	}
	hd_run_free(&r.run);
	hd_trace_close(r.trace);
	if (r.rc == HD_OK)
		r.rc = trials.rc;
	if (r.rc == HD_OK && !c->nobservations)
		r.rc = hd_error(HD_ERR_REQUEST, "the program did not come to its end");
	return r.rc;
}
