#include "task_known.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

_Static_assert(HD_DPST_NUMBERS <= HD_KNOWN_POOLS,
	       "numbers of nodes leave room for what is said of them");

static const struct hd_known_point *points(const struct hd_knowns *k, hd_known a, size_t *n)
{
	size_t len = 0;
	const struct hd_known_point *p = a ? hd_intern_get(&k->sets, a, &len) : NULL;

	*n = len / sizeof(*p);
	return p;
}

static bool reserve(struct hd_knowns *k, size_t n)
{
	if (HD_ROOM(k->scratch, k->scratch_room, n))
		return true;
	k->failed = true;
	return false;
}

static hd_known keep(struct hd_knowns *k, size_t n, size_t limit, hd_dpst_id next)
{
	hd_known set;

	if (n > limit || (limit == HD_KNOWN_FEW && n > 1 && !k->scratch[0].task)) {
		k->scratch[0] = (struct hd_known_point){ .task = 0, .step = next };
		k->bounded = true;
		n = 1;
	}
	if (!n)
		return 0;
	set = hd_intern_put(&k->sets, k->scratch, n * sizeof(*k->scratch));
	if (!set)
		k->failed = true;
	return set;
}

/* Both lists are in rising order of tasks; of one task the later point says more. */
static hd_known merge(struct hd_knowns *k, const struct hd_known_point *p, size_t np,
		      const struct hd_known_point *q, size_t nq, size_t limit, hd_dpst_id next)
{
	size_t n = 0;

	if (!reserve(k, np + nq + 1))
		return 0;
	for (size_t i = 0, j = 0; i < np || j < nq; n++) {
		if (j == nq || (i < np && p[i].task < q[j].task)) {
			k->scratch[n] = p[i++];
		} else if (i == np || q[j].task < p[i].task) {
			k->scratch[n] = q[j++];
		} else {
			k->scratch[n] = p[i].step > q[j].step ? p[i] : q[j];
			i++;
			j++;
		}
	}
	return keep(k, n, limit, next);
}

hd_known hd_known_join(struct hd_knowns *k, hd_known a, hd_known b, size_t limit, hd_dpst_id next)
{
	const struct hd_known_point *p, *q;
	size_t np, nq;

	if (a == b || !b)
		return a;
	if (!a)
		return b;
	p = points(k, a, &np);
	q = points(k, b, &nq);
	return merge(k, p, np, q, nq, limit, next);
}

hd_known hd_known_with(struct hd_knowns *k, hd_known a, uint32_t task, hd_dpst_id step,
		       size_t limit, hd_dpst_id next)
{
	const struct hd_known_point one = { .task = task, .step = step }, *p;
	size_t np;

	p = points(k, a, &np);
	return merge(k, p, np, &one, 1, limit, next);
}

static bool is_own(const struct hd_known_point *p)
{
	return p->task & HD_KNOWN_OWN;
}

static bool has_point(const struct hd_knowns *k, hd_known a, const struct hd_known_point *one)
{
	size_t n;
	const struct hd_known_point *p = points(k, a, &n);

	for (size_t i = 0; i < n; i++) {
		if (p[i].task == one->task && p[i].step == one->step)
			return true;
	}
	return false;
}

hd_known hd_known_for_own(struct hd_knowns *k, hd_known a)
{
	hd_known all = 0;
	size_t n;

	points(k, a, &n);
	for (size_t i = 0; i < n; i++) {
		const struct hd_known_point p = points(k, a, &n)[i];

		all = hd_known_with(k, all, p.task ? p.task | HD_KNOWN_OWN : 0, p.step, SIZE_MAX,
				    0);
	}
	return all;
}

hd_known hd_known_for_all(struct hd_knowns *k, hd_known a, hd_known except)
{
	hd_known all = 0;
	size_t n;

	points(k, a, &n);
	for (size_t i = 0; i < n; i++) {
		struct hd_known_point p = points(k, a, &n)[i];

		if (!has_point(k, except, &p))
			p.task &= ~HD_KNOWN_OWN;
		all = hd_known_with(k, all, p.task, p.step, SIZE_MAX, 0);
	}
	return all;
}

static bool has_step(const struct hd_known_point *p, size_t n, hd_dpst_id step, bool own)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i].step == step && p[i].task && (own || !is_own(&p[i])))
			return true;
	}
	return false;
}

/* Note that set @a is looked at in this walk; false: it was already, or there is no memory. */
static bool enter_set(struct hd_knowns *k, hd_known a)
{
	if (!HD_ROOM_ZEROED(k->seen, k->seen_room, (size_t)a + 1)) {
		k->failed = true;
		return false;
	}
	if (k->seen[a] == k->walk)
		return false;
	k->seen[a] = k->walk;
	return true;
}

static bool push_way(struct hd_knowns *k, size_t *n, hd_known a)
{
	if (!a || !enter_set(k, a))
		return true;
	if (!HD_ROOM(k->ways, k->ways_room, *n + 1)) {
		k->failed = true;
		return false;
	}
	k->ways[(*n)++] = a;
	return true;
}

bool hd_known_set_level(struct hd_knowns *k, hd_dpst_id step, uint32_t level)
{
	if (!level && step >= k->level_room)
		return true;
	if (!HD_ROOM_ZEROED(k->level, k->level_room, (size_t)step + 1)) {
		k->failed = true;
		return false;
	}
	k->level[step] = level;
	return true;
}

static uint32_t level_of(const struct hd_knowns *k, hd_dpst_id step)
{
	return step < k->level_room ? k->level[step] : 0;
}

static void begin_walk(struct hd_knowns *k)
{
	if (!++k->walk) { /* they have all been used */
		memset(k->seen, 0, k->seen_room * sizeof(*k->seen));
		k->walk = 1;
	}
}

bool hd_known_has(struct hd_knowns *k, hd_known a, struct hd_dpst *tree, hd_dpst_id step)
{
	const uint32_t level = level_of(k, step);
	const struct hd_known_point *p;
	size_t np, nways = 0;

	begin_walk(k);
	for (;;) {
		p = points(k, a, &np);
		if (has_step(p, np, step, tree->own))
			return true; /* most are points themselves: the tree need not be asked */
		for (size_t i = 0; i < np; i++) {
			if (!p[i].task) {
				if (step < p[i].step)
					return true;
				continue;
			}
			if (step > p[i].step || level > level_of(k, p[i].step) ||
			    (is_own(&p[i]) && !tree->own))
				continue; /* begun later, or beside it; or not meant */
			if (step == p[i].step || hd_dpst_before(tree, step, p[i].step))
				return true;
			if ((p[i].task & HD_KNOWN_FOLLOW) &&
			    !push_way(k, &nways, (hd_known)hd_map_get(&k->of_step, p[i].step)))
				return true; /* no memory: ordered is never a false report */
		}
		if (!nways)
			return false;
		a = k->ways[--nways];
	}
}

static bool is_below(const struct hd_dpst *tree, const struct hd_known_point *p, hd_dpst_id scope)
{
	return p->task && hd_dpst_depth(tree, p->step) > hd_dpst_depth(tree, scope) &&
	       hd_dpst_meet(tree, p->step, scope).lca == scope;
}

hd_known hd_known_outside(struct hd_knowns *k, hd_known a, const struct hd_dpst *tree,
			  hd_dpst_id scope, hd_dpst_id pools)
{
	const uint32_t stays = HD_KNOWN_FOLLOW | HD_KNOWN_POOLS | pools;
	const struct hd_known_point *p;
	size_t np, n = 0;

	p = points(k, a, &np);
	if (!np || !reserve(k, np))
		return a;
	for (size_t i = 0; i < np; i++) {
		if (p[i].task == stays || !is_below(tree, &p[i], scope))
			k->scratch[n++] = p[i];
	}
	return n == np ? a : keep(k, n, SIZE_MAX, 0);
}

hd_known hd_known_of_node(struct hd_knowns *k, hd_dpst_id node, hd_dpst_id step)
{
	return hd_known_with(k, 0, HD_KNOWN_FOLLOW | node, step, SIZE_MAX, 0);
}

hd_known hd_known_of_pools(struct hd_knowns *k, hd_dpst_id node, hd_dpst_id step)
{
	return hd_known_of_node(k, HD_KNOWN_POOLS | node, step);
}

/* Does @a say all that @b does? */
static bool says_all(struct hd_knowns *k, hd_known a, hd_known b, struct hd_dpst *tree)
{
	size_t n;

	points(k, b, &n);
	for (size_t i = 0; i < n; i++) {
		size_t still;
		const struct hd_known_point *p = points(k, b, &still);

		if (!p[i].task || !hd_known_has(k, a, tree, p[i].step))
			return false;
	}
	return true;
}

hd_known hd_known_join_units(struct hd_knowns *k, hd_known a, hd_known b, struct hd_dpst *tree,
			     hd_dpst_id scope, size_t limit)
{
	if (!a || a == b)
		return b;
	if (says_all(k, b, a, tree))
		a = hd_known_outside(k, a, tree, scope, 0);
	return hd_known_join(k, a, b, limit, tree->count);
}

void hd_knowns_free(struct hd_knowns *k)
{
	hd_intern_free(&k->sets);
	hd_map_free(&k->of_step);
	free(k->level);
	free(k->scratch);
	free(k->ways);
	free(k->seen);
	*k = (struct hd_knowns){ 0 };
}
