/*
 * An entry is made in one section and added to the total in the next; an auditor compares the sum of all entries with the total.
 * GOOD: in one section.
 *
 * EXPECT: extended-race book total
 * PART
 * ALWAYS: gcc-O0 clang-O2
 */
#include <pthread.h>
#include <stdio.h>
struct entry { int account; long amount; };
static struct entry book[64];
static int entries;
static long total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void post(int account, long amount)
{
	pthread_mutex_lock(&m);
	book[entries].account = account;
	book[entries].amount = amount;
	entries++;
#ifndef GOOD
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	total += amount;
	pthread_mutex_unlock(&m);
}
static int check(void)
{
	long s = 0;
	pthread_mutex_lock(&m);
	for (int i = 0; i < entries; i++) s += book[i].amount;
	int ok = s == total;
	pthread_mutex_unlock(&m);
	return ok;
}
static void *clerk(void *arg) { for (int i = 1; i < 8; i++) post(i, i * 100 - 250); return arg; }
static void *auditor(void *arg)
{
	for (int i = 0; i < 3; i++) if (!check()) puts("wrong total");
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, clerk, 0);
	pthread_create(&b, 0, auditor, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
