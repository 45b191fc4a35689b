/* Variables that are used together as one of the analyses of a recorded run. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "together.h"

struct together_of_run {
	const struct hd_analysis_setup *setup;
	struct hd_together *together;
};

static void together_free(void *self)
{
	struct together_of_run *t = self;

	hd_together_free(t->together);
	free(t);
}

static void *together_new(const struct hd_analysis_setup *setup)
{
	struct together_of_run *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->setup = setup;
	t->together = hd_together_new(setup->found, setup->found_arg);
	if (t->together)
		return t;
	free(t);
	return NULL;
}

static enum hd_err together_learn(void *self, const struct hd_event *events, size_t n)
{
	return hd_together_learn(((struct together_of_run *)self)->together, events, n);
}

/* Which thread runs a task is not what orders it. */
static enum hd_err together_begin(void *self)
{
	return ((struct together_of_run *)self)->setup->has_tasks ? HD_ERR_UNSUPPORTED : HD_OK;
}

static enum hd_err together_feed(void *self, const struct hd_event *events, size_t n,
				 uint64_t first)
{
	return hd_together_feed(((struct together_of_run *)self)->together, events, n, first);
}

static enum hd_err together_finish(void *self)
{
	return hd_together_finish(((struct together_of_run *)self)->together);
}

const struct hd_analysis_ops hd_together_ops = {
	.new = together_new,
	.free = together_free,
	.learn = together_learn,
	.begin = together_begin,
	.feed = together_feed,
	.finish = together_finish,
};
