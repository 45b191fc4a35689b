/*
 * A work-stealing queue (in the manner of Chase and Lev): the owner pushes N items and takes them at
 * the bottom, a thief takes at the top. Bad: the owner takes the last item without asking whether the
 * thief was faster, so that both have it. Good: it competes for it.
 */
#include "classic.h"

static atomic_int items[MAX_THREADS], top, bottom, taken[MAX_THREADS];

static void use(int item)
{
	if (item)
		assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void push(int item)
{
	int b = atomic_load(&bottom);

	atomic_store(&items[b], item);
	atomic_store(&bottom, b + 1);
}

static int take(void)
{
	int b = atomic_load(&bottom) - 1, t, item;

	atomic_store(&bottom, b);
	t = atomic_load(&top);
	if (t > b) { /* nothing there */
		atomic_store(&bottom, b + 1);
		return 0;
	}
	item = atomic_load(&items[b]);
	if (t < b)
		return item;
	if (is_bad)
		atomic_store(&top, t + 1);
	else if (!atomic_compare_exchange_strong(&top, &t, t + 1))
		item = 0;
	atomic_store(&bottom, b + 1);
	return item;
}

static int steal(void)
{
	int t = atomic_load(&top), b = atomic_load(&bottom), item;

	if (t >= b)
		return 0;
	item = atomic_load(&items[t]);
	return atomic_compare_exchange_strong(&top, &t, t + 1) ? item : 0;
}

static void *work(void *arg)
{
	if (arg) {
		use(steal());
		return NULL;
	}
	for (int i = 1; i <= size; i++)
		push(i);
	for (int i = 1; i <= size; i++)
		use(take());
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 1, 1, 8);
	run_threads(2, work);
	return 0;
}
