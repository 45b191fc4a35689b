#include "hitting_set.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#define LOOKS 2000000u /* sets to look at */

struct look {
	const struct hd_hitting *h;
	const unsigned *cost;
	bool *now, *best;
	size_t nitems;
	unsigned below;
	bool found;
	size_t looks;
};

bool hd_hitting_add(struct hd_hitting *h, unsigned *items, size_t n)
{
	if (!HD_ROOM(h->lists, h->room, h->n + 1)) {
		free(items);
		return false;
	}
	h->lists[h->n++] = (struct hd_hit_list){ .items = items, .n = n };
	return true;
}

static bool is_hit(const struct hd_hit_list *l, const bool *by)
{
	for (size_t i = 0; i < l->n; i++) {
		if (by[l->items[i]])
			return true;
	}
	return false;
}

/* The shortest that is not hit, as one of its items must be taken; NULL: all are. */
static const struct hd_hit_list *shortest_left(const struct look *l)
{
	const struct hd_hit_list *best = NULL;

	for (size_t i = 0; i < l->h->n; i++) {
		const struct hd_hit_list *list = &l->h->lists[i];

		if ((!best || list->n < best->n) && !is_hit(list, l->now))
			best = list;
	}
	return best;
}

static void look(struct look *l, unsigned spent)
{
	const struct hd_hit_list *left;

	if (spent >= l->below || ++l->looks > LOOKS)
		return;
	left = shortest_left(l);
	if (!left) {
		memcpy(l->best, l->now, l->nitems * sizeof(*l->now));
		l->below = spent;
		l->found = true;
		return;
	}
	for (size_t i = 0; i < left->n; i++) {
		unsigned item = left->items[i];

		if (!l->cost[item])
			continue;
		l->now[item] = true;
		look(l, spent + l->cost[item]);
		l->now[item] = false;
	}
}

bool hd_hitting_cheapest(struct hd_hitting *h, const unsigned *cost, size_t nitems, unsigned below,
			 bool *chosen)
{
	struct look l = { .h = h,
			  .cost = cost,
			  .now = calloc(nitems + 1, sizeof(bool)),
			  .best = chosen,
			  .nitems = nitems,
			  .below = below };

	memset(chosen, 0, nitems * sizeof(*chosen));
	if (l.now)
		look(&l, 0);
	h->gave_up |= !l.now || l.looks > LOOKS;
	free(l.now);
	return l.found;
}

void hd_hitting_free(struct hd_hitting *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->lists[i].items);
	free(h->lists);
	*h = (struct hd_hitting){ 0 };
}
