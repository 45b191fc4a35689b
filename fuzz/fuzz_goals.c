/* A file of goals, and --pattern: read or refused with a sentence, and freed. */
#include "fuzz_common.h"

#include "predict/goal_text.h"

static void check(const struct hd_user_goals *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct hd_user_goal *goal = &g->list[i];

		if (!goal->text || goal->norder > HD_GOAL_MAX || goal->nnext > HD_GOAL_MAX ||
		    !(goal->norder + goal->nnext) || goal->norder == 1)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_user_goals g;
	struct hd_errbuf eb = { 0 };
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = 0;
	if (hd_user_goals_parse(&g, (const char *)data, size, "fuzz", &eb) == HD_OK)
		check(&g);
	else if (!eb.text[0] || strchr(eb.text, '\n'))
		abort();
	hd_user_goals_free(&g);
	if (hd_user_goals_patterns(&g, text, &eb) == HD_OK)
		check(&g);
	hd_user_goals_free(&g);
	free(text);
	return 0;
}
