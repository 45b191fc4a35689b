#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static void node_free(struct hd_xtreenode *node)
{
	for (size_t i = 0; i < node->nchoices; i++)
		free(node->choices[i].ops);
	free(node->choices);
	hd_xwakeup_free(&node->wakeup);
}

void hd_xtree_cut(struct hd_xtree *t, size_t n)
{
	while (t->n > n)
		node_free(&t->nodes[--t->n]);
}

struct hd_xchoice *hd_xtree_choice(struct hd_xtreenode *node, uint32_t thread)
{
	for (size_t i = 0; i < node->nenabled; i++) {
		if (node->choices[i].thread == thread)
			return &node->choices[i];
	}
	return NULL;
}

static bool set_ops(struct hd_xchoice *c, const struct hd_xop *ops, size_t n)
{
	free(c->ops);
	c->ops = malloc((n + 1) * sizeof(*ops));
	c->nops = c->ops ? n : 0;
	if (c->ops && n)
		memcpy(c->ops, ops, n * sizeof(*ops));
	return c->ops != NULL;
}

/* What the thread did first after a decision, until others might have run again. */
static bool set_own_ops(struct hd_xchoice *c, const struct hd_xop *ops, size_t n)
{
	if (!set_ops(c, ops, n))
		return false;
	c->nops = 0;
	for (size_t i = 0; i < n; i++) {
		if (ops[i].thread != c->thread)
			continue;
		if (c->nops && ops[i].begins)
			break;
		c->ops[c->nops++] = ops[i];
	}
	return true;
}

/* Operations [from, to) come between a decision and the next. */
struct between {
	const struct hd_xop *ops;
	uint32_t from, to;
};

/* What a weak operation does is decided after it was told, so it belongs to that decision. */
static struct between ops_after(const struct hd_xlog *log, size_t k)
{
	const struct hd_xnode *node = &log->nodes[k];
	struct between b = { log->ops, node->first_op, node->first_op + node->nops };

	if (node->why == HD_X_PICK && b.from && log->ops[b.from - 1].weak)
		b.from--;
	if (k + 1 < log->nnodes && log->nodes[k + 1].why == HD_X_PICK && b.to > b.from &&
	    log->ops[b.to - 1].weak)
		b.to--;
	return b;
}

/* Is @c of @node, after these happened, still not worth trying in the next node? *@since: but for what it may read. */
static bool sleeps_on(const struct hd_xtreenode *node, size_t c, const struct between *b,
		      uint32_t *since)
{
	const struct hd_xchoice *choice = &node->choices[c];
	bool done = node->why == HD_X_RUN && choice->done;

	*since = done || choice->asleep ? 0 : choice->since;
	if ((node->why == HD_X_RUN && c == node->chosen) || !choice->ops ||
	    !(done || choice->asleep || choice->since))
		return false;
	for (uint32_t i = b->from; i < b->to; i++) {
		enum hd_xwake wake;

		if (b->ops[i].thread == choice->thread && *since)
			return false;
		wake = hd_xop_wake(&b->ops[i], choice->ops, choice->nops);
		if (wake == HD_X_WAKES)
			return false;
		if (wake == HD_X_WAKES_PARTLY && !*since)
			*since = i + 1;
	}
	return true;
}

/* The choices of a new node: who is enabled, and who else sleeps. */
static bool fill_choices(struct hd_xtreenode *node, const struct hd_xtreenode *parent,
			 const struct hd_xlog *log, const struct hd_xnode *seen,
			 struct between between)
{
	const uint32_t *enabled = log->threads + seen->first_enabled;
	size_t room = seen->nenabled + (parent ? parent->nchoices : 0);

	node->choices = calloc(room + 1, sizeof(*node->choices));
	if (!node->choices)
		return false;
	for (uint32_t i = 0; i < seen->nenabled; i++) {
		node->choices[i].thread = enabled[i];
		if (enabled[i] == seen->chosen)
			node->chosen = i;
	}
	node->nenabled = node->nchoices = seen->nenabled;
	for (size_t i = 0; parent && i < parent->nchoices; i++) {
		const struct hd_xchoice *from = &parent->choices[i];
		struct hd_xchoice *to = NULL;
		uint32_t since;

		if (!sleeps_on(parent, i, &between, &since))
			continue;
		if (node->why == HD_X_RUN)
			to = hd_xtree_choice(node, from->thread);
		if (!to) {
			to = &node->choices[node->nchoices++];
			to->thread = from->thread;
		}
		to->asleep = !since;
		to->since = since;
		if (!set_ops(to, from->ops, from->nops))
			return false;
	}
	return true;
}

struct hd_xtreenode *hd_xtree_push(struct hd_xtree *t)
{
	if (!HD_ROOM(t->nodes, t->cap, t->n + 1))
		return NULL;
	t->nodes[t->n] = (struct hd_xtreenode){ 0 };
	return &t->nodes[t->n++];
}

static uint32_t preemptions_after(const struct hd_xtreenode *node, size_t choice)
{
	return node->preemptions + (node->why == HD_X_RUN && node->current &&
				    node->choices[choice].thread != node->current);
}

static bool add_node(struct hd_xtree *t, const struct hd_xlog *log, size_t k)
{
	const struct hd_xnode *seen = &log->nodes[k];
	struct hd_xtreenode *node = hd_xtree_push(t), *parent;

	if (!node)
		return false;
	parent = t->n > 1 ? node - 1 : NULL;
	*node = (struct hd_xtreenode){ .current = seen->current, .why = seen->why };
	if (parent)
		node->preemptions = preemptions_after(parent, parent->chosen);
	return fill_choices(node, t->sleep ? parent : NULL, log, seen,
			    k ? ops_after(log, k - 1) : (struct between){ 0 });
}

/* Sequences that go on otherwise than the execution: from @node, if they can be tried there. */
static void leave(struct hd_xtree *t, struct hd_xwakeup *w, struct hd_xtreenode *node)
{
	while (w->first) {
		struct hd_xstep *s = hd_xwakeup_take(w);
		struct hd_xchoice *c = node ? hd_xtree_choice(node, s->thread) : NULL;

		if (c) {
			hd_xwakeup_give(&node->wakeup, s);
			c->wanted = true;
		} else {
			t->strayed = true;
			hd_xstep_free(s);
		}
	}
}

/* The execution went on with a step of @thread, which was decided at @node (NULL: nobody else could). */
static void step(struct hd_xtree *t, struct hd_xwakeup *w, uint32_t thread,
		 struct hd_xtreenode *node)
{
	struct hd_xwakeup next = hd_xwakeup_descend(w, thread);

	leave(t, w, node);
	*w = next;
}

static void follow(struct hd_xtree *t, const struct hd_xlog *log, size_t from)
{
	struct hd_xtreenode *first = &t->nodes[from];
	size_t nops = log->nops - log->npending;
	struct hd_xwakeup w =
		hd_xwakeup_descend(&first->wakeup, first->choices[first->chosen].thread);

	for (size_t k = from; w.first && k < t->n; k++) {
		const struct hd_xnode *n = &log->nodes[k];

		for (size_t i = n->first_op; w.first && i < n->first_op + n->nops && i < nops;
		     i++) {
			bool decided = i == n->first_op && n->why == HD_X_RUN;

			if (log->ops[i].begins && !(decided && k == from))
				step(t, &w, log->ops[i].thread, decided ? &t->nodes[k] : NULL);
		}
	}
	t->strayed |= w.first != NULL; /* it was over before */
	hd_xwakeup_free(&w);
}

bool hd_xtree_extend(struct hd_xtree *t, const struct hd_xlog *log, size_t from, size_t until)
{
	for (size_t k = from; k < until; k++) {
		if (!add_node(t, log, k))
			return false;
	}
	for (size_t k = from ? from - 1 : 0; k < until; k++) {
		struct hd_xtreenode *node = &t->nodes[k];
		struct hd_xchoice *c = &node->choices[node->chosen];
		const struct hd_xnode *seen = &log->nodes[k];

		c->done = c->wanted = true;
		node->again = false;
		if (!set_own_ops(c, log->ops + seen->first_op, seen->nops))
			return false;
	}
	if (from)
		follow(t, log, from - 1);
	return true;
}

/*
 * Sequences come in their order: so each is told from those
 * before it.
 */
size_t hd_xtree_next(const struct hd_xtreenode *n)
{
	size_t i = 0;

	for (const struct hd_xstep *s = n->wakeup.first; s; s = s->next) {
		for (i = 0; i < n->nenabled; i++) {
			if (n->choices[i].thread == s->thread && hd_xchoice_is_left(&n->choices[i]))
				return i;
		}
	}
	for (i = 0; i < n->nenabled && !hd_xchoice_is_left(&n->choices[i]);)
		i++;
	return i;
}

/* The sleepers at a node for its next choice, with their operations. */
static bool gather_sleepers(const struct hd_xtree *t, const struct hd_xtreenode *node,
			    size_t choice, struct hd_xasked *out)
{
	size_t nops = 0;

	for (size_t i = 0; i < node->nchoices; i++)
		nops += node->choices[i].nops;
	out->sleepers = malloc((node->nchoices + 1) * sizeof(*out->sleepers));
	out->ops = malloc((nops + 1) * sizeof(*out->ops));
	if (!out->sleepers || !out->ops)
		return false;
	nops = 0;
	for (size_t i = 0; t->sleep && i < node->nchoices; i++) {
		const struct hd_xchoice *c = &node->choices[i];
		bool done = node->why == HD_X_RUN && c->done && c->ops;

		bool own = i == choice && node->why == HD_X_RUN;

		/* What is tried now goes on as it was: it may be half awake. */
		if (own ? !c->since : !(c->asleep || done || c->since))
			continue;
		out->sleepers[out->request.nsleepers++] =
			(struct hd_xsleeper){ .thread = c->thread,
					      .first_op = (uint32_t)nops,
					      .nops = (uint32_t)c->nops,
					      .since = done && !own ? 0 : c->since };
		if (c->nops)
			memcpy(out->ops + nops, c->ops, c->nops * sizeof(*c->ops));
		nops += c->nops;
	}
	out->request.sleepers = out->sleepers;
	out->request.ops = out->ops;
	return true;
}

/* The first of the sequences that begin with @thread, after that step. */
static bool gather_wakeup(const struct hd_xwakeup *w, uint32_t thread, struct hd_xasked *out)
{
	const struct hd_xstep *begin = hd_xwakeup_begins(w, thread);
	size_t n = 0;

	for (const struct hd_xstep *s = begin; s && s->first; s = s->first)
		n++;
	out->request.nwakeup = n;
	out->wakeup = malloc((n + 1) * sizeof(*out->wakeup));
	n = 0;
	for (const struct hd_xstep *s = begin; out->wakeup && s && s->first; s = s->first)
		out->wakeup[n++] = s->first->thread;
	out->request.wakeup = out->wakeup;
	return out->wakeup != NULL;
}

bool hd_xtree_request(const struct hd_xtree *t, size_t node, size_t choice, struct hd_xasked *out)
{
	*out = (struct hd_xasked){ .request.nprefix = node + 1 };
	out->prefix = malloc((node + 1) * sizeof(*out->prefix));
	if (!out->prefix)
		return false;
	for (size_t k = 0; k < node; k++)
		out->prefix[k] = t->nodes[k].choices[t->nodes[k].chosen].thread;
	out->prefix[node] = t->nodes[node].choices[choice].thread;
	out->request.prefix = out->prefix;
	out->request.by_graph = t->by_graph;
	out->request.preemptions = preemptions_after(&t->nodes[node], choice);
	return gather_wakeup(&t->nodes[node].wakeup, out->prefix[node], out) &&
	       gather_sleepers(t, &t->nodes[node], choice, out);
}

void hd_xasked_free(struct hd_xasked *asked)
{
	free(asked->prefix);
	free(asked->wakeup);
	free(asked->sleepers);
	free(asked->ops);
	*asked = (struct hd_xasked){ 0 };
}

static bool same_want(const struct hd_xwant *a, const struct hd_xwant *b)
{
	return a->node == b->node && a->forced == b->forced && a->nthreads == b->nthreads &&
	       (!a->nthreads || !memcmp(a->threads, b->threads, a->nthreads * sizeof(*a->threads)));
}

bool hd_xwants_add(struct hd_xwants *w, const struct hd_xwant *want)
{
	struct hd_xwant own = *want;

	for (size_t i = 0; i < w->n; i++) {
		if (same_want(&w->list[i], want))
			return true;
	}
	own.threads = malloc((want->nthreads + 1) * sizeof(*own.threads));
	if (!own.threads || !HD_ROOM(w->list, w->room, w->n + 1)) {
		free(own.threads);
		return false;
	}
	if (own.nthreads)
		memcpy(own.threads, want->threads, own.nthreads * sizeof(*own.threads));
	w->list[w->n++] = own;
	return true;
}

void hd_xwants_free(struct hd_xwants *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->list[i].threads);
	free(w->list);
	*w = (struct hd_xwants){ 0 };
}

void hd_xtree_free(struct hd_xtree *t)
{
	hd_xtree_cut(t, 0);
	hd_xwants_free(&t->wants);
	free(t->nodes);
	*t = (struct hd_xtree){ 0 };
}
