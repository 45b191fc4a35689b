/* Torn blocks as one of the analyses of a recorded run. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "atomicity.h"

struct blocks_of_run {
	const struct hd_analysis_setup *setup;
	struct hd_atomicity *atomicity;
};

static void atomicity_free(void *self)
{
	struct blocks_of_run *b = self;

	if (b->atomicity)
		hd_atomicity_free(b->atomicity);
	free(b);
}

static void *atomicity_new(const struct hd_analysis_setup *setup)
{
	struct blocks_of_run *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->setup = setup;
	if (hd_atomicity_new(&b->atomicity, &setup->blocks) == HD_OK)
		return b;
	free(b);
	return NULL;
}

static enum hd_err atomicity_feed(void *self, const struct hd_event *events, size_t n,
				  uint64_t first)
{
	struct blocks_of_run *b = self;

	for (size_t i = 0; i < n; i++) {
		enum hd_err err = hd_atomicity_event(b->atomicity, &events[i], first + i);

		if (err)
			return err;
	}
	return HD_OK;
}

static enum hd_err atomicity_finish(void *self)
{
	struct blocks_of_run *b = self;

	hd_atomicity_report(b->atomicity, b->setup->found, b->setup->found_arg);
	return HD_OK;
}

const struct hd_analysis_ops hd_atomicity_ops = {
	.new = atomicity_new,
	.free = atomicity_free,
	.feed = atomicity_feed,
	.finish = atomicity_finish,
};
