/*
 * A server's byte counter: 64 bits as two words, each well locked by another lock; the sum that is
 * printed may be torn.
 *
 * FAILS: exit
 * CAUSE: lo|hi|ml|mh
 * REMEDY: 'ml'|'mh'|a new lock
 */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t ml = PTHREAD_MUTEX_INITIALIZER, mh = PTHREAD_MUTEX_INITIALIZER;
static unsigned lo = 0xfffffffeu, hi;
static int bad;
static void *count(void *a)
{
#ifdef FIXED
	pthread_mutex_lock(&ml);
	pthread_mutex_lock(&mh);
	lo += 4;
	if (lo < 4)
		hi++;
	pthread_mutex_unlock(&mh);
	pthread_mutex_unlock(&ml);
#else
	pthread_mutex_lock(&ml);
	lo += 4;
	int carry = lo < 4;
	pthread_mutex_unlock(&ml);
	if (carry) {
		pthread_mutex_lock(&mh);
		hi++;
		pthread_mutex_unlock(&mh);
	}
#endif
	return a;
}
static void *report(void *a)
{
	unsigned l, h;
#ifdef FIXED
	pthread_mutex_lock(&ml);
	pthread_mutex_lock(&mh);
	l = lo;
	h = hi;
	pthread_mutex_unlock(&mh);
	pthread_mutex_unlock(&ml);
#else
	pthread_mutex_lock(&ml);
	l = lo;
	pthread_mutex_unlock(&ml);
	pthread_mutex_lock(&mh);
	h = hi;
	pthread_mutex_unlock(&mh);
#endif
	if (h == 0 && l < 0xfffffffeu)
		bad = 1;
	return a;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, count, NULL);
	pthread_create(&t[1], NULL, report, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (bad)
		puts("counter went back");
	return bad;
}
