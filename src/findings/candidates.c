#include "candidates.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"
#include "common/map.h"
#include "report/found_model.h"
#include "value_use.h"

/* ---- goals --------------------------------------------------------------------------- */

static bool all_recorded(const struct hd_found *f)
{
	for (size_t i = 0; i < f->naccesses; i++)
		if (f->accesses[i].index == HD_NO_INDEX)
			return false;
	return f->naccesses > 0;
}

/* Of a cycle each thread is next to take what it wants; it holds the rest by then. */
static bool goal_deadlock(const struct hd_found *f, struct hd_goal *w)
{
	for (size_t i = 0; i < f->naccesses; i++) {
		if (strcmp(f->accesses[i].role, "wants"))
			continue;
		if (w->nnext == HD_GOAL_MAX)
			return false;
		w->next[w->nnext++] = f->accesses[i].index;
	}
	return w->nnext >= 2;
}

static bool is_race(const struct hd_found *f)
{
	return f->kind == HD_KIND_RACE || f->kind == HD_KIND_LOCKSET;
}

static bool goal_of(const struct hd_found *f, struct hd_goal *w)
{
	*w = (struct hd_goal){ 0 };
	if (!all_recorded(f))
		return false;
	switch (f->kind) {
	case HD_KIND_PATTERN:
	case HD_KIND_TASK_ATOMICITY:
		if (f->naccesses < 3 || f->naccesses > HD_GOAL_MAX)
			return false;
		w->open_end = true; /* torn is torn, whether or not the thread gets to e2 */
		for (size_t i = 0; i < f->naccesses; i++)
			w->order[w->norder++] = f->accesses[i].index;
		return true;
	case HD_KIND_RACE:
	case HD_KIND_TASK_RACE:
	case HD_KIND_LOCKSET:
		if (f->naccesses != 2 || f->accesses[0].event.thread == f->accesses[1].event.thread)
			return false;
		for (size_t i = 0; i < 2; i++)
			w->next[w->nnext++] = f->accesses[i].index;
		return true;
	case HD_KIND_LOCK_ORDER:
		return goal_deadlock(f, w);
	default:
		return false;
	}
}

/* ---- what is likely to do harm --------------------------------------------------------- */

static bool is_atomic(const struct hd_event *ev)
{
	return ev->op >= HD_OP_ATOMIC_LOAD && ev->op <= HD_OP_ATOMIC_CAS_FAIL;
}

static bool writes(const struct hd_event *ev)
{
	return ev->op == HD_OP_WRITE || ev->op == HD_OP_WRITE_RANGE || ev->op == HD_OP_FREE ||
	       ev->op == HD_OP_ATOMIC_STORE || ev->op == HD_OP_ATOMIC_RMW;
}

static uint64_t left_by(const struct hd_event *ev)
{
	return ev->op == HD_OP_ATOMIC_RMW ? ev->value2 : ev->value;
}

static bool has_value(const struct hd_event *ev)
{
	return ev->op != HD_OP_READ_RANGE && ev->op != HD_OP_WRITE_RANGE && ev->op != HD_OP_FREE;
}

/* Heap and stack addresses of this machine; small numbers are counts. */
static bool looks_like_pointer(const struct hd_event *ev, uint64_t value)
{
	return ev->size == 8 && value >= 1ull << 20 && value < 1ull << 47;
}

static int score_values(const struct hd_event *e1, const struct hd_event *f)
{
	bool same_place = e1->addr == f->addr && e1->size == f->size;
	uint64_t before = left_by(e1), after = left_by(f);
	int score = 0;

	if (!same_place || !has_value(e1) || !has_value(f) || !writes(f))
		return 0;
	score += before == after ? -20 : 15; /* who sees the same value does the same */
	if (looks_like_pointer(e1, before) || looks_like_pointer(f, after))
		score += 15;
	if (looks_like_pointer(e1, before) && !after)
		score += 15; /* a pointer that was looked at is gone */
	return score;
}

/* Of a pattern, `why` says in which block it is. */
static bool is_declared(const struct hd_found *f)
{
	return f->kind == HD_KIND_TASK_ATOMICITY || (f->kind == HD_KIND_PATTERN && f->why);
}

static int score_pattern(const struct hd_found *f)
{
	const struct hd_event *e1 = &f->accesses[0].event, *fe = &f->accesses[1].event,
			      *e2 = &f->accesses[f->naccesses - 1].event;
	bool loop = e1->pc && e1->pc == e2->pc;
	int score = 0;

	if (f->group >= 0)
		score += 40;
	if (f->together)
		return (int)f->together * 15 / 100; /* what is wrong with one of them comes first */
	if (is_declared(f))
		score += 60;
	score += writes(fe) ? 10 : 0;
	score += writes(e1) != writes(e2) ? 10 : 0; /* looked at, then acted upon */
	score += score_values(e1, fe);
	if (is_atomic(e1) && is_atomic(e2))
		score -= 10;
	if (loop && !writes(e1))
		score -= 25; /* waiting in a loop for somebody's write */
	return score;
}

static int score_race(const struct hd_found *f)
{
	int score = f->kind == HD_KIND_LOCKSET ? 40 : 50;

	for (size_t i = 0; i < f->naccesses; i++)
		score += f->accesses[i].event.op == HD_OP_FREE ? 30 : 0;
	return score;
}

/* Many of the same sites are a loop, and most loops were meant. */
static int rarity(uint64_t merged)
{
	int bits = 0;

	for (; merged; merged >>= 2)
		bits++;
	return -bits;
}

static int score_of(const struct hd_found *f)
{
	int score = rarity(f->merged);

	if (f->kind == HD_KIND_LOCK_ORDER)
		return score + 70;
	return score + (hd_found_is_pattern(f) ? score_pattern(f) : score_race(f));
}

/* ---- the list -------------------------------------------------------------------------- */

static void free_found(struct hd_found *f)
{
	struct hd_found_access *accesses = (struct hd_found_access *)f->accesses;

	for (size_t i = 0; accesses && i < f->naccesses; i++)
		free((void *)accesses[i].locks);
	free(accesses);
	free((void *)f->parallel);
	free((void *)f->goal);
	f->goal = NULL;
	f->accesses = NULL;
	f->parallel = NULL;
}

static bool copy_found(struct hd_found *to, const struct hd_found *from)
{
	struct hd_found_access *accesses = calloc(from->naccesses + 1, sizeof(*accesses));

	*to = *from;
	to->accesses = accesses;
	to->parallel = from->parallel ? strdup(from->parallel) : NULL;
	to->goal = from->goal ? strdup(from->goal) : NULL;
	if (!accesses || (from->parallel && !to->parallel) || (from->goal && !to->goal)) {
		to->naccesses = 0;
		free_found(to);
		return false;
	}
	for (size_t i = 0; i < from->naccesses; i++) {
		const struct hd_found_access *a = &from->accesses[i];
		struct hd_found_lock *locks = calloc(a->nlocks + 1, sizeof(*locks));

		accesses[i] = *a;
		accesses[i].locks = locks;
		if (!locks) {
			free_found(to);
			return false;
		}
		for (size_t k = 0; k < a->nlocks; k++)
			locks[k] = a->locks[k];
	}
	return true;
}

static bool is_of_one_thread(const struct hd_found *f)
{
	if (f->kind != HD_KIND_TASK_RACE && f->kind != HD_KIND_TASK_ATOMICITY)
		return false;
	for (size_t i = 1; i < f->naccesses; i++) {
		if (f->accesses[i].event.thread != f->accesses[0].event.thread)
			return false;
	}
	return all_recorded(f);
}

static enum hd_err add(struct hd_candidates *c, const struct hd_found *found)
{
	struct hd_candidate new = { .score = score_of(found),
				    .one_thread = is_of_one_thread(found) };

	if (!new.one_thread && !goal_of(found, &new.goal) &&
	    (all_recorded(found) || !is_race(found)))
		return HD_OK;
	new.declared = is_declared(found) || (hd_found_is_pattern(found) && found->group >= 0);
	if (!HD_ROOM(c->list, c->room, c->n + 1) || !copy_found(&new.found, found))
		return HD_ERR_NOMEM;
	c->list[c->n++] = new;
	return HD_OK;
}

bool hd_candidates_add_unit(struct hd_candidates *c, const struct hd_found *found, size_t unit)
{
	size_t before = c->n;

	if (add(c, found) != HD_OK)
		return false;
	if (c->n > before) {
		c->list[before].unit = unit;
		c->list[before].declared = true;
	}
	return true;
}

bool hd_candidates_add_goal(struct hd_candidates *c, const struct hd_found *found,
			    const struct hd_goal *goal)
{
	struct hd_candidate new = { .goal = *goal, .declared = true };

	if (!HD_ROOM(c->list, c->room, c->n + 1) || !copy_found(&new.found, found))
		return false;
	c->list[c->n++] = new;
	return true;
}

static uint64_t begins_at(const struct hd_candidate *c)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < c->found.naccesses; i++)
		if (c->found.accesses[i].index < first)
			first = c->found.accesses[i].index;
	return first;
}

static int by_score(const void *left, const void *right)
{
	const struct hd_candidate *a = left, *b = right;
	uint64_t x = begins_at(a), y = begins_at(b);

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (x != y)
		return x < y ? -1 : 1;
	if (a->found.kind != b->found.kind)
		return a->found.kind < b->found.kind ? -1 : 1;
	for (size_t i = 0; i < a->found.naccesses && i < b->found.naccesses; i++) {
		x = a->found.accesses[i].index;
		y = b->found.accesses[i].index;
		if (x != y)
			return x < y ? -1 : 1;
	}
	return a->found.group < b->found.group ? -1 : a->found.group > b->found.group;
}

static void rank(struct hd_candidates *c)
{
	if (c->n)
		qsort(c->list, c->n, sizeof(*c->list), by_score);
}

void hd_candidates_free(struct hd_candidates *c)
{
	for (size_t i = 0; i < c->n; i++)
		free_found(&c->list[i].found);
	free(c->list);
	*c = (struct hd_candidates){ 0 };
}

/* ---- accesses of races ------------------------------------------------------------------ */

/*
 * Of the first access of a race only thread, place and operation are known: it is the last such
 * event before the second one.
 */
struct tracing {
	struct hd_candidates *list;
	struct hd_map by_pc; /* pc + 1 -> number of the first candidate of that pc + 1 */
	size_t *next;	     /* of each candidate: the next of the same pc + 1; 0: none */
};

static struct hd_found_access *first_access(struct hd_candidate *c)
{
	return (struct hd_found_access *)c->found.accesses;
}

static bool is_unplaced(const struct hd_candidate *c)
{
	return is_race(&c->found) && c->found.naccesses == 2 && !c->goal.nnext;
}

static uint64_t length_of(const struct hd_event *ev)
{
	bool range =
		ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_WRITE_RANGE || ev->op == HD_OP_FREE;

	return range ? ev->value : ev->size ? ev->size : 1;
}

static bool is_first(const struct hd_candidate *c, const struct hd_event *ev, uint64_t index)
{
	const struct hd_found_access *a = &c->found.accesses[0], *b = &c->found.accesses[1];
	uint64_t size = c->found.size ? c->found.size : 1;

	return index < b->index && ev->thread == a->event.thread && ev->op == a->event.op &&
	       ev->addr < c->found.addr + size && c->found.addr < ev->addr + length_of(ev);
}

static enum hd_err look(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct tracing *t = arg;

	for (size_t i = 0; i < n; i++) {
		size_t k = hd_map_get(&t->by_pc, events[i].pc + 1);

		for (; k; k = t->next[k - 1]) {
			struct hd_candidate *c = &t->list->list[k - 1];

			if (!is_first(c, &events[i], first + i))
				continue;
			first_access(c)->index = first + i;
			first_access(c)->event = events[i];
		}
	}
	return HD_OK;
}

/* Where a variable is several cells the same two accesses are told of more than once. */
static enum hd_err drop_twins(struct hd_candidates *list)
{
	struct hd_map seen = { 0 }; /* hash of the two events -> number of the candidate + 1 */
	size_t kept = 0;
	enum hd_err err = HD_OK;

	for (size_t i = 0; i < list->n; i++) {
		struct hd_candidate *c = &list->list[i];
		const uint64_t *next = c->goal.next;
		uint64_t key = hd_hash_pair(next[0], next[1]);
		size_t twin = is_race(&c->found) ? hd_map_get(&seen, key) : 0;

		if (twin && !memcmp(next, list->list[twin - 1].goal.next, 2 * sizeof(*next))) {
			free_found(&c->found);
			continue;
		}
		if (is_race(&c->found) && !hd_map_set(&seen, key, kept + 1))
			err = HD_ERR_NOMEM;
		list->list[kept++] = *c;
	}
	list->n = kept;
	hd_map_free(&seen);
	return err;
}

/* Find them, and leave out those of which no event was recorded. */
static enum hd_err locate(struct hd_candidates *list, struct hd_run *run, struct hd_errbuf *eb)
{
	struct tracing t = { .list = list, .next = calloc(list->n + 1, sizeof(*t.next)) };
	enum hd_err err = t.next ? HD_OK : HD_ERR_NOMEM;
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < list->n && !err; i++) {
		uint64_t key = list->list[i].found.accesses[0].event.pc + 1;

		if (!is_unplaced(&list->list[i]))
			continue;
		any = true;
		t.next[i] = hd_map_get(&t.by_pc, key);
		if (!hd_map_set(&t.by_pc, key, i + 1))
			err = HD_ERR_NOMEM;
	}
	if (err)
		hd_fail(eb, err, "out of memory for candidates");
	else if (any)
		err = hd_run_each(run, look, &t, eb);
	for (size_t i = 0; i < list->n && !err; i++) {
		struct hd_candidate *c = &list->list[i];

		if (!is_unplaced(c) || goal_of(&c->found, &c->goal))
			list->list[kept++] = *c;
		else
			free_found(&c->found);
	}
	if (!err)
		list->n = kept;
	hd_map_free(&t.by_pc);
	free(t.next);
	return err;
}

void hd_candidates_keep_named(struct hd_candidates *c, const struct hd_named *named,
			      const struct hd_run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (hd_may_be_named(named, run, &c->list[i].found))
			c->list[kept++] = c->list[i];
		else
			free_found(&c->list[i].found);
	}
	c->n = kept;
}

/* ---- what is done with the values --------------------------------------------------------- */

/* The access that sees another value, or whose value is old by the time it is used; NULL: none reads one. */
static const struct hd_event *affected(const struct hd_found *f)
{
	static const size_t order[] = { 2, 0, 1 };

	if (!hd_found_is_pattern(f) || f->naccesses != 3 || f->together)
		return NULL;
	for (size_t i = 0; i < 3; i++) {
		const struct hd_event *ev = &f->accesses[order[i]].event;

		if (ev->op == HD_OP_READ || ev->op == HD_OP_ATOMIC_LOAD)
			return ev;
	}
	return NULL;
}

static int score_use(unsigned uses)
{
	return (uses & HD_USE_FREED ? 25 : 0) + (uses & HD_USE_POINTER ? 15 : 0) +
	       (uses & HD_USE_INDEX ? 15 : 0) + (uses & HD_USE_BRANCH ? 10 : 0);
}

static enum hd_err feed(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	for (size_t i = 0; i < n; i++) {
		if (!hd_value_uses_feed(arg, &events[i]))
			return HD_ERR_NOMEM;
	}
	return HD_OK;
}

/* What is read there decides where the program goes, or which memory it uses: that is likely to do harm. */
static enum hd_err score_uses(struct hd_candidates *list, struct hd_run *run, struct hd_errbuf *eb)
{
	struct hd_value_uses uses = { 0 };
	bool ok = true;
	enum hd_err err = HD_OK;

	for (size_t i = 0; i < list->n && ok; i++) {
		const struct hd_event *ev = affected(&list->list[i].found);

		if (ev)
			ok = hd_value_uses_want(&uses, ev->pc);
	}
	if (!ok)
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory for candidates");
	else if (uses.n)
		err = hd_run_each(run, feed, &uses, eb);
	for (size_t i = 0; i < list->n && !err; i++) {
		const struct hd_event *ev = affected(&list->list[i].found);

		if (ev)
			list->list[i].score += score_use(hd_value_uses_of(&uses, ev->pc));
	}
	hd_value_uses_free(&uses);
	return err;
}

/* ---- collecting -------------------------------------------------------------------------- */

struct collecting {
	struct hd_candidates *list;
	struct hd_run *run;
	enum hd_certain certain;
	enum hd_err err;
};

static void take(void *arg, const struct hd_found *found)
{
	struct collecting *c = arg;
	bool certain = found->kind == HD_KIND_RACE || found->kind == HD_KIND_ATOMICITY;

	if (c->err)
		return;
	c->err = certain && c->certain == HD_CERTAIN_IS_TOLD ? hd_run_add_found(c->run, found)
							     : add(c->list, found);
}

enum hd_err hd_candidates_collect(struct hd_candidates *out, struct hd_analyses *a,
				  struct hd_run *run, struct hd_trace *trace,
				  enum hd_certain certain, struct hd_errbuf *eb)
{
	struct collecting c = { .list = out, .run = run, .certain = certain };
	enum hd_err err;

	*out = (struct hd_candidates){ 0 };
	hd_analyses_tell(a, take, &c);
	err = hd_analyses_run(a, run, trace, eb);
	if (!err && c.err)
		err = hd_fail(eb, c.err, "out of memory for candidates");
	if (!err)
		err = locate(out, run, eb);
	if (!err)
		err = score_uses(out, run, eb);
	rank(out);
	if (!err && drop_twins(out))
		err = hd_fail(eb, HD_ERR_NOMEM, "out of memory for candidates");
	return err;
}

/* ---- words ----------------------------------------------------------------------------- */

const char *hd_candidate_word(const struct hd_candidate *c)
{
	if (c->found.kind == HD_KIND_LOCK_ORDER)
		return "deadlock";
	return hd_found_is_pattern(&c->found) ? c->found.pattern : "race";
}

bool hd_candidate_counts(const struct hd_candidate *c)
{
	return !hd_found_is_pattern(&c->found) || c->declared;
}
