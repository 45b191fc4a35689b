#include "replay_run.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "conclude.h"
#include "launch/program_file.h"
#include "plan_run.h"

/* ---- what is followed ------------------------------------------------------------------- */

static const struct hd_schedule *schedule_of(const struct hd_replay *r)
{
	return r->by_plan ? &r->plan.run : &r->schedule;
}

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return a && stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/* The build id of the program that the trace at @path was recorded from; NULL: unknown. */
static char *recorded_build_id(const char *path)
{
	struct hd_trace *trace;
	struct hd_plan head;
	char *id = NULL;

	if (hd_trace_open(&trace, path, NULL) != HD_OK)
		return NULL; /* a schedule as text has none */
	if (hd_plan_init(&head, trace, NULL) == HD_OK) {
		id = head.build_id;
		head.build_id = NULL;
		hd_plan_free(&head);
	}
	hd_trace_close(trace);
	return id;
}

static enum hd_err load_schedule(struct hd_replay *r)
{
	struct hd_errbuf eb = { 0 };

	if (r->config->force || r->config->after)
		return hd_error(HD_ERR_REQUEST,
				"--force and --after are for plans; '%s' is a schedule", r->path);
	if (hd_schedule_load(&r->schedule, r->path, &eb) != HD_OK)
		return hd_error(HD_ERR_REQUEST, "%s", eb.text);
	r->build_id = recorded_build_id(r->path);
	return HD_OK;
}

static enum hd_err load_plan(struct hd_replay *r)
{
	struct hd_errbuf eb = { 0 };

	if (hd_plan_load(&r->plan, r->path, &eb) != HD_OK)
		return hd_error(HD_ERR_REQUEST, "%s", eb.text);
	r->by_plan = true;
	return hd_plan_check_after(r->config->after);
}

/*
 * The trace gets the options of the recorded run, so that it comes out equal to
 * the first one; only the runtime is told that it follows a schedule.
 */
static enum hd_err take_options(struct hd_replay *r)
{
	const struct hd_schedule *s = schedule_of(r);
	enum hd_err err;

	r->run = r->config->run;
	err = hd_run_config_from_schedule(&r->run, s, r->path);
	if (s->start_time)
		r->run.start_time = s->start_time;
	r->run.after = r->config->after;
	if (r->by_plan && !r->run.after)
		r->run.after = r->plan.after;
	if (r->by_plan)
		hd_plan_options(&r->run);
	return err;
}

static enum hd_err save(const struct hd_replay *r)
{
	struct hd_errbuf eb = { 0 };

	if (!r->config->save)
		return HD_OK;
	if (r->by_plan)
		return hd_error(HD_ERR_REQUEST, "--save is for schedules; '%s' is a plan", r->path);
	if (hd_schedule_save(&r->schedule, r->config->save, &eb) != HD_OK)
		return hd_error(HD_ERR_REQUEST, "%s", eb.text);
	return HD_OK;
}

static enum hd_err choose_program(struct hd_replay *r, char **argv)
{
	const struct hd_schedule *s = schedule_of(r);

	if (argv && argv[0]) {
		r->argv = argv;
		while (argv[r->argc])
			r->argc++;
	} else if (s->argc) {
		r->argv = s->argv;
		r->argc = s->argc;
	} else {
		return hd_error(HD_ERR_REQUEST,
				"'%s' does not say which program to run; add -- PROGRAM ...",
				r->path);
	}
	if (!r->by_plan || r->config->force)
		return HD_OK;
	return hd_plan_check_program(&r->plan, r->path, r->argv, r->argc);
}

enum hd_err hd_replay_load(struct hd_replay *r, const struct hd_replay_config *config,
			   const char *path, char **argv)
{
	enum hd_err err;

	*r = (struct hd_replay){ .config = config, .path = path };
	if (same_file(config->record, path) || same_file(config->save, path))
		return hd_error(HD_ERR_REQUEST,
				"'%s' is the schedule itself and would be overwritten", path);
	err = hd_plan_is(path) ? load_plan(r) : load_schedule(r);
	if (!err)
		err = take_options(r);
	if (!err)
		err = save(r);
	if (!err)
		err = choose_program(r, argv);
	return err;
}

void hd_replay_free(struct hd_replay *r)
{
	free(r->build_id);
	hd_schedule_free(&r->schedule);
	if (r->by_plan)
		hd_plan_free(&r->plan);
}

/* ---- the run ---------------------------------------------------------------------------- */

struct hd_launch hd_replay_launch(const struct hd_replay *r)
{
	static const uint32_t none;
	const struct hd_schedule *s = schedule_of(r);
	struct hd_launch l = { .argv = r->argv, .run = &r->run, .record = r->config->record };

	if (r->by_plan) {
		l.follow = HD_POLICY_PLAN;
		l.plan = r->plan.entries;
		l.nplan = r->plan.n;
	} else {
		l.follow = HD_POLICY_REPLAY;
		l.choices = s->nchoices ? s->choices : &none;
		l.nchoices = s->nchoices;
	}
	return l;
}

static enum hd_err launch(const struct hd_replay *r, struct hd_conclusion *c,
			  enum hd_status *status)
{
	struct hd_launch l = hd_replay_launch(r);
	struct hd_outputs outputs;
	struct hd_outcome outcome;
	enum hd_err err = hd_find_built_program(r->argv[0]);

	if (!err)
		err = hd_outputs_open(&outputs, &r->config->outputs);
	if (err)
		return err;
	c->outputs = &outputs;
	err = hd_launch(&l, &outcome);
	if (!err)
		err = hd_conclude(c, &outcome, status);
	return hd_outputs_close(&outputs, err);
}

static enum hd_err run(const struct hd_replay *r, enum hd_status *status)
{
	char *command = hd_replay_command(r->path, &r->run, r->argv), *origin = NULL;
	struct hd_conclusion c = { .command = "replay",
				   .quiet = r->config->outputs.quiet,
				   .record = r->config->record,
				   .schedule = r->path,
				   .replay = command,
				   .build_id = r->by_plan ? r->plan.build_id : r->build_id,
				   .plan = r->by_plan ? &r->plan : NULL };
	enum hd_err err;

	if (!command || asprintf(&origin, "replayed from %s", r->path) < 0) {
		err = hd_error(HD_ERR_NOMEM, "out of memory");
	} else {
		c.origin = origin;
		err = launch(r, &c, status);
	}
	free(origin);
	free(command);
	return err;
}

enum hd_err hd_replay_schedule(const struct hd_replay_config *config, const char *path, char **argv,
			       enum hd_status *status)
{
	struct hd_replay r;
	enum hd_err err = hd_replay_load(&r, config, path, argv);

	if (!err)
		err = run(&r, status);
	hd_replay_free(&r);
	return err;
}
