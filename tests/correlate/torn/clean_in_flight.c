/*
 * Jobs that were begun and that were finished are counted apart; the difference is what is under way.
 * So it is for their bytes, with the work in between.
 *
 * EXPECT: none
 */
#include "../pair.h"

static volatile long begun, finished, bytes_begun, bytes_finished;
static volatile long sizes[] = { 10, 20, 30 };
static volatile long work_done;

__attribute__((noinline)) static void work(long bytes)
{
	for (long i = 0; i < bytes; i++)
		work_done++;
}

static void a(void)
{
	for (int i = 0; i < 3; i++) {
		long size = sizes[i];

		LOCK(m);
		begun++;
		UNLOCK(m);
		LOCK(m);
		bytes_begun += size;
		UNLOCK(m);
		work(size);
		LOCK(m);
		bytes_finished += size;
		UNLOCK(m);
		LOCK(m);
		finished++;
		UNLOCK(m);
	}
}

static void b(void)
{
	for (int i = 0; i < 3; i++) {
		long jobs, bytes;

		LOCK(m);
		jobs = begun - finished;
		bytes = bytes_begun - bytes_finished;
		UNLOCK(m);
		if (jobs > 10 || bytes > 10000)
			puts("busy");
	}
}
