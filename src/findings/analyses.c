#include "analyses.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/driver.h"
#include "common/listener.h"
#include "common/clock.h"
#include "common/map.h"
#include "group_names.h"
#include "common/listener.h"
#include "report/found_model.h"
#include "wakeup_note.h"

#define NOTES 10

struct hd_analyses {
	struct hd_analysis_setup setup;
	bool has_regex, all_functions;
	regex_t regex;
	struct hd_groups groups;
	struct hd_run *run;
	hd_found_fn *tell; /* NULL: the run is told */
	void *tell_arg;
	struct hd_driver *driver;
	struct hd_group_names *names; /* for groups; NULL: there are none */
	uint32_t next_group;
	struct hd_map depth;	 /* thread -> functions that it is in, plus 1 */
	struct hd_map outermost; /* pc of a function that some thread begins with -> 1 */
	enum hd_err err;	 /* of a callback */
	double began;		 /* when they were first given events */
	const char *notes[NOTES + 1];
	size_t nnotes;
	char how_far[160]; /* a note: they came to no more than a part of the events */
	struct hd_lost_wakeup lost;
	bool has_lost;
	char *lost_words; /* a note of it */
};

const struct hd_analyses_stats *hd_analyses_stats(const struct hd_analyses *a)
{
	return hd_driver_stats(a->driver);
}

const char *const *hd_analyses_notes(const struct hd_analyses *a)
{
	return a->notes;
}

const struct hd_lost_wakeup *hd_analyses_lost_wakeup(const struct hd_analyses *a)
{
	return a->has_lost ? &a->lost : NULL;
}

/* ---- options ---------------------------------------------------------------- */

static enum hd_err choose(struct hd_analyses *a, const char *only)
{
	while (*only) {
		size_t len = strcspn(only, ",");
		int i = 0;

		while (i < HD_DO_COUNT && (strlen(hd_analysis_word(i)) != len ||
					   strncmp(hd_analysis_word(i), only, len)))
			i++;
		if (i == HD_DO_COUNT)
			return hd_error(
				HD_ERR_REQUEST,
				"--only must list some of race, atomicity, "
				"patterns, together, deadlock, tasks and wakeups, not '%.*s'",
				(int)len, only);
		a->setup.wanted[i] = true;
		only += len + (only[len] != 0);
	}
	return HD_OK;
}

static enum hd_err take_options(struct hd_analyses *a, const struct hd_analysis_config *o,
				bool offline)
{
	struct hd_errbuf eb = { 0 };
	char why[200];
	int code;

	if (o->only) {
		enum hd_err rc = choose(a, o->only);

		if (rc != HD_OK)
			return rc;
	} else {
		for (int i = 0; i < HD_DO_COUNT; i++)
			a->setup.wanted[i] = offline || i != HD_DO_RACE;
		/* A guess, for those who run what comes of it. */
		a->setup.wanted[HD_DO_TOGETHER] = false;
	}
	a->setup.tasks.steps_atomic = o->atomic_steps;
	if (o->tasks >= HD_ALGORITHM_COMPLETE && o->tasks <= HD_ALGORITHM_VELODROME)
		a->setup.tasks.algorithm =
			(enum hd_task_algorithm)(o->tasks - HD_ALGORITHM_COMPLETE);
	a->all_functions = o->atomic_functions;
	if (o->atomic) {
		code = regcomp(&a->regex, o->atomic, REG_EXTENDED | REG_NOSUB);
		if (code) {
			regerror(code, &a->regex, why, sizeof(why));
			return hd_error(HD_ERR_REQUEST,
					"--atomic must be a regular expression, not "
					"'%s': %s",
					o->atomic, why);
		}
		a->has_regex = true;
	}
	if (o->groups && hd_groups_load(&a->groups, o->groups, &eb) != HD_OK)
		return hd_error(HD_ERR_REQUEST, "%s", eb.text);
	return HD_OK;
}

enum hd_err hd_analyses_new(struct hd_analyses **out, const struct hd_analysis_config *o,
			    bool offline)
{
	struct hd_analyses *a = calloc(1, sizeof(*a));
	enum hd_err rc;

	*out = NULL;
	if (!a)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	rc = take_options(a, o, offline);
	if (rc == HD_OK)
		*out = a;
	else
		hd_analyses_free(a);
	return rc;
}

void hd_analyses_free(struct hd_analyses *a)
{
	if (!a)
		return;
	hd_driver_free(a->driver);
	free(a->lost_words);
	hd_group_names_free(a->names);
	hd_groups_free(&a->groups);
	hd_map_free(&a->depth);
	hd_map_free(&a->outermost);
	if (a->has_regex)
		regfree(&a->regex);
	free(a);
}

void hd_analyses_tell(struct hd_analyses *a, hd_found_fn *fn, void *arg)
{
	a->tell = fn;
	a->tell_arg = arg;
}

void hd_analyses_with(struct hd_analyses *a, enum hd_analysis which)
{
	a->setup.wanted[which] = true;
}

void hd_analyses_without(struct hd_analyses *a, enum hd_analysis which)
{
	a->setup.wanted[which] = false;
}

/* ---- what is atomic ---------------------------------------------------------- */

/*
 * main and what threads begin with are functions too, but to call them atomic would say
 * that the program must not have threads. The first pass finds out which they are.
 */
static bool note_call(struct hd_analyses *a, const struct hd_event *ev)
{
	uint64_t depth = hd_map_get(&a->depth, ev->thread); /* 0 and 1: in none */

	if (ev->op == HD_OP_FUNC_EXIT)
		return depth < 2 || hd_map_set(&a->depth, ev->thread, depth - 1);
	if (depth < 2 && !hd_map_set(&a->outermost, ev->pc, 1))
		return false;
	return hd_map_set(&a->depth, ev->thread, (depth ? depth : 1) + 1);
}

/* The name of the function that @pc is in; not of one that was inlined there. */
static const char *function_at(const struct hd_run *run, uint64_t pc)
{
	struct hd_frame frames[16];
	size_t n = run->symbols ? hd_symbols_code(run->symbols, pc, frames, 16) : 0;

	return n ? frames[n - 1].function : NULL;
}

static bool is_atomic(void *arg, uint64_t pc)
{
	struct hd_analyses *a = arg;
	const char *name;

	if (a->all_functions && !hd_map_get(&a->outermost, pc))
		return true;
	name = a->has_regex ? function_at(a->run, pc) : NULL;
	return name && regexec(&a->regex, name, 0, NULL, 0) == 0;
}

/* ---- passes -------------------------------------------------------------------- */

static void found(void *arg, const struct hd_found *f)
{
	struct hd_analyses *a = arg;
	enum hd_err err;

	if (a->tell) {
		a->tell(a->tell_arg, f);
		return;
	}
	if (f->doubtful)
		return; /* there is a note of them */
	err = hd_run_add_found(a->run, f);
	if (err && !a->err)
		a->err = err;
}

static void add_group(void *arg, const struct hd_group *group, uint32_t number, uint64_t addr,
		      uint64_t len)
{
	struct hd_analyses *a = arg;
	enum hd_err err = hd_driver_add_group(a->driver, addr, len, number);

	if (err && !a->err)
		a->err = err;
}

static void allocated(void *arg, const struct hd_event *alloc)
{
	struct hd_analyses *a = arg;

	if (hd_driver_takes_groups(a->driver))
		hd_groups_allocated(&a->groups, hd_group_names_resolver(a->names), alloc,
				    &a->next_group, add_group, a);
}

static enum hd_err start(struct hd_analyses *a, struct hd_trace *trace)
{
	enum hd_err err;

	a->setup.found = found;
	a->setup.found_arg = a;
	a->setup.several = a->tell != NULL; /* who is told of them tries each */
	a->setup.groups = a->groups.ngroups > 0;
	if (a->has_regex || a->all_functions)
		a->setup.blocks =
			(struct hd_blocks_options){ .is_atomic = is_atomic, .is_atomic_arg = a };
	err = hd_driver_new(&a->driver, &a->setup, a->setup.groups ? allocated : NULL, a);
	if (err || !a->setup.groups)
		return err;
	a->names = hd_group_names_new(a->run, trace);
	return a->names ? HD_OK : HD_ERR_NOMEM;
}

/* First pass: beside what the run itself says, what the analyses want to know beforehand. */
static enum hd_err learn(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct hd_analyses *a = arg;

	if (a->names && !hd_group_names_learn(a->names, events, n))
		return HD_ERR_NOMEM;
	for (size_t i = 0; a->all_functions && i < n; i++) {
		bool call = events[i].op == HD_OP_FUNC_ENTRY || events[i].op == HD_OP_FUNC_EXIT;

		if (call && !note_call(a, &events[i]))
			return HD_ERR_NOMEM;
	}
	return hd_driver_learn(a->driver, events, n);
}

static void show_progress(const struct hd_analyses *a, uint64_t done)
{
	double seconds = hd_now() - a->began, all = (double)a->run->events;
	char left[HD_PROGRESS_LEFT];

	if (!hd_progress_due() || !all)
		return;
	hd_progress_left(left, (double)done / all, seconds, 0);
	hd_progress_show(
		"heddle: analysing, %.0f %% of %.1f million events, %.1f million a second%s",
		100 * (double)done / all, all / 1e6, (double)done / 1e6 / seconds, left);
}

/* Second pass. */
static enum hd_err feed(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct hd_analyses *a = arg;
	enum hd_err err = hd_driver_feed(a->driver, events, n, first);

	if (err || a->err)
		return err ? err : a->err;
	show_progress(a, first + n);
	return HD_OK;
}

static void take_note(void *arg, const struct hd_analysis_note *note)
{
	struct hd_analyses *a = arg;

	if (note->text) {
		a->notes[a->nnotes++] = note->text;
	} else if (!*a->how_far) { /* what comes later may have set what a wait looks at */
		a->has_lost = true;
		a->lost = note->lost;
	}
}

static enum hd_err finish(struct hd_analyses *a)
{
	enum hd_err err = hd_driver_finish(a->driver);

	if (err || a->err)
		return err ? err : a->err;
	hd_driver_notes(a->driver, take_note, a);
	return HD_OK;
}

/* What they have seen they tell, and how much that was. */
static void note_how_far(struct hd_analyses *a)
{
	snprintf(a->how_far, sizeof(a->how_far),
		 "the analyses have seen %llu of %llu events: what the rest "
		 "shows is not known",
		 (unsigned long long)hd_analyses_stats(a)->events,
		 (unsigned long long)a->run->events);
	a->notes[a->nnotes++] = a->how_far;
}

/* Who is told instead of the run knows better when to say it. */
static enum hd_err note_lost_wakeup(struct hd_analyses *a, struct hd_errbuf *eb)
{
	if (a->tell || !a->has_lost || hd_wakeup_is_explained(a->run))
		return HD_OK;
	a->lost_words = hd_wakeup_note(a->run, &a->lost);
	if (!a->lost_words)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for a note");
	a->notes[a->nnotes++] = a->lost_words;
	return HD_OK;
}

static enum hd_err know_groups(struct hd_analyses *a, struct hd_errbuf *eb)
{
	enum hd_err err;

	if (!a->names || !hd_driver_takes_groups(a->driver))
		return HD_OK;
	a->next_group = HD_GROUP_FIRST;
	err = hd_groups_resolve(&a->groups, hd_group_names_resolver(a->names), &a->next_group,
				add_group, a, eb);
	return err || !a->err ? err : hd_fail(eb, a->err, "out of memory for groups");
}

enum hd_err hd_analyses_run(struct hd_analyses *a, struct hd_run *run, struct hd_trace *trace,
			    struct hd_errbuf *eb)
{
	enum hd_err err;

	*run = (struct hd_run){ 0 }; /* can be freed from here on */
	a->run = run;
	err = start(a, trace);
	if (err)
		return hd_fail(eb, err, "out of memory while reading the trace");
	err = hd_run_read(run, trace, learn, a, eb);
	if (err == HD_ERR_LIMIT)
		return hd_fail(eb, err,
			       "a thread of the run has a number above %u: the analyses do "
			       "not take it",
			       HD_THREADS_MAX);
	if (!err && hd_driver_begin(a->driver) != HD_OK)
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory while reading the trace");
	if (!err)
		err = know_groups(a, eb);
	a->began = hd_now();
	if (!err)
		err = hd_run_each(run, feed, a, eb);
	if (err == HD_ERR_STOPPED) {
		note_how_far(a);
		err = HD_OK;
	}
	if (err)
		return err;
	err = finish(a);
	if (err)
		return hd_fail(eb, err, "%s while analysing the trace", hd_err_text(err));
	if (a->tell)
		return HD_OK;
	err = hd_run_complete(run, eb);
	return err ? err : note_lost_wakeup(a, eb);
}
