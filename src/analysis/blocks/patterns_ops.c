/* Three-access patterns as one of the analyses of a recorded run. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "patterns.h"

struct patterns_of_run {
	const struct hd_analysis_setup *setup;
	struct hd_patterns *patterns;
	struct hd_blocks *functions; /* that are atomic; NULL: none are */
};

static void patterns_free(void *self)
{
	struct patterns_of_run *p = self;

	if (p->patterns)
		hd_patterns_free(p->patterns);
	hd_blocks_free(p->functions);
	free(p);
}

static void *patterns_new(const struct hd_analysis_setup *setup)
{
	const struct hd_patterns_options options = { .several = setup->several };
	struct patterns_of_run *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->setup = setup;
	p->patterns = hd_patterns_new(&options, setup->found, setup->found_arg);
	if (setup->blocks.is_atomic)
		p->functions = hd_blocks_new(&setup->blocks);
	if (p->patterns && !setup->blocks.is_atomic == !p->functions)
		return p;
	patterns_free(p);
	return NULL;
}

/* Members of a group are shared as one, so nothing can be left out for what is done to each. */
static enum hd_err patterns_learn(void *self, const struct hd_event *events, size_t n)
{
	struct patterns_of_run *p = self;

	return p->setup->groups ? HD_OK : hd_patterns_learn(p->patterns, events, n);
}

/* The analysis of tasks says more than that of patterns of threads, which it replaces. */
static enum hd_err patterns_begin(void *self)
{
	const struct hd_analysis_setup *setup = ((struct patterns_of_run *)self)->setup;

	return setup->has_tasks && setup->wanted[HD_DO_TASKS] ? HD_ERR_UNSUPPORTED : HD_OK;
}

/* Atomic functions are declared blocks, too: to the patterns they begin and end like these. */
static enum hd_err mark_function(struct patterns_of_run *p, const struct hd_event *at,
				 unsigned change, uint64_t index)
{
	static const struct {
		unsigned change;
		uint8_t op;
	} marks[] = { { HD_BLOCK_CLOSES, HD_OP_END }, { HD_BLOCK_OPENS, HD_OP_BEGIN } };
	enum hd_err err = HD_OK;

	for (int i = 0; i < 2 && !err; i++) {
		struct hd_event ev = *at;

		ev.op = marks[i].op;
		if (change & marks[i].change)
			err = hd_patterns_feed(p->patterns, &ev, 1, index);
	}
	return err;
}

static enum hd_err patterns_feed(void *self, const struct hd_event *events, size_t n,
				 uint64_t first)
{
	struct patterns_of_run *p = self;
	size_t from = 0;

	for (size_t i = 0; p->functions && i < n; i++) {
		bool mark = events[i].op == HD_OP_BEGIN || events[i].op == HD_OP_END;
		unsigned change = hd_blocks_event(p->functions, &events[i]);
		enum hd_err err;

		if (!mark && !change)
			continue;
		err = hd_patterns_feed(p->patterns, events + from, i - from, first + from);
		if (!err)
			err = mark_function(p, &events[i], change, first + i);
		if (err || hd_blocks_failed(p->functions))
			return err ? err : HD_ERR_NOMEM;
		from = mark ? i + 1 : i;
	}
	return hd_patterns_feed(p->patterns, events + from, n - from, first + from);
}

static enum hd_err patterns_add_group(void *self, uint64_t addr, uint64_t len, uint32_t group)
{
	const struct hd_group_range range = { .addr = addr, .len = len, .group = group };

	return hd_patterns_add_group(((struct patterns_of_run *)self)->patterns, &range);
}

static enum hd_err patterns_finish(void *self)
{
	return hd_patterns_finish(((struct patterns_of_run *)self)->patterns);
}

const struct hd_analysis_ops hd_patterns_ops = {
	.new = patterns_new,
	.free = patterns_free,
	.learn = patterns_learn,
	.begin = patterns_begin,
	.feed = patterns_feed,
	.add_group = patterns_add_group,
	.finish = patterns_finish,
};
