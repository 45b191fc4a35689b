/*
 * What the parts of `heddle check` have in common: options, notes, the end.
 */
#include "campaign.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/budget.h"

void hd_check_note(struct hd_check *c, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	if (c->nnotes == HD_CHECK_NOTES)
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n >= 0)
		c->notes[c->nnotes++] = text;
}

double hd_check_time_left(const struct hd_check *c)
{
	double left = c->pool.until - hd_now();

	return c->pool.until <= 0 ? 0 : left > 0.001 ? left : 0.001;
}

void hd_check_look_at_budget(struct hd_check *c)
{
	enum hd_stop why = hd_budget_stop();

	c->interrupted |= why == HD_STOP_INTERRUPTED;
	c->out_of_time |= why == HD_STOP_TIME;
	c->out_of_memory |= why == HD_STOP_MEMORY;
}

/* ---- set-up ------------------------------------------------------------------------------- */

/* What all runs have in common: every access is recorded, and time starts at one moment. */
int hd_check_set_up(struct hd_check *c)
{
	const struct hd_cli_options *o = c->options;
	int rc;

	c->base = *o;
	c->base.value[HD_OPT_EXACT] = "1";
	if (o->value[HD_OPT_ATOMIC] || o->value[HD_OPT_ATOMIC_FUNCTIONS])
		c->base.value[HD_OPT_CALLS] = "1";
	if (!strcmp(o->value[HD_OPT_START_TIME], "0")) {
		snprintf(c->start_time, sizeof(c->start_time), "%lld", (long long)time(NULL));
		c->base.value[HD_OPT_START_TIME] = c->start_time;
	}
	c->pool.jobs = o->value[HD_OPT_JOBS] ? (unsigned)strtoul(o->value[HD_OPT_JOBS], NULL, 10) : 1;
	if (!c->pool.jobs || c->pool.jobs > HD_POOL_JOBS)
		return hd_die(HD_EXIT_USAGE, "--jobs must be from 1 to %u", HD_POOL_JOBS);
	if (o->value[HD_OPT_RUNS] && !strcmp(o->value[HD_OPT_RUNS], "0"))
		return hd_die(HD_EXIT_USAGE, "--runs must be at least 1");
	/* For an explorer time orders nothing. */
	c->stalls = o->command == HD_FOR_EXPLORE ? UINT64_MAX
						  : strtoull(o->value[HD_OPT_STALLS], NULL, 10);
	c->program.oracle = o->value[HD_OPT_ORACLE];
	c->began = hd_now();
	rc = hd_outputs_open(&c->outputs, o);
	c->pool.until = hd_budget_until();
	return rc;
}

static void free_attempt(struct hd_attempt *a)
{
	if (a->predicted)
		hd_prediction_free(&a->prediction);
	if (a->planned)
		hd_plan_free(&a->plan);
	if (a->failing)
		hd_trial_free(a->failing);
	if (a->realising)
		hd_trial_free(a->realising);
	free(a->failing);
	free(a->realising);
	hd_witness_free(&a->witness);
}

void hd_check_tear_down(struct hd_check *c)
{
	for (size_t i = 0; i < c->nattempts; i++)
		free_attempt(&c->attempts[i]);
	for (size_t i = 0; i < c->nextra; i++)
		hd_witness_free(&c->extra[i]);
	for (size_t i = 0; i < c->nobservations; i++) {
		struct hd_observation *o = &c->observations[i];

		hd_candidates_free(&o->candidates);
		if (o->predict)
			hd_predict_free(o->predict);
		hd_trial_free(o->trial);
		free(o->trial);
	}
	for (size_t i = 0; i < c->nnumbers; i++)
		free(c->numbers[i]);
	for (size_t i = 0; i < c->nnotes; i++)
		free(c->notes[i]);
	free(c->attempts);
	free(c->extra);
	free(c->observations);
	free(c->numbers);
	free(c->known);
	free(c->saved);
	free(c->told);
	hd_normal_free(&c->normal);
	if (c->program.input > 0)
		close(c->program.input);
}
