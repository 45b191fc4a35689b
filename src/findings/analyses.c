#include "analyses.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/blocks/atomicity.h"
#include "analysis/blocks/patterns.h"
#include "analysis/locks/lock_graph.h"
#include "analysis/race/race.h"
#include "analysis/tasks/task_check.h"
#include "cli/progress.h"
#include "common/budget.h"
#include "common/clock.h"
#include "group_names.h"
#include "report/found_model.h"
#include "trace/trace_maps.h"

#define NOTES 9

struct hd_analyses {
	bool wanted[HD_DO_COUNT];
	bool has_regex, all_functions;
	regex_t regex;
	struct hd_groups groups;
	struct hd_run *run;
	hd_found_fn *tell; /* NULL: the run is told */
	void *tell_arg;
	struct hd_race *race;
	struct hd_atomicity *atomicity;
	struct hd_patterns *patterns;
	struct hd_blocks *functions; /* that are atomic, for the patterns; NULL: none are */
	struct hd_lock_graph *locks;
	struct hd_task_options task_options;
	struct hd_task_check *tasks; /* NULL: the run has none, or they are not asked for */
	struct hd_group_names *names; /* for groups; NULL: there are none */
	uint32_t next_group;
	struct hd_map depth; /* thread -> functions that it is in, plus 1 */
	struct hd_map outermost; /* pc of a function that some thread begins with -> 1 */
	enum hd_err err; /* of a callback */
	struct hd_analyses_stats stats;
	double began; /* when they were first given events */
	const char *notes[NOTES + 1];
	size_t nnotes;
	char how_far[160]; /* a note: they came to no more than a part of the events */
};

static const char *const words[HD_DO_COUNT] = { "race", "atomicity", "patterns", "deadlock",
						 "tasks" };

const char *hd_analysis_word(enum hd_analysis which)
{
	return words[which];
}

const struct hd_analyses_stats *hd_analyses_stats(const struct hd_analyses *a)
{
	return &a->stats;
}

const char *const *hd_analyses_notes(const struct hd_analyses *a)
{
	return a->notes;
}

/* ---- options ---------------------------------------------------------------- */

static int choose(struct hd_analyses *a, const char *only)
{
	while (*only) {
		size_t len = strcspn(only, ",");
		int i = 0;

		while (i < HD_DO_COUNT && (strlen(words[i]) != len || strncmp(words[i], only, len)))
			i++;
		if (i == HD_DO_COUNT)
			return hd_die(HD_EXIT_USAGE, "--only must list some of race, atomicity, "
				      "patterns, deadlock and tasks, not '%.*s'", (int)len, only);
		a->wanted[i] = true;
		only += len + (only[len] != 0);
	}
	return HD_EXIT_CLEAN;
}

static int take_options(struct hd_analyses *a, const struct hd_cli_options *o, bool offline)
{
	const char *regex = o->value[HD_OPT_ATOMIC], *groups = o->value[HD_OPT_GROUPS];
	const char *algorithm = o->value[HD_OPT_ALGORITHM];
	struct hd_errbuf eb = { 0 };
	char why[200];
	int code;

	if (o->value[HD_OPT_ONLY]) {
		int rc = choose(a, o->value[HD_OPT_ONLY]);

		if (rc != HD_EXIT_CLEAN)
			return rc;
	} else {
		for (int i = 0; i < HD_DO_COUNT; i++)
			a->wanted[i] = offline || i != HD_DO_RACE;
	}
	a->task_options.steps_atomic = o->value[HD_OPT_ATOMIC_STEPS] != NULL;
	for (int i = 0; algorithm && i < 3; i++) {
		static const char *const algorithms[] = { "complete", "paper", "velodrome" };

		if (!strcmp(algorithm, algorithms[i]))
			a->task_options.algorithm = (enum hd_task_algorithm)i;
	}
	a->all_functions = o->value[HD_OPT_ATOMIC_FUNCTIONS] != NULL;
	if (regex) {
		code = regcomp(&a->regex, regex, REG_EXTENDED | REG_NOSUB);
		if (code) {
			regerror(code, &a->regex, why, sizeof(why));
			return hd_die(HD_EXIT_USAGE, "--atomic must be a regular expression, not "
				      "'%s': %s", regex, why);
		}
		a->has_regex = true;
	}
	if (groups && hd_groups_load(&a->groups, groups, &eb) != HD_OK)
		return hd_die(HD_EXIT_USAGE, "%s", eb.text);
	return HD_EXIT_CLEAN;
}

int hd_analyses_new(struct hd_analyses **out, const struct hd_cli_options *o, bool offline)
{
	struct hd_analyses *a = calloc(1, sizeof(*a));
	int rc;

	*out = NULL;
	if (!a)
		return hd_die(HD_EXIT_FAILED, "out of memory");
	rc = take_options(a, o, offline);
	if (rc == HD_EXIT_CLEAN)
		*out = a;
	else
		hd_analyses_free(a);
	return rc;
}

void hd_analyses_free(struct hd_analyses *a)
{
	if (!a)
		return;
	if (a->race)
		hd_race_free(a->race);
	if (a->atomicity)
		hd_atomicity_free(a->atomicity);
	if (a->patterns)
		hd_patterns_free(a->patterns);
	hd_blocks_free(a->functions);
	if (a->locks)
		hd_lock_graph_free(a->locks);
	hd_task_check_free(a->tasks);
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

void hd_analyses_without(struct hd_analyses *a, enum hd_analysis which)
{
	a->wanted[which] = false;
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

	/* Of tasks it is known exactly what locks leave possible. */
	if (a->tasks && f->kind == HD_FOUND_LOCKSET)
		return;
	if (a->tell) {
		a->tell(a->tell_arg, f);
		return;
	}
	err = hd_run_add_found(a->run, f);
	if (err && !a->err)
		a->err = err;
}

/* Is it a program of tasks, and does anything order them that the tree of tasks does not know? */
static void learn_tasks(struct hd_analyses *a, const struct hd_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		switch (events[i].op) {
		case HD_OP_TASK_SPAWN:
		case HD_OP_FINISH_BEGIN:
		case HD_OP_UNIT:
		case HD_OP_ITERATION:
			a->stats.has_tasks = true;
			break;
		case HD_OP_FUTURE_PUT:
		case HD_OP_PHASER_SIGNAL:
		case HD_OP_BARRIER_ENTER:
		case HD_OP_SEM_POST:
		case HD_OP_NOTIFY:
		case HD_OP_NOTIFY_ALL:
		case HD_OP_HB_RELEASE:
			a->task_options.other_order = true;
			break;
		default:
			break;
		}
	}
}

/* The analysis of tasks says more than that of patterns of threads, which it replaces. */
static enum hd_err start_tasks(struct hd_analyses *a)
{
	if (!a->wanted[HD_DO_TASKS] || !a->stats.has_tasks) {
		a->wanted[HD_DO_TASKS] = false;
		return HD_OK;
	}
	a->tasks = hd_task_check_new(&a->task_options);
	a->wanted[HD_DO_PATTERNS] = false;
	return a->tasks ? HD_OK : HD_ERR_NOMEM;
}

/* First pass: beside what the run itself says, what the analyses want to know beforehand. */
static enum hd_err learn(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct hd_analyses *a = arg;

	learn_tasks(a, events, n);
	if (a->names && !hd_group_names_learn(a->names, events, n))
		return HD_ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		bool other = events[i].op == HD_OP_FORK || events[i].op == HD_OP_JOIN;

		if (events[i].thread > HD_THREADS_MAX ||
		    (other && events[i].value > HD_THREADS_MAX))
			return HD_ERR_LIMIT;
	}
	for (size_t i = 0; a->all_functions && i < n; i++) {
		bool call = events[i].op == HD_OP_FUNC_ENTRY || events[i].op == HD_OP_FUNC_EXIT;

		if (call && !note_call(a, &events[i]))
			return HD_ERR_NOMEM;
	}
	return a->patterns && !a->groups.ngroups ? hd_patterns_learn(a->patterns, events, n)
						 : HD_OK;
}

static enum hd_err start(struct hd_analyses *a)
{
	const struct hd_race_options race = { .locksets = true };
	/* Who is told of them tries each. */
	const struct hd_patterns_options patterns = { .several = a->tell != NULL };
	const struct hd_blocks_options blocks = {
		.is_atomic = a->has_regex || a->all_functions ? is_atomic : NULL,
		.is_atomic_arg = a,
	};

	if (a->wanted[HD_DO_RACE])
		a->race = hd_race_new(&race, found, a);
	if (a->wanted[HD_DO_PATTERNS])
		a->patterns = hd_patterns_new(&patterns, found, a);
	if (a->patterns && blocks.is_atomic) {
		a->functions = hd_blocks_new(&blocks);
		if (!a->functions)
			return HD_ERR_NOMEM;
	}
	if (a->wanted[HD_DO_DEADLOCK])
		a->locks = hd_lock_graph_new(found, a);
	if (a->wanted[HD_DO_RACE] != !!a->race || a->wanted[HD_DO_PATTERNS] != !!a->patterns ||
	    a->wanted[HD_DO_DEADLOCK] != !!a->locks)
		return HD_ERR_NOMEM;
	return a->wanted[HD_DO_ATOMICITY] ? hd_atomicity_new(&a->atomicity, &blocks) : HD_OK;
}

static enum hd_err feed_race(struct hd_analyses *a, const struct hd_event *events, size_t n,
			     uint64_t first)
{
	for (size_t i = 0; i < n; i++) {
		if (!hd_race_event(a->race, &events[i], first + i))
			return HD_ERR_NOMEM;
	}
	return HD_OK;
}

static enum hd_err feed_atomicity(struct hd_analyses *a, const struct hd_event *events, size_t n,
				  uint64_t first)
{
	for (size_t i = 0; i < n; i++) {
		enum hd_err err = hd_atomicity_event(a->atomicity, &events[i], first + i);

		if (err)
			return err;
	}
	return HD_OK;
}

static void add_group(void *arg, const struct hd_group *group, uint32_t number, uint64_t addr,
		      uint64_t len)
{
	struct hd_analyses *a = arg;
	const struct hd_group_range range = { .addr = addr, .len = len, .group = number };
	enum hd_err err = a->tasks ? hd_task_check_add_group(a->tasks, addr, len, number)
				   : hd_patterns_add_group(a->patterns, &range);

	if (err && !a->err)
		a->err = err;
}

/* Blocks that belong to a group do so from their allocation on. */
static enum hd_err feed_allocating(struct hd_analyses *a, const struct hd_event *events, size_t n,
				 uint64_t first)
{
	size_t from = 0;

	for (size_t i = 0; a->names && i < n; i++) {
		enum hd_err err;

		if (events[i].op != HD_OP_ALLOC)
			continue;
		err = hd_patterns_feed(a->patterns, events + from, i + 1 - from, first + from);
		if (err)
			return err;
		from = i + 1;
		hd_groups_allocated(&a->groups, hd_group_names_resolver(a->names), &events[i],
				    &a->next_group, add_group, a);
	}
	return hd_patterns_feed(a->patterns, events + from, n - from, first + from);
}

/* Atomic functions are declared blocks, too: to the patterns they begin and end like these. */
static enum hd_err feed_patterns(struct hd_analyses *a, const struct hd_event *events, size_t n,
				 uint64_t first)
{
	static const uint8_t ops[] = { HD_OP_END, HD_OP_BEGIN };
	size_t from = 0;

	for (size_t i = 0; a->functions && i < n; i++) {
		bool mark = events[i].op == HD_OP_BEGIN || events[i].op == HD_OP_END;
		unsigned change = hd_blocks_event(a->functions, &events[i]);
		enum hd_err err;

		if (!mark && !change)
			continue;
		err = feed_allocating(a, events + from, i - from, first + from);
		for (int k = 0; k < 2 && !err; k++) {
			struct hd_event ev = events[i];

			ev.op = ops[k];
			if (change & (k ? HD_BLOCK_OPENS : HD_BLOCK_CLOSES))
				err = hd_patterns_feed(a->patterns, &ev, 1, first + i);
		}
		if (err || hd_blocks_failed(a->functions))
			return err ? err : HD_ERR_NOMEM;
		from = mark ? i + 1 : i;
	}
	return feed_allocating(a, events + from, n - from, first + from);
}

static enum hd_err feed_locks(struct hd_analyses *a, const struct hd_event *events, size_t n,
			      uint64_t first)
{
	return hd_lock_graph_feed(a->locks, events, n, first);
}

static enum hd_err feed_tasks(struct hd_analyses *a, const struct hd_event *events, size_t n,
			      uint64_t first)
{
	for (size_t i = 0; i < n; i++) {
		enum hd_err err = hd_task_check_event(a->tasks, &events[i], first + i);

		if (err)
			return err;
		if (a->names && events[i].op == HD_OP_ALLOC)
			hd_groups_allocated(&a->groups, hd_group_names_resolver(a->names),
					    &events[i], &a->next_group, add_group, a);
	}
	return HD_OK;
}

static void show_progress(const struct hd_analyses *a, uint64_t done)
{
	double seconds = hd_now() - a->began, all = (double)a->run->events;
	char left[HD_PROGRESS_LEFT];

	if (!hd_progress_due() || !all)
		return;
	hd_progress_left(left, (double)done / all, seconds, 0);
	hd_progress_show("heddle: analysing, %.0f %% of %.1f million events, %.1f million a second%s",
			 100 * (double)done / all, all / 1e6, (double)done / 1e6 / seconds, left);
}

/* Second pass: a batch is hot in the cache when the next analysis looks at it. */
static enum hd_err feed(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	typedef enum hd_err feed_fn(struct hd_analyses *, const struct hd_event *, size_t,
				    uint64_t);
	static feed_fn *const feeds[HD_DO_COUNT] = { feed_race, feed_atomicity, feed_patterns,
						     feed_locks, feed_tasks };
	struct hd_analyses *a = arg;

	/* A short run is worth it in any case. */
	if (first && hd_budget_over())
		return HD_ERR_STOPPED;
	for (int i = 0; i < HD_DO_COUNT; i++) {
		double began = hd_now();
		enum hd_err err;

		if (!a->wanted[i])
			continue;
		err = feeds[i](a, events, n, first);
		a->stats.seconds[i] += hd_now() - began;
		if (err || a->err)
			return err ? err : a->err;
	}
	a->stats.events += n;
	show_progress(a, first + n);
	return HD_OK;
}

/* The end of one analysis, which may take its time too. */
static enum hd_err finish_one(struct hd_analyses *a, enum hd_analysis which)
{
	double began = hd_now();
	enum hd_err err = HD_OK;

	if (which == HD_DO_ATOMICITY)
		hd_atomicity_report(a->atomicity, found, a);
	else if (which == HD_DO_PATTERNS)
		err = hd_patterns_finish(a->patterns);
	else if (which == HD_DO_DEADLOCK)
		err = hd_lock_graph_finish(a->locks);
	else if (which == HD_DO_TASKS)
		err = hd_task_check_finish(a->tasks, found, a);
	a->stats.seconds[which] += hd_now() - began;
	return err ? err : a->err;
}

static void note_tasks(struct hd_analyses *a)
{
	const struct hd_task_stats *s = &a->stats.tasks;

	hd_task_check_stats(a->tasks, &a->stats.tasks);
	if (s->ordered)
		a->notes[a->nnotes++] = "futures, phasers or the like order tasks beside the tree of "
					"tasks and finishes: what they ordered is taken to be "
					"ordered in every schedule";
	if (s->borrowed)
		a->notes[a->nnotes++] = "tasks are also ordered by atomics, semaphores or the like: "
					"only schedules that keep their order are considered";
	if (s->crowded || s->bounded)
		a->notes[a->nnotes++] = "too many tasks are ordered by futures or phasers to look "
					"at all pairs of them; there may be more";
	if (s->groups_left_out)
		a->notes[a->nnotes++] = "some steps of tasks do too much to the members of a group "
					"to be compared; there may be more";
}

static enum hd_err finish(struct hd_analyses *a)
{
	enum hd_err err = HD_OK;

	for (int i = 0; i < HD_DO_COUNT && !err; i++) {
		if (a->wanted[i])
			err = finish_one(a, i);
	}
	if (!err && a->locks && hd_lock_graph_incomplete(a->locks))
		a->notes[a->nnotes++] = "the search for circles of locks was cut short; there may "
					"be more";
	if (!err && a->tasks)
		note_tasks(a);
	return err;
}

/* What they have seen they tell, and how much that was. */
static void note_how_far(struct hd_analyses *a)
{
	snprintf(a->how_far, sizeof(a->how_far), "the analyses have seen %llu of %llu events: what the rest "
		 "shows is not known", (unsigned long long)a->stats.events,
		 (unsigned long long)a->run->events);
	a->notes[a->nnotes++] = a->how_far;
}

static enum hd_err know_groups(struct hd_analyses *a, struct hd_errbuf *eb)
{
	enum hd_err err;

	if (!a->groups.ngroups || (!a->patterns && !a->tasks))
		return HD_OK;
	a->next_group = HD_GROUP_FIRST;
	err = hd_groups_resolve(&a->groups, hd_group_names_resolver(a->names), &a->next_group,
				add_group, a, eb);
	return err || !a->err ? err : hd_fail(eb, a->err, "out of memory for groups");
}

enum hd_err hd_analyse(struct hd_analyses *a, struct hd_run *run, struct hd_trace *trace,
		       struct hd_errbuf *eb)
{
	enum hd_err err = start(a);

	*run = (struct hd_run){ 0 }; /* can be freed from here on */
	a->run = run;
	if (!err && a->groups.ngroups && (a->patterns || a->wanted[HD_DO_TASKS])) {
		a->names = hd_group_names_new(run, trace);
		err = a->names ? HD_OK : HD_ERR_NOMEM;
	}
	if (err)
		return hd_fail(eb, err, "out of memory while reading the trace");
	err = hd_run_read(run, trace, learn, a, eb);
	if (err == HD_ERR_LIMIT)
		return hd_fail(eb, err, "a thread of the run has a number above %u: the analyses do "
			       "not take it", HD_THREADS_MAX);
	if (!err && start_tasks(a) != HD_OK)
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
	return a->tell ? HD_OK : hd_run_complete(run, eb);
}
