/*
 * Every account has a lock of its own, and one record is booked in two of them by the same
 * code. The accounts do not belong together; compare different_locks_record.c.
 *
 * EXPECT: none
 */
#include "../pair.h"

static struct account {
	long pad[8];
	pthread_mutex_t lock;
	volatile long sum, count;
} accounts[2] = { { .lock = PTHREAD_MUTEX_INITIALIZER }, { .lock = PTHREAD_MUTEX_INITIALIZER } };

__attribute__((noinline)) static void book(struct account *to, long s, long k)
{
	LOCK(to->lock);
	to->sum += s;
	to->count += k;
	UNLOCK(to->lock);
}

static void work(int number)
{
	char record[40];
	long s = 0, k = 0;

	snprintf(record, sizeof(record), "record %d of some length", number);
	for (const char *c = record; *c; c++) {
		s += *c;
		k += *c != ' ';
	}
	for (int i = 0; i < 2; i++)
		book(&accounts[i], s, k);
}

static void a(void)
{
	work(1);
}

static void b(void)
{
	work(2);
}
