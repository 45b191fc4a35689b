/*
 * ForAllWithIterable: a loop in parallel over the items of a list, all of them in one chunk. 2 tasks,
 * no regions.
 *
 * Verdict: no race. The list is made before the loop, each item is changed by the only task that
 * the loop makes, and the loop waits for it.
 */
#include <assert.h>
#include <heddle/hj.h>

#define ITEMS 6

struct item {
	struct item *next;
	int value;
};

static struct item items[ITEMS];

static void twice(long i, void *list)
{
	struct item *at = list;

	while (i--)
		at = at->next;
	at->value *= 2;
}

static void root(void *arg)
{
	int sum = 0;

	(void)arg;
	for (int i = 0; i < ITEMS; i++)
		items[i] = (struct item){ .next = i + 1 < ITEMS ? &items[i + 1] : NULL, .value = i };
	hj_forall1(&(struct hj_range){ .high = ITEMS, .chunk = ITEMS }, twice, items);
	for (const struct item *at = items; at; at = at->next)
		sum += at->value;
	assert(sum == ITEMS * (ITEMS - 1));
}

int main(void)
{
	hj_launch(root, NULL);
	return 0;
}
