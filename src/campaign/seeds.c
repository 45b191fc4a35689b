#include "seeds.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/budget.h"
#include "common/listener.h"
#include "helpers.h"
#include "launch/program_file.h"

struct seeds {
	struct hd_campaign *c;
	uint64_t first, last, step; /* of these; with --part not all */
	uint64_t done;		    /* runs that were looked at ... */
	uint64_t before;	    /* ... and that were so before those that go on now */
	uint64_t showing;	    /* of these, with findings */
	uint64_t lowest;	    /* seed of these */
	bool failed;		    /* out of memory */
};

static bool next(void *arg, size_t i, struct hd_trial *t)
{
	const struct seeds *s = arg;
	uint64_t number = s->before + i;

	if ((s->last - s->first) / s->step < number)
		return false;
	*t = hd_campaign_trial(s->c);
	t->run_as.seed = s->first + number * s->step;
	t->brief = number > 0; /* the first one carries the report */
	return true;
}

static void show_progress(const struct seeds *s)
{
	const struct hd_campaign *c = s->c;
	uint64_t all = (s->last - s->first) / s->step + 1;
	double seconds = hd_now() - c->began;
	char left[HD_PROGRESS_LEFT];

	if (!hd_progress_due())
		return;
	hd_progress_show("heddle: %" PRIu64 " of %" PRIu64 " seeds, %" PRIu64
			 " with findings, %.0f a second%s",
			 s->done, all, s->showing, seconds > 0 ? (double)s->done / seconds : 0,
			 hd_progress_left(left, (double)s->done / (double)all, seconds,
					  hd_campaign_time_left(c)));
}

static bool shows_anything(const struct hd_trial *t)
{
	return t->shows || (t->trace && hd_trial_shows(t));
}

static bool look_at(struct seeds *s, const struct hd_trial *t, uint64_t seed)
{
	bool shows = shows_anything(t);

	hd_campaign_count(s->c, t);
	if (shows && !s->showing++)
		s->lowest = seed;
	show_progress(s);
	return shows;
}

static bool take(void *arg, size_t i, struct hd_trial *t)
{
	struct seeds *s = arg;
	bool shows = look_at(s, t, s->first + (s->before + i) * s->step);

	s->done++;
	if (!hd_campaign_keep_extra(s->c, t))
		s->failed = true;
	return !s->failed && (!shows || s->c->config->keep_going);
}

static bool take_first(void *arg, size_t i, struct hd_trial *t)
{
	struct seeds *s = arg;

	(void)i;
	look_at(s, t, s->first);
	s->done++;
	s->c->first_unfinished = t->timed_out;
	if (t->changed_files && s->c->pool.jobs > 1)
		s->c->pool.jobs = 1;
	if (t->trace && !hd_campaign_keep_observation(s->c, t))
		s->failed = true;
	return false;
}

static enum hd_err run_some(struct seeds *s, bool only_first)
{
	struct hd_campaign *c = s->c;
	struct hd_trials trials = { .program = &c->program,
				    .arg = s,
				    .next = next,
				    .take = only_first ? take_first : take };
	struct hd_pool pool = c->pool;

	s->before = s->done;
	if (only_first) { /* nobody knows yet whether runs meet in files */
		pool.jobs = 1;
		pool.unfinished = true;
	}
	hd_campaign_ended_early(c, hd_trials_run(&trials, &pool));
	if (trials.rc == HD_OK && s->failed)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	return trials.rc;
}

static void note_seeds(struct seeds *s)
{
	struct hd_campaign *c = s->c;
	uint64_t all = (s->last - s->first) / s->step + 1;

	if (s->showing && s->done > 1)
		hd_campaign_note(c,
				 "%" PRIu64 " of %" PRIu64
				 " runs show findings, the first with --seed %" PRIu64,
				 s->showing, s->done, s->lowest);
	if (s->done < all && hd_budget_over() && s->step == 1)
		hd_campaign_note(c,
				 "not all seeds were run: --seeds %" PRIu64 "..%" PRIu64 " goes on",
				 s->first + s->done, s->last);
}

static enum hd_err run_all(struct seeds *s)
{
	struct hd_campaign *c = s->c;
	bool enough;
	enum hd_err rc = run_some(s, true);

	if (rc != HD_OK)
		return rc;
	if (!c->nobservations)
		return hd_campaign_has_nothing(c);
	rc = hd_campaign_show_helpers(c, c->observations[0].trial);
	enough = s->showing && !c->config->keep_going;
	if (rc == HD_OK && !enough && !c->out_of_time && !c->interrupted && !c->out_of_memory)
		rc = run_some(s, false);
	c->incomplete = s->done <= (s->last - s->first) / s->step;
	if (c->incomplete && !hd_budget_over())
		c->stopped = "finding";
	if (rc == HD_OK)
		rc = hd_campaign_conclude(c);
	if (rc != HD_OK)
		return rc;
	note_seeds(s);
	hd_campaign_note_helpers(c);
	return hd_campaign_report(c);
}

/* ---- from beginning to end ---------------------------------------------------------------- */

static enum hd_err run(struct seeds *s)
{
	struct hd_campaign *c = s->c;
	const struct hd_campaign_config *o = c->config;
	enum hd_err rc;

	c->command = "run";
	rc = hd_campaign_set_up(c);
	if (rc != HD_OK)
		return rc;
	c->base.exact = o->run.exact; /* nothing is predicted from these runs */
	rc = hd_program_input(&c->program, o->standard_input);
	if (rc == HD_OK)
		rc = hd_campaign_open_state(c);
	if (rc == HD_OK)
		rc = hd_campaign_call_helpers(c);
	if (o->parts)
		c->part = (struct hd_report_part){ .number = o->part,
						   .of = o->parts,
						   .program = hd_campaign_program(c),
						   .options = o->options };
	if (rc == HD_OK)
		rc = run_all(s);
	hd_progress_clear();
	return hd_outputs_close(&c->outputs, rc);
}

struct asked {
	char **argv;
	uint64_t first, last;
	enum hd_status *status;
};

static enum hd_err run_seeds(void *arg, const struct hd_campaign_config *config)
{
	const struct asked *asked = arg;
	struct hd_campaign *c = calloc(1, sizeof(*c));
	struct seeds s = { .c = c, .first = asked->first, .last = asked->last, .step = 1 };
	enum hd_err err;

	if (!c)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	if (config->parts) {
		s.step = config->parts;
		s.first += config->part - 1;
	}
	if (s.first > s.last) {
		free(c);
		return hd_error(HD_ERR_REQUEST, "there are fewer seeds than parts");
	}
	c->config = config;
	c->program.argv = asked->argv;
	while (asked->argv[c->program.argc])
		c->program.argc++;
	err = hd_find_built_program(asked->argv[0]);
	if (!err)
		err = run(&s);
	*asked->status = c->status;
	hd_campaign_tear_down(c);
	free(c);
	return err;
}

enum hd_err hd_run_seeds(const struct hd_campaign_config *config, char **argv, uint64_t first,
			 uint64_t last, enum hd_status *status)
{
	struct asked asked = { argv, first, last, status };

	*status = HD_STATUS_CLEAN;
	return hd_campaign_lead(config, argv, run_seeds, &asked);
}
