#include "symmetry.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"
#include "common/map.h"

/* A thread that is like others, and what it has done so far. */
struct member {
	uint32_t thread, first; /* of all that it is like */
	uint64_t past;		/* a digest */
	bool alone;		/* it has done what others notice: nobody is equal to it any more */
};

struct members {
	bool by_steps; /* it matters how often they were chosen and did nothing */
	struct member *list;
	size_t n, room;
	struct hd_map changes; /* object -> how often it was changed */
};

static struct member *find(struct members *m, uint32_t thread)
{
	for (size_t i = 0; i < m->n; i++) {
		if (m->list[i].thread == thread)
			return &m->list[i];
	}
	return NULL;
}

static bool add(struct members *m, uint32_t thread, uint32_t first)
{
	if (find(m, thread))
		return true;
	if (!HD_ROOM(m->list, m->room, m->n + 1))
		return false;
	m->list[m->n++] = (struct member){ .thread = thread, .first = first };
	return true;
}

/* All forks come first, as to fork earlier makes no difference to the new one. */
static bool gather(struct members *m, const struct hd_xlog *log)
{
	for (size_t i = 0; i < log->nops; i++) {
		const struct hd_xop *op = &log->ops[i];

		if (op->kind == HD_X_FORK && op->source &&
		    (!add(m, op->source, op->source) || !add(m, (uint32_t)op->object, op->source)))
			return false;
	}
	return true;
}

static bool take(struct members *m, const struct hd_xop *op)
{
	struct member *who = find(m, op->thread);
	uint64_t changes = hd_map_get(&m->changes, op->object + 1);

	if (who && op->kind != HD_X_READ && op->kind != HD_X_STEP)
		who->alone = true;
	if (who && op->kind == HD_X_READ)
		who->past = hd_hash_pair(who->past + op->bytes, hd_hash_pair(op->object, changes));
	if (who && (op->kind != HD_X_STEP || m->by_steps))
		who->past = hd_hash_pair(who->past, op->kind * 4u + op->begins * 2u + op->resumed);
	return op->kind == HD_X_READ || op->kind == HD_X_STEP ||
	       hd_map_set(&m->changes, op->object + 1, changes + 1);
}

static bool are_equal(const struct member *a, const struct member *b)
{
	return a->first == b->first && a->past == b->past && !a->alone && !b->alone;
}

static bool set_ops(struct hd_xchoice *c, const struct hd_xchoice *as)
{
	free(c->ops);
	c->ops = malloc((as->nops + 1) * sizeof(*c->ops));
	c->nops = c->ops ? as->nops : 0;
	for (size_t i = 0; i < c->nops; i++) {
		c->ops[i] = as->ops[i];
		c->ops[i].thread = c->thread;
	}
	return c->ops != NULL;
}

/* It would do what @as does. */
static bool put_to_sleep(struct hd_xchoice *c, const struct hd_xchoice *as)
{
	c->asleep = true;
	return set_ops(c, as);
}

static bool sleep_beside(struct members *m, struct hd_xtreenode *node)
{
	const struct hd_xchoice *chosen = &node->choices[node->chosen];
	const struct member *who = find(m, chosen->thread);

	if (!who || hd_xops_are_step(chosen->ops, chosen->nops))
		return true;
	for (size_t i = 0; i < node->nenabled; i++) {
		struct hd_xchoice *c = &node->choices[i];
		const struct member *other = find(m, c->thread);

		if (other && other != who && !c->done && !c->asleep && are_equal(who, other) &&
		    !put_to_sleep(c, chosen))
			return false;
	}
	return true;
}

/* That a thread was chosen and did nothing is one step with what it did after that. */
static bool complete_steps(struct hd_xtree *t, size_t from, size_t until)
{
	for (size_t k = until; k-- > from + 1;) {
		const struct hd_xtreenode *node = &t->nodes[k];
		struct hd_xchoice *step = &node[-1].choices[node[-1].chosen];
		const struct hd_xchoice *next = &node->choices[node->chosen];

		if (node->why == HD_X_RUN && node[-1].why == HD_X_RUN &&
		    next->thread == step->thread && hd_xops_are_step(step->ops, step->nops) &&
		    !set_ops(step, next))
			return false;
	}
	return true;
}

bool hd_xequal_sleep(struct hd_xtree *t, const struct hd_xlog *log, size_t from, size_t until)
{
	struct members m = { .by_steps = !t->sequences };
	size_t at = 0;
	bool ok = !(log->uses & HD_X_USES_EQUAL) || gather(&m, log);

	t->equal |= m.n && t->sequences;
	ok = ok && (!t->equal || complete_steps(t, from, until));
	for (size_t k = 0; ok && m.n && k < until; k++) {
		for (; ok && at < log->nodes[k].first_op; at++)
			ok = take(&m, &log->ops[at]);
		if (ok && k >= from && t->nodes[k].why == HD_X_RUN)
			ok = sleep_beside(&m, &t->nodes[k]);
	}
	free(m.list);
	hd_map_free(&m.changes);
	return ok;
}
