/*
 * The seconds roll over in one section, and so the day goes up in the next. GOOD: in the same one.
 *
 * EXPECT: extended-race now.secs now.day
 * ALWAYS: gcc-O0 gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
static struct { int day, secs; } now;
static pthread_mutex_t clk = PTHREAD_MUTEX_INITIALIZER;
static void tick(int by)
{
	int rolled = 0;
	pthread_mutex_lock(&clk);
	now.secs += by;
	if (now.secs >= 100) { now.secs -= 100; rolled = 1; }
#ifndef GOOD
	pthread_mutex_unlock(&clk);
	if (rolled) {
		pthread_mutex_lock(&clk);
		now.day++;
		pthread_mutex_unlock(&clk);
	}
#else
	if (rolled) now.day++;
	pthread_mutex_unlock(&clk);
#endif
}
static long stamp(void)
{
	pthread_mutex_lock(&clk);
	long t = now.day * 100L + now.secs;
	pthread_mutex_unlock(&clk);
	return t;
}
static void *ticker(void *a) { for (int i = 0; i < 9; i++) tick(30); return a; }
static void *watcher(void *a)
{
	long last = 0;
	for (int i = 0; i < 9; i++) { long t = stamp(); if (t < last) printf("time went back\n"); last = t; }
	return a;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, ticker, 0); pthread_create(&b, 0, watcher, 0);
	pthread_join(a, 0); pthread_join(b, 0);
}
