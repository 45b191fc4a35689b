/*
 * A token bucket: what a section has stored itself is taken away from, and stored, in the next. GOOD: in one section.
 *
 * EXPECT: extended-race tb.tokens
 * PART
 * MISSED: gcc-O2
 * ALWAYS: gcc-O0
 */
#include <pthread.h>
#include <stdio.h>
static struct { double tokens; long last; pthread_mutex_t mu; } tb = { 5, 0, PTHREAD_MUTEX_INITIALIZER };
static double refill_locked(long nowt)
{
	tb.tokens += (nowt - tb.last) * 0.5;
	if (tb.tokens > 10) tb.tokens = 10;
	tb.last = nowt;
	return tb.tokens;
}
static int consume(long nowt, double n)
{
	double level;
	pthread_mutex_lock(&tb.mu);
	level = refill_locked(nowt);
#ifndef GOOD
	pthread_mutex_unlock(&tb.mu);
	if (level < n) return 0;
	pthread_mutex_lock(&tb.mu);
	tb.tokens = level - n;
	pthread_mutex_unlock(&tb.mu);
	return 1;
#else
	int ok = level >= n;
	if (ok) tb.tokens = level - n;
	pthread_mutex_unlock(&tb.mu);
	return ok;
#endif
}
static void *cl(void *a) { long n = 0; for (int i = 1; i < 6; i++) n += consume(i, 1.0); return (void *)n; }
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, cl, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	printf("%f\n", tb.tokens);
}
