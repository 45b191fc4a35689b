#include "task_known.h"

#include <stdlib.h>
#include <string.h>

static const struct hd_known_point *points(const struct hd_knowns *k, hd_known a, size_t *n)
{
	size_t len = 0;
	const struct hd_known_point *p = a ? hd_intern_get(&k->sets, a, &len) : NULL;

	*n = len / sizeof(*p);
	return p;
}

static bool reserve(struct hd_knowns *k, size_t n)
{
	struct hd_known_point *more;

	if (n <= k->scratch_room)
		return true;
	more = realloc(k->scratch, 2 * n * sizeof(*more));
	if (!more) {
		k->failed = true;
		return false;
	}
	k->scratch = more;
	k->scratch_room = 2 * n;
	return true;
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

hd_known hd_known_outside(struct hd_knowns *k, hd_known a, const struct hd_dpst *tree,
			  hd_dpst_id scope)
{
	const struct hd_known_point *p;
	size_t np, n = 0;

	p = points(k, a, &np);
	if (!np || !reserve(k, np))
		return a;
	for (size_t i = 0; i < np; i++) {
		bool below = p[i].task &&
			     hd_dpst_depth(tree, p[i].step) > hd_dpst_depth(tree, scope) &&
			     hd_dpst_meet(tree, p[i].step, scope).lca == scope;

		if (!below)
			k->scratch[n++] = p[i];
	}
	return n == np ? a : keep(k, n, SIZE_MAX, 0);
}

bool hd_known_has(const struct hd_knowns *k, hd_known a, struct hd_dpst *tree, hd_dpst_id step)
{
	const struct hd_known_point *p;
	size_t np;

	p = points(k, a, &np);
	for (size_t i = 0; i < np; i++) {
		if (!p[i].task) {
			if (step < p[i].step)
				return true;
		} else if (step <= p[i].step &&
			   (step == p[i].step || hd_dpst_before(tree, step, p[i].step))) {
			return true;
		}
	}
	return false;
}

void hd_knowns_free(struct hd_knowns *k)
{
	hd_intern_free(&k->sets);
	free(k->scratch);
	*k = (struct hd_knowns){ 0 };
}
