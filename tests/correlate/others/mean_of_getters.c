/*
 * A mean from two getters. gcc -O2 puts the end of the loop's round behind each way of the if. GOOD: in one section.
 *
 * EXPECT: extended-race st.count st.sum
 * ALWAYS: gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
struct stats { double sum; long count; pthread_mutex_t m; };
static struct stats st = { 0, 0, PTHREAD_MUTEX_INITIALIZER };
void stats_add(struct stats *s, double x) { pthread_mutex_lock(&s->m); s->sum += x; s->count++; pthread_mutex_unlock(&s->m); }
double stats_sum(struct stats *s) { double d; pthread_mutex_lock(&s->m); d = s->sum; pthread_mutex_unlock(&s->m); return d; }
long stats_count(struct stats *s) { long d; pthread_mutex_lock(&s->m); d = s->count; pthread_mutex_unlock(&s->m); return d; }
double stats_mean(struct stats *s)
{
#ifndef GOOD
	long n = stats_count(s);
	return n ? stats_sum(s) / n : 0.0;
#else
	double r = 0;
	pthread_mutex_lock(&s->m);
	if (s->count) r = s->sum / s->count;
	pthread_mutex_unlock(&s->m);
	return r;
#endif
}
static void *sampler(void *a) { for (int i = 0; i < 8; i++) stats_add(&st, 2.5); return a; }
static void *viewer(void *a) { double w = 0; for (int i = 0; i < 8; i++) w += stats_mean(&st); *(double *)a = w; return a; }
int main(void)
{
	pthread_t a, b; double r;
	pthread_create(&a, 0, sampler, 0); pthread_create(&b, 0, viewer, &r);
	pthread_join(a, 0); pthread_join(b, 0);
	printf("%f\n", r);
}
