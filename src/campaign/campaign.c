/*
 * What check and explore have in common: options, notes, the budget, the end.
 */
#include "campaign.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/budget.h"
#include "common/hash.h"
#include "common/listener.h"
#include "helpers.h"
#include "launch/launch.h"

/* When all parts of a job believe to run, unless somebody says otherwise: in September 2020. */
#define PART_TIME 1600000000u

void hd_campaign_note(struct hd_campaign *c, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	if (c->nnotes == HD_CAMPAIGN_NOTES)
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n >= 0)
		c->notes[c->nnotes++] = text;
}

void hd_campaign_count(struct hd_campaign *c, const struct hd_trial *t)
{
	c->executions++;
	c->unfinished += hd_trial_was_ended(t);
	c->assumed += t->trace && t->run.assumed;
}

double hd_campaign_time_left(const struct hd_campaign *c)
{
	double left = c->pool.until - hd_now();

	return c->pool.until <= 0 ? 0 : left > 0.001 ? left : 0.001;
}

enum hd_err hd_campaign_has_nothing(const struct hd_campaign *c)
{
	const char *word = hd_stop_word(hd_budget_stop());

	if (c->interrupted)
		return hd_error(HD_ERR_STOPPED, "interrupted before the program had done anything");
	return hd_error(HD_ERR_STOPPED, "--%s ran out before the program had done anything",
			word ? word : "time");
}

void hd_campaign_look_at_budget(struct hd_campaign *c)
{
	enum hd_stop why = hd_budget_stop();

	c->interrupted |= why == HD_STOP_INTERRUPTED;
	c->out_of_time |= why == HD_STOP_TIME;
	c->out_of_memory |= why == HD_STOP_MEMORY;
}

bool hd_campaign_ended_early(struct hd_campaign *c, enum hd_pool_why why)
{
	c->out_of_time |= why == HD_POOL_TIME;
	c->interrupted |= why == HD_POOL_INTERRUPTED;
	c->out_of_memory |= why == HD_POOL_MEMORY;
	return why == HD_POOL_TIME || why == HD_POOL_INTERRUPTED || why == HD_POOL_MEMORY;
}

struct hd_trial hd_campaign_trial(const struct hd_campaign *c)
{
	return (struct hd_trial){ .run_as = c->base, .trace_fd = -1, .text_fd = { -1, -1 } };
}

/* ---- what it is about ------------------------------------------------------------------- */

static uint64_t hash_fd(int fd)
{
	static char buf[1 << 16];
	uint64_t h = HD_FNV_START;
	off_t at = 0;
	ssize_t n;

	while (fd >= 0 && (n = pread(fd, buf, sizeof(buf), at)) > 0) {
		h = hd_fnv_bytes(h, buf, (size_t)n);
		at += n;
	}
	return h;
}

uint64_t hd_campaign_program(const struct hd_campaign *c)
{
	char *path = hd_program_path(c->program.argv[0]);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	uint64_t part[2] = { hash_fd(fd), hash_fd(c->program.input) };
	uint64_t h = hd_fnv_bytes(HD_FNV_START, part, sizeof(part));

	for (int i = 1; i < c->program.argc; i++)
		h = hd_fnv_bytes(h, c->program.argv[i], strlen(c->program.argv[i]) + 1);
	if (fd >= 0)
		close(fd);
	free(path);
	return h;
}

/* ---- set-up ------------------------------------------------------------------------------- */

/* What all runs have in common: every access is recorded, and time starts at one moment. */
enum hd_err hd_campaign_set_up(struct hd_campaign *c)
{
	const struct hd_campaign_config *o = c->config;
	enum hd_err rc;

	c->base = o->run;
	c->base.exact = true;
	c->base.calls |= o->analysis.atomic || o->analysis.atomic_functions;
	if (!c->base.start_time)
		c->base.start_time = o->parts ? PART_TIME : (uint64_t)time(NULL);
	c->pool.jobs = o->jobs ? o->jobs : 1;
	if (c->pool.jobs > HD_POOL_JOBS)
		return hd_error(HD_ERR_REQUEST, "--jobs must be from 1 to %u", HD_POOL_JOBS);
	c->stalls = o->stalls;
	c->program.oracle = o->oracle;
	c->began = hd_now();
	rc = hd_outputs_open(&c->outputs, &o->outputs);
	c->pool.until = hd_budget_until();
	return rc;
}

static enum hd_err not_opened(const char *path, enum hd_err err, const struct hd_errbuf *eb)
{
	return hd_error(err == HD_ERR_INVALID ? HD_ERR_REQUEST : HD_ERR_SYSTEM,
			"what is done cannot be kept in '%s': %s", path, eb->text);
}

enum hd_err hd_campaign_open_state(struct hd_campaign *c)
{
	const char *path = c->config->state, *oracle = c->program.oracle;
	uint64_t about, start = c->base.start_time;
	struct hd_errbuf eb = { 0 };
	enum hd_err err;

	if (!path)
		return HD_OK;
	c->kept = calloc(1, sizeof(*c->kept));
	if (!c->kept)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	about = hd_fnv_text(hd_campaign_program(c), oracle ? oracle : "");
	err = hd_answers_open(&c->kept->answers, path, about, &start, &eb);
	if (err)
		return not_opened(path, err, &eb);
	if (c->config->run.start_time && c->config->run.start_time != start)
		return hd_error(HD_ERR_REQUEST, "'%s' was begun with --start-time %llu", path,
				(unsigned long long)start);
	if (hd_answers_damaged(c->kept->answers))
		hd_warn("the last %llu bytes of '%s' are damaged, and left out",
			(unsigned long long)hd_answers_damaged(c->kept->answers), path);
	/* When the program believes to run is part of what it does. */
	c->base.start_time = start;
	c->pool.kept = c->kept;
	return HD_OK;
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

void hd_campaign_tear_down(struct hd_campaign *c)
{
	hd_campaign_dismiss_helpers(c);
	for (size_t i = 0; i < c->nattempts; i++)
		free_attempt(&c->attempts[i]);
	for (size_t i = 0; i < c->nextra; i++)
		hd_witness_free(&c->extra[i]);
	for (size_t i = 0; i < c->nharm; i++)
		hd_witness_free(&c->harm[i]);
	for (size_t i = 0; i < c->nobservations; i++) {
		struct hd_observation *o = &c->observations[i];

		hd_candidates_free(&o->candidates);
		hd_predictor_free(&o->predictor);
		hd_trial_free(o->trial);
		free(o->trial);
	}
	for (size_t i = 0; i < c->nreasons; i++)
		hd_candidates_free(&c->reasons[i]);
	for (size_t i = 0; i < c->nnotes; i++)
		free(c->notes[i]);
	hd_user_goals_free(&c->goals);
	hd_kept_trials_free(c->kept);
	free(c->attempts);
	free(c->reasons);
	free(c->extra);
	free(c->harm);
	free(c->observations);
	free(c->known.list);
	free(c->saved);
	free(c->told.list);
	hd_normal_free(&c->normal);
	if (c->program.input > 0)
		close(c->program.input);
}
