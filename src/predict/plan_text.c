#include "predict/plan_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/array.h"
#include "predict/pddl.h"
#include "predict/step_index.h"

#define BETWEEN	 " \t\r\f\v,()[]:"
#define WORD_MAX 64

struct reading {
	const struct hd_instance *in;
	const struct hd_step_index *index;
	enum hd_planner_source source;
	struct hd_planner_plan *plan;
	size_t room, line;
	struct hd_errbuf *eb;
};

static enum hd_err add_step(struct reading *r, uint32_t pos)
{
	struct hd_planner_plan *plan = r->plan;

	if (!HD_ROOM(plan->steps, r->room, plan->nsteps + 1))
		return hd_fail(r->eb, HD_ERR_NOMEM, "out of memory for a plan");
	plan->steps[plan->nsteps++] = pos;
	return HD_OK;
}

/* A decimal number at *@s, which must start with a digit; too large ones become UINT32_MAX. */
static bool read_number(const char **s, uint32_t *out)
{
	uint64_t n = 0;

	if (!isdigit((unsigned char)**s))
		return false;
	for (; isdigit((unsigned char)**s); (*s)++)
		if (n < UINT32_MAX)
			n = 10 * n + (uint64_t)(**s - '0');
	*out = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	return true;
}

/* "Ac1_2", "ac1_2-coupled_1_1", "AC1_2-FREE": all are the second step of the first thread. */
static bool is_action(const char *word, uint32_t *thread, uint32_t *ordinal)
{
	if (strncasecmp(word, "ac", 2) != 0)
		return false;
	word += 2;
	if (!read_number(&word, thread) || *word++ != '_' || !read_number(&word, ordinal))
		return false;
	return !*word || strcasecmp(word, "-free") == 0 || strncasecmp(word, "-coupled_", 9) == 0;
}

/* "0", "0.000": the number of an action, its time, or its cost */
static bool is_number(const char *word)
{
	return isdigit((unsigned char)*word) && word[strspn(word, "0123456789.")] == '\0';
}

static enum hd_err take_action(struct reading *r, const char *word, uint32_t thread,
			       uint32_t ordinal)
{
	uint32_t pos = HD_NO_STEP;

	if (thread >= 1 && thread <= r->in->nthreads)
		pos = hd_step_at(r->index, thread - 1, ordinal);
	if (pos == HD_NO_STEP)
		return hd_fail(r->eb, HD_ERR_PARSE, "line %zu of the plan: the run has no step %s",
			       r->line, word);
	return add_step(r, pos);
}

/* One line, without its end. */
static enum hd_err read_line(struct reading *r, const char *text, size_t len)
{
	const char *end = memchr(text, ';', len);
	bool first = true;
	enum hd_err err = HD_OK;

	end = end ? end : text + len;
	while (!err) {
		char word[WORD_MAX];
		uint32_t thread, ordinal;
		size_t n = 0;

		while (text < end && strchr(BETWEEN, *text))
			text++;
		if (text == end)
			break;
		for (; text < end && !strchr(BETWEEN, *text); text++)
			if (n < WORD_MAX - 1)
				word[n++] = isprint((unsigned char)*text) ? *text : '?';
		word[n] = '\0';
		if (is_action(word, &thread, &ordinal)) {
			err = take_action(r, word, thread, ordinal);
			first = false;
		} else if (is_number(word) || (first && strcasecmp(word, "step") == 0)) {
			continue;
		} else if (r->source == HD_PLANNER_FILE) {
			err = hd_fail(r->eb, HD_ERR_PARSE,
				      "line %zu of the plan: \"%s\" is not an action", r->line,
				      word);
		} else if (first) {
			break;
		}
	}
	return err;
}

static enum hd_err read_lines(struct reading *r, const char *text)
{
	enum hd_err err = HD_OK;

	while (!err && *text) {
		size_t len = strcspn(text, "\n");

		r->line++;
		err = read_line(r, text, len);
		text += len + (text[len] == '\n');
	}
	return err;
}

/* Where @pos is in the plan; plan->nsteps if it is not. */
static size_t place_of(const struct hd_planner_plan *plan, uint32_t pos)
{
	size_t i = 0;

	while (i < plan->nsteps && plan->steps[i] != pos)
		i++;
	return i;
}

/* Add the last step of the goal if it is left to follow, cut off what is of no use. */
static enum hd_err fit_to_goal(struct reading *r, const struct hd_step_goal *goal)
{
	struct hd_planner_plan *plan = r->plan;

	if (hd_pddl_last_follows(r->in, goal) &&
	    place_of(plan, goal->order[goal->norder - 1]) == plan->nsteps)
		return add_step(r, goal->order[goal->norder - 1]);
	/* With an open end the run is over when all but the last have happened. */
	if (goal->open_end && goal->norder >= 2 && goal->nnext == 0) {
		size_t place = place_of(plan, goal->order[goal->norder - 2]);

		if (place < plan->nsteps)
			plan->nsteps = place + 1;
	}
	return HD_OK;
}

enum hd_err hd_planner_plan_read(const struct hd_instance *instance,
				 const struct hd_step_goal *goal, const char *text,
				 enum hd_planner_source source, struct hd_planner_plan *plan,
				 struct hd_errbuf *eb)
{
	struct hd_step_index index;
	struct reading r = {
		.in = instance, .index = &index, .source = source, .plan = plan, .eb = eb
	};
	enum hd_err err;

	*plan = (struct hd_planner_plan){ 0 };
	err = hd_step_index_make(&index, instance, goal, eb);
	if (err)
		return err;
	err = read_lines(&r, text);
	plan->nactions = plan->nsteps;
	if (!err)
		err = fit_to_goal(&r, goal);
	hd_step_index_free(&index);
	if (err)
		hd_planner_plan_free(plan);
	return err;
}

void hd_planner_plan_free(struct hd_planner_plan *plan)
{
	free(plan->steps);
	*plan = (struct hd_planner_plan){ 0 };
}
