/*
 * Bluetooth driver: N - 1 threads use the driver while another one stops it. A user counts itself
 * in; the one who stops waits until all have left. Bad: a user looks whether the driver is being stopped
 * before it counts itself, so that the driver can be stopped in between. Good: it counts itself first.
 */
#include "classic.h"

static atomic_int pending = 1, stopping, stopped;

static void leave(void)
{
	if (atomic_fetch_sub(&pending, 1) == 1)
		atomic_store(&stopped, 1);
}

static int enter(void)
{
	if (is_bad) {
		if (atomic_load(&stopping))
			return 0;
		atomic_fetch_add(&pending, 1);
		return 1;
	}
	atomic_fetch_add(&pending, 1);
	if (!atomic_load(&stopping))
		return 1;
	leave();
	return 0;
}

static void *work(void *arg)
{
	if ((long)arg == size - 1) {
		atomic_store(&stopping, 1);
		leave();
	} else if (enter()) {
		assert(!atomic_load(&stopped));
		leave();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 2, 2, 20);
	run_threads(size, work);
	return 0;
}
