/* Races and torn blocks of tasks as one of the analyses of a recorded run. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "task_check.h"

struct tasks_of_run {
	const struct hd_analysis_setup *setup;
	struct hd_task_check *check; /* NULL: before `begin` */
};

static void *tasks_new(const struct hd_analysis_setup *setup)
{
	struct tasks_of_run *t = calloc(1, sizeof(*t));

	if (t)
		t->setup = setup;
	return t;
}

static void tasks_free(void *self)
{
	struct tasks_of_run *t = self;

	hd_task_check_free(t->check);
	free(t);
}

/* By now it is known whether there are tasks, and what else orders them. */
static enum hd_err tasks_begin(void *self)
{
	struct tasks_of_run *t = self;

	if (!t->setup->has_tasks)
		return HD_ERR_UNSUPPORTED;
	t->check = hd_task_check_new(&t->setup->tasks);
	return t->check ? HD_OK : HD_ERR_NOMEM;
}

static enum hd_err tasks_feed(void *self, const struct hd_event *events, size_t n, uint64_t first)
{
	struct tasks_of_run *t = self;

	for (size_t i = 0; i < n; i++) {
		enum hd_err err = hd_task_check_event(t->check, &events[i], first + i);

		if (err)
			return err;
	}
	return HD_OK;
}

static enum hd_err tasks_add_group(void *self, uint64_t addr, uint64_t len, uint32_t group)
{
	return hd_task_check_add_group(((struct tasks_of_run *)self)->check, addr, len, group);
}

static enum hd_err tasks_finish(void *self)
{
	struct tasks_of_run *t = self;

	return hd_task_check_finish(t->check, t->setup->found, t->setup->found_arg);
}

static void tasks_stats(void *self, struct hd_analyses_stats *stats)
{
	hd_task_check_stats(((struct tasks_of_run *)self)->check, &stats->tasks);
}

static void tasks_notes(void *self, hd_analysis_note_fn *note, void *arg)
{
	struct hd_task_stats s;

	hd_task_check_stats(((struct tasks_of_run *)self)->check, &s);
	const struct {
		bool yes;
		struct hd_analysis_note note;
	} notes[] = {
		{ s.ordered,
		  { .text = "tasks wait for each other in other ways than for their children: "
			    "what that ordered is taken to be ordered in every schedule" } },
		{ s.borrowed,
		  { .text = "tasks are also ordered by atomics, semaphores or the like: "
			    "only schedules that keep their order are considered" } },
		{ s.doubtful,
		  { .text = "tasks read under locks what others wrote under them: what that may "
			    "order is not reported; `heddle check` decides" } },
		{ s.crowded || s.bounded,
		  { .text = "too many tasks wait for each other to look at all pairs of them; "
			    "there may be more" } },
		{ s.groups_left_out,
		  { .text = "some tasks do too much at a time to the members of a "
			    "group to be compared; there may be more" } },
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (notes[i].yes)
			note(arg, &notes[i].note);
	}
}

const struct hd_analysis_ops hd_tasks_ops = {
	.new = tasks_new,
	.free = tasks_free,
	.begin = tasks_begin,
	.feed = tasks_feed,
	.add_group = tasks_add_group,
	.finish = tasks_finish,
	.notes = tasks_notes,
	.stats = tasks_stats,
};
