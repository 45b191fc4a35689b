#include "predict_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "common/budget.h"
#include "common/hash.h"
#include "common/interrupts.h"
#include "kept_predictions.h"
#include "prediction_bytes.h"
#include "ranks/crew.h"

#define WAIT 100 /* milliseconds between looks at the budget */

struct question {
	uint64_t item;
	double seconds;
};

/* ---- those who help -------------------------------------------------------------------- */

static uint64_t hash_goals(uint64_t h, const struct hd_item *item)
{
	for (size_t i = 0; i < item->ngoals; i++) {
		const struct hd_goal *g = &item->goals[i];
		const uint64_t sizes[] = { g->norder, g->nnext, g->open_end, item->more_ways };

		h = hd_fnv_bytes(h, sizes, sizeof(sizes));
		h = hd_fnv_bytes(h, g->order, g->norder * sizeof(*g->order));
		h = hd_fnv_bytes(h, g->next, g->nnext * sizeof(*g->next));
	}
	return h;
}

/* What all must have alike: the questions, and how they are answered. */
static uint64_t look_of(const struct hd_work *w)
{
	const char *planner = w->how.planner ? w->how.planner : "";
	const uint64_t how[] = { w->how.solver, w->how.states,	w->how.bytes,
				 w->how.window, w->how.relaxed, w->n };
	uint64_t h = hd_fnv_bytes(HD_FNV_START, how, sizeof(how));

	h = hd_fnv_bytes(h, planner, strlen(planner));
	for (size_t i = 0; i < w->n; i++)
		h = hash_goals(h, &w->items[i]);
	return h;
}

static bool helper_told(void *arg, const char *bytes, size_t len, uint64_t *answer)
{
	(void)bytes, (void)len;
	*answer = look_of(arg);
	return true;
}

static bool helper_job(void *arg, const char *bytes, size_t len, FILE *answer)
{
	struct hd_work *w = arg;
	struct hd_errbuf eb = { 0 };
	struct hd_item *item;
	struct question q;
	enum hd_err err;
	bool ok;

	if (len != sizeof(q))
		return false;
	memcpy(&q, bytes, sizeof(q));
	if (q.item >= w->n)
		return false;
	item = &w->items[q.item];
	w->how.seconds = q.seconds;
	err = hd_work_decide_item(w, item, &eb);
	if (err == HD_ERR_STOPPED) /* of our own doing, not of the question's */
		return false;
	ok = hd_prediction_put(answer, err, &eb, &item->p, item->chosen);
	hd_prediction_free(&item->p);
	return ok;
}

void hd_work_help(struct hd_work *w, struct hd_ranks *ranks)
{
	const struct hd_hand hand = { .arg = w, .told = helper_told, .job = helper_job };

	hd_interrupts_take();
	w->predictor.answers = NULL; /* that is for the one who leads */
	hd_crew_help(ranks, &hand);
}

static void help_forked(void *arg, struct hd_ranks *own)
{
	hd_work_help(arg, own);
}

/* ---- the one who leads ------------------------------------------------------------------- */

struct lead {
	struct hd_crew *crew;
	uint64_t *jobs; /* by item */
	size_t posted;
};

static struct hd_question question_of(const struct hd_work *w, const struct hd_item *item)
{
	return (struct hd_question){ item->goals, item->ngoals, &w->how };
}

/* Some more are asked than are being decided. */
static bool ask_ahead(struct hd_work *w, struct lead *l, size_t i)
{
	size_t end = i + 2 * (size_t)hd_crew_hands(l->crew) + 1;

	for (; l->posted < end && l->posted < w->n; l->posted++) {
		const struct hd_question known = question_of(w, &w->items[l->posted]);
		struct question q = { l->posted, w->how.seconds };
		char *bytes;

		if (hd_prediction_is_kept(&w->predictor, &known))
			continue; /* its job has number 0 */
		bytes = malloc(sizeof(q));
		if (!bytes)
			return false;
		memcpy(bytes, &q, sizeof(q));
		l->jobs[l->posted] = hd_crew_post(l->crew, bytes, sizeof(q));
		if (!l->jobs[l->posted])
			return false;
	}
	return true;
}

/* The next item, by whoever has it. */
static enum hd_err decide_far(void *arg, struct hd_work *w, size_t i, struct hd_errbuf *eb)
{
	struct hd_item *item = &w->items[i];
	const struct hd_question q = question_of(w, item);
	struct lead *l = arg;
	bool understood = false;
	char *bytes = NULL;
	enum hd_err err = HD_OK;
	size_t len = 0;

	if (!ask_ahead(w, l, i))
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	while (l->jobs[i] && !hd_crew_answer(l->crew, l->jobs[i], &bytes, &len)) {
		if (hd_budget_over())
			return HD_ERR_STOPPED;
		if (!hd_crew_wait(l->crew, WAIT))
			break; /* nobody is left */
	}
	if (bytes)
		err = hd_prediction_get(bytes, len, &item->p, &item->chosen, eb, &understood);
	free(bytes);
	if (understood && !item->more_ways)
		hd_prediction_keep(&w->predictor, &q, err, &item->p, item->chosen, eb);
	if (understood)
		return err;
	hd_crew_forget(l->crew, l->jobs[i]);
	return hd_work_decide_item(w, item, eb);
}

static enum hd_err lead(struct hd_work *w, struct hd_ranks *ranks, struct hd_errbuf *eb)
{
	struct lead l = { .crew = hd_crew_new(ranks), .jobs = calloc(w->n + 1, sizeof(*l.jobs)) };
	const uint64_t look = look_of(w);
	enum hd_err err;

	if (!l.crew || !l.jobs || !hd_crew_tell(l.crew, "", 0, &look))
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	else
		err = hd_work_decide(w, decide_far, &l, eb);
	if (l.crew && hd_crew_strangers(l.crew) && w->nnotes < 7)
		w->notes[w->nnotes++] = "not all ranks helped: some have another trace, or read it "
					"in another way";
	hd_crew_free(l.crew);
	free(l.jobs);
	return err;
}

enum hd_err hd_work_decide_with(struct hd_work *w, unsigned n, const struct hd_ranks *launched,
				struct hd_errbuf *eb)
{
	struct hd_ranks ranks = *launched;
	enum hd_err err;

	if (n > HD_MOST_RANKS)
		return hd_fail(eb, HD_ERR_REQUEST, "--ranks must be from 1 to %u", HD_MOST_RANKS);
	if (ranks.size > 1)
		return lead(w, &ranks, eb);
	if (n < 2 || w->n < 2)
		return hd_work_decide(w, NULL, NULL, eb);
	if (!hd_ranks_fork(&ranks, n, help_forked, w))
		return hd_fail(eb, HD_ERR_SYSTEM, "no processes for --ranks %u", n);
	err = lead(w, &ranks, eb);
	ranks.end(ranks.arg);
	return err;
}
