/*
 * Two summaries of one record are kept under different locks. GOOD: under one.
 *
 * EXPECT: extended-race sum count
 * WHY: different locks
 */
#include "../pair.h"

static volatile long sum, count;

static void book(const char *record)
{
	long s = 0, k = 0;

	for (; *record; record++) {
		s += *record;
		k += *record != ' ';
	}
	LOCK(m);
	sum += s;
#ifndef GOOD
	UNLOCK(m);
	LOCK(n);
#endif
	count += k;
#ifdef GOOD
	UNLOCK(m);
#else
	UNLOCK(n);
#endif
}

static void work(int number)
{
	char record[40];

	snprintf(record, sizeof(record), "record %d of some length", number);
	book(record);
}

static void a(void)
{
	work(1);
}

static void b(void)
{
	work(2);
}
