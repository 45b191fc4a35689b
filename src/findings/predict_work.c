#include "predict_work.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/blocks/torn_blocks.h"
#include "common/budget.h"
#include "common/clock.h"
#include "common/listener.h"
#include "common/map.h"
#include "report/explain.h"
#include "trace/plan.h"

/* ---- items ------------------------------------------------------------------------------ */

static void take_candidate(struct hd_item *item, const struct hd_candidate *c)
{
	*item = (struct hd_item){
		.kind = hd_candidate_word(c),
		.found = c->found,
		.counts = hd_candidate_counts(c),
		.is_pattern = c->found.naccesses == 3 && c->found.pattern,
		.goals = &c->goal,
		.ngoals = 1,
	};
}

static size_t goal_events(const struct hd_goal *w, uint64_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < w->norder; i++)
		out[n++] = w->order[i];
	for (size_t i = 0; i < w->nnext; i++)
		out[n++] = w->next[i];
	return n;
}

static bool take_goal(struct hd_item *item, const struct hd_user_goal *g, bool pattern)
{
	static const char *const roles[] = { "e1", "f", "e2" };
	struct hd_found_access *accesses = calloc(2 * HD_GOAL_MAX, sizeof(*accesses));
	uint64_t events[2 * HD_GOAL_MAX];

	*item = (struct hd_item){ .kind = "goal",
				  .text = g->text,
				  .counts = true,
				  .own_accesses = true,
				  .is_pattern = pattern,
				  .goals = g->goals,
				  .ngoals = g->ngoals,
				  .more_ways = g->more };
	item->found =
		(struct hd_found){ .kind = HD_KIND_PATTERN, .group = -1, .accesses = accesses };
	if (!accesses)
		return false;
	item->found.naccesses = goal_events(&g->goals[0], events);
	for (size_t i = 0; i < item->found.naccesses; i++) {
		accesses[i].index = events[i];
		accesses[i].role = pattern ? roles[i] : i < g->goals[0].norder ? "order" : "next";
	}
	return true;
}

/* An event that an item needs to know more of than its number. */
struct asked {
	uint64_t event;
	struct hd_found_access *access;
	uint64_t *block; /* the thread's outermost declared block there, from 1; 0: none */
};

struct asking {
	struct asked *list;
	size_t n, next;
	struct hd_map depth, block; /* by thread */
	uint64_t nblocks;
};

static int by_event(const void *a, const void *b)
{
	const struct asked *x = a, *y = b;

	return x->event < y->event ? -1 : x->event > y->event;
}

static bool follow_blocks(struct asking *a, const struct hd_event *ev)
{
	uint64_t depth = hd_map_get(&a->depth, ev->thread + 1ull); /* plus 1 */

	if (ev->op == HD_OP_BEGIN) {
		if (depth < 2 && !hd_map_set(&a->block, ev->thread + 1ull, ++a->nblocks))
			return false;
		return hd_map_set(&a->depth, ev->thread + 1ull, depth ? depth + 1 : 2);
	}
	return ev->op != HD_OP_END || depth < 2 ||
	       hd_map_set(&a->depth, ev->thread + 1ull, depth - 1);
}

static enum hd_err look(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct asking *a = arg;

	for (size_t i = 0; i < n && a->next < a->n; i++) {
		if (!follow_blocks(a, &events[i]))
			return HD_ERR_NOMEM;
		for (; a->next < a->n && a->list[a->next].event == first + i; a->next++) {
			struct asked *q = &a->list[a->next];
			bool in_block = hd_map_get(&a->depth, events[i].thread + 1ull) > 1;

			q->access->event = events[i];
			*q->block = in_block ? hd_map_get(&a->block, events[i].thread + 1ull) : 0;
		}
	}
	return HD_OK;
}

/* --pattern: is it one? Reads only are no pattern, but can be asked about like any order. */
static enum hd_err name_pattern(struct hd_item *item, const uint64_t *blocks, struct hd_errbuf *eb)
{
	static const char *const names[] = { "RWR", "RWW", "WWR", "WRW", "WWW" };
	const struct hd_found_access *a = item->found.accesses;
	char letters[4] = { 0 };

	for (int i = 0; i < 3; i++) {
		letters[i] = hd_access_letter(&a[i].event);
		if (!letters[i])
			return hd_fail(eb, HD_ERR_INVALID,
				       "--pattern: event %" PRIu64 " (%s) is no "
				       "access to memory; --goal takes other events",
				       a[i].index,
				       hd_op_info[a[i].event.op].name
					       ? hd_op_info[a[i].event.op].name
					       : "not in the run");
	}
	if (a[0].event.thread != a[2].event.thread || a[0].index >= a[2].index)
		return hd_fail(eb, HD_ERR_INVALID,
			       "--pattern: events %" PRIu64 " and %" PRIu64
			       " must be of one thread, in this order",
			       a[0].index, a[2].index);
	if (a[1].event.thread == a[0].event.thread)
		return hd_fail(eb, HD_ERR_INVALID,
			       "--pattern: event %" PRIu64 " must be of another "
			       "thread than the other two",
			       a[1].index);
	for (size_t i = 0; i < 5; i++) {
		if (!strcmp(letters, names[i]))
			item->found.pattern = item->kind = names[i];
	}
	item->is_pattern = item->found.pattern != NULL;
	item->found.addr = a[1].event.addr;
	item->found.size = a[1].event.size;
	item->counts = blocks[0] && blocks[0] == blocks[2];
	if (item->counts)
		item->found.why = "the block that is torn apart was declared atomic";
	return HD_OK;
}

/* Fill in the accesses of goals. */
static enum hd_err read_accesses(struct hd_work *w, struct hd_errbuf *eb)
{
	size_t room = w->goals.n * 2 * HD_GOAL_MAX + 1;
	struct asking a = { .list = calloc(room, sizeof(*a.list)) };
	uint64_t *blocks = calloc(room, sizeof(*blocks));
	enum hd_err err = HD_OK;

	if (!a.list || !blocks)
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory for goals");
	for (size_t i = 0; i < w->goals.n && !err; i++) {
		struct hd_item *item = &w->items[i];
		struct hd_found_access *accesses = (struct hd_found_access *)item->found.accesses;
		uint64_t events[2 * HD_GOAL_MAX];

		/* Another way may have been chosen; of a sentence it may be of more events. */
		item->found.naccesses = goal_events(hd_item_goal(item), events);
		for (size_t k = 0; k < item->found.naccesses; k++) {
			accesses[k].index = events[k];
			if (!w->patterns)
				accesses[k].role =
					k < hd_item_goal(item)->norder ? "order" : "next";
			a.list[a.n++] = (struct asked){ events[k], &accesses[k],
							&blocks[i * 2 * HD_GOAL_MAX + k] };
		}
	}
	if (!err && a.n) {
		qsort(a.list, a.n, sizeof(*a.list), by_event);
		err = hd_run_each(&w->run, look, &a, eb);
	}
	for (size_t i = 0; i < w->goals.n && !err && w->patterns; i++)
		err = name_pattern(&w->items[i], &blocks[i * 2 * HD_GOAL_MAX], eb);
	hd_map_free(&a.depth);
	hd_map_free(&a.block);
	free(a.list);
	free(blocks);
	return err;
}

enum hd_err hd_work_items(struct hd_work *w, struct hd_errbuf *eb)
{
	bool pattern = w->patterns;
	size_t all = w->candidates.n + w->goals.n;

	w->items = calloc(all + 1, sizeof(*w->items));
	if (!w->items)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for %zu candidates", all);
	for (size_t i = 0; i < w->goals.n; i++) {
		if (!take_goal(&w->items[w->n++], &w->goals.list[i], pattern))
			return hd_fail(eb, HD_ERR_NOMEM, "out of memory for goals");
	}
	for (size_t i = 0; i < w->candidates.n; i++) {
		if (!w->candidates.list[i].one_thread)
			take_candidate(&w->items[w->n++], &w->candidates.list[i]);
	}
	return read_accesses(w, eb);
}

void hd_work_free(struct hd_work *w)
{
	for (size_t i = 0; i < w->n; i++) {
		hd_prediction_free(&w->items[i].p);
		free(w->items[i].plan);
		if (w->items[i].own_accesses)
			free((void *)w->items[i].found.accesses);
	}
	free(w->items);
	hd_predictor_free(&w->predictor);
	hd_candidates_free(&w->candidates);
	hd_user_goals_free(&w->goals);
}

/* ---- deciding --------------------------------------------------------------------------- */

enum hd_err hd_work_decide_item(struct hd_work *w, struct hd_item *item, struct hd_errbuf *eb)
{
	return hd_predictor_decide_ways(&w->predictor, item->goals, item->ngoals, item->more_ways,
					&w->how, &item->p, &item->chosen, eb);
}

static void leave(struct hd_item *item, double total)
{
	item->p = (struct hd_prediction){ .decision = HD_DECISION_UNKNOWN };
	if (hd_budget_stop() == HD_STOP_TIME)
		snprintf(item->p.why, sizeof(item->p.why), "the time for all, %g s, ran out",
			 total);
	else
		snprintf(item->p.why, sizeof(item->p.why), "not tried: %s",
			 hd_stop_word(hd_budget_stop()));
}

static void show_progress(const struct hd_work *w, size_t done, double seconds)
{
	char left[HD_PROGRESS_LEFT];

	if (!hd_progress_due())
		return;
	hd_progress_left(left, (double)done / (double)w->n, seconds,
			 w->total > 0 ? w->total - seconds : 0);
	hd_progress_show("heddle: %zu of %zu decided, %.0f a second%s", done, w->n,
			 (double)done / seconds, left);
}

enum hd_err hd_work_decide(struct hd_work *w, hd_work_decider *decider, void *arg,
			   struct hd_errbuf *eb)
{
	double began = hd_now(), each = w->how.seconds;

	for (size_t i = 0; i < w->n; i++) {
		double left = hd_budget_until() - hd_now();
		enum hd_err err;

		if (hd_budget_over()) {
			leave(&w->items[i], w->total);
			continue;
		}
		w->how.seconds = w->total > 0 && left < each ? left : each;
		err = decider ? decider(arg, w, i, eb) : hd_work_decide_item(w, &w->items[i], eb);
		if (err == HD_ERR_STOPPED) {
			leave(&w->items[i], w->total);
			continue;
		}
		if (err)
			return err;
		w->disagreed |= w->items[i].p.disagreed;
		w->seconds += w->items[i].p.seconds;
		show_progress(w, i + 1, hd_now() - began);
	}
	hd_progress_clear();
	return read_accesses(w, eb); /* another way of a goal may have been chosen */
}

/* ---- files ------------------------------------------------------------------------------ */

/* "T1 read x at bank.c:12, then T2 write x, ...": what a plan is for. */
static char *goal_words(const struct hd_work *w, const struct hd_item *item)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	bool words = !item->text || item->is_pattern;

	if (!out)
		return NULL;
	fprintf(out, "%s:", item->kind);
	if (!words)
		fprintf(out, " %s", item->text);
	for (size_t i = 0; i < item->found.naccesses && words; i++) {
		const struct hd_event *ev = &item->found.accesses[i].event;
		char name[256];

		fprintf(out, "%s T%" PRIu32 " %s", i ? "," : "", ev->thread, hd_access_word(ev));
		if (hd_location_name(&w->run, ev->addr, ev->size, name, sizeof(name)))
			fprintf(out, " %s", name);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static char *path_in(const char *dir, size_t number, const char *kind, const char *rest)
{
	char *path;

	return asprintf(&path, "%s/%03zu-%s%s", dir, number + 1, kind, rest) < 0 ? NULL : path;
}

static enum hd_err make_folder(const char *dir, struct hd_errbuf *eb)
{
	struct stat st;

	if (mkdir(dir, 0777) == 0 ||
	    (errno == EEXIST && stat(dir, &st) == 0 && S_ISDIR(st.st_mode)))
		return HD_OK;
	return hd_fail(eb, HD_ERR_IO, "cannot make the folder '%s': %s", dir,
		       strerror(errno == EEXIST ? ENOTDIR : errno));
}

static enum hd_err write_plan(struct hd_work *w, size_t i, const char *dir, struct hd_errbuf *eb)
{
	struct hd_item *item = &w->items[i];
	struct hd_plan plan;
	enum hd_err err;

	if (!item->p.scheduled)
		return HD_OK;
	err = hd_predictor_plan(&w->predictor, hd_item_goal(item), &item->p, &plan, eb);
	if (err)
		return err;
	item->plan = path_in(dir, i, item->kind, ".plan");
	plan.goal = goal_words(w, item);
	if (asprintf(&plan.after, "first:T%" PRIu32, item->found.accesses[0].event.thread) < 0)
		plan.after = NULL;
	if (item->plan && plan.goal && plan.after)
		err = hd_plan_save(&plan, item->plan, eb);
	else
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory for a plan");
	hd_plan_free(&plan);
	return err;
}

static FILE *create(const char *dir, size_t i, const char *kind, const char *rest,
		    struct hd_errbuf *eb)
{
	char *path = path_in(dir, i, kind, rest);
	FILE *out = path ? fopen(path, "we") : NULL;

	if (!out)
		hd_fail(eb, HD_ERR_IO, "cannot write '%s': %s", path ? path : dir, strerror(errno));
	free(path);
	return out;
}

static enum hd_err write_pddl(struct hd_work *w, size_t i, const char *dir, struct hd_errbuf *eb)
{
	struct hd_item *item = &w->items[i];
	FILE *domain = create(dir, i, item->kind, "-domain.pddl", eb);
	FILE *problem = domain ? create(dir, i, item->kind, "-problem.pddl", eb) : NULL;
	enum hd_err err = HD_ERR_IO;

	if (problem)
		err = hd_predict_pddl(w->predictor.predict, hd_item_goal(item), domain, problem,
				      eb);
	if (err == HD_ERR_UNSUPPORTED)
		err = HD_OK; /* an empty pair: there is no problem to write */
	if (domain && fclose(domain) && !err)
		err = hd_fail(eb, HD_ERR_IO, "cannot write to '%s': %s", dir, strerror(errno));
	if (problem && fclose(problem) && !err)
		err = hd_fail(eb, HD_ERR_IO, "cannot write to '%s': %s", dir, strerror(errno));
	return err;
}

enum hd_err hd_work_files(struct hd_work *w, struct hd_errbuf *eb)
{
	const char *plans = w->plans;
	const char *pddl = w->pddl;
	enum hd_err err = HD_OK;

	if (plans)
		err = make_folder(plans, eb);
	if (!err && pddl)
		err = make_folder(pddl, eb);
	for (size_t i = 0; i < w->n && !err; i++) {
		if (pddl)
			err = write_pddl(w, i, pddl, eb);
		if (!err && plans)
			err = write_plan(w, i, plans, eb);
	}
	return err;
}
