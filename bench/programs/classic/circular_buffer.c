/*
 * A circular buffer for one who puts N items and one who gets them, without locks. Bad: the index is
 * moved before the item is there, so that the other may get what was in the place before. Good: the item
 * comes first.
 */
#include "classic.h"

#define ROOM 2

static atomic_int slots[ROOM], put_at, got_at;

static int put(int item)
{
	int at = atomic_load(&put_at);

	if (at - atomic_load(&got_at) == ROOM)
		return 0;
	if (is_bad)
		atomic_store(&put_at, at + 1);
	atomic_store(&slots[at % ROOM], item);
	if (!is_bad)
		atomic_store(&put_at, at + 1);
	return 1;
}

static int get(int *item)
{
	int at = atomic_load(&got_at);

	if (atomic_load(&put_at) == at)
		return 0;
	*item = atomic_load(&slots[at % ROOM]);
	atomic_store(&got_at, at + 1);
	return 1;
}

static void *work(void *arg)
{
	int item, expected = 1;

	for (int i = 1; i <= size && !arg; i++)
		put(i);
	for (int i = 1; i <= size && arg; i++) {
		if (get(&item))
			assert(item == expected++);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 2, 1, ROOM);
	run_threads(2, work);
	return 0;
}
