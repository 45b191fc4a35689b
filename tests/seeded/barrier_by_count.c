/*
 * A barrier by a counter alone: whoever is fast enters the next round before the others have left this one.
 *
 * FAILS: deadlock
 * CAUSE: n|condition variable 'c'
 * REMEDY: none
 */
#include <pthread.h>
#include <assert.h>

#define N 2
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int n, gen, slot[N], r;

static void bar(void)
{
	pthread_mutex_lock(&m);
#ifdef FIXED
	int g = gen;
	if (++n == N) {
		n = 0;
		gen++;
		pthread_cond_broadcast(&c);
	} else
		while (g == gen)
			pthread_cond_wait(&c, &m);
#else
	if (++n == N) {
		pthread_cond_broadcast(&c);
		n = 0;
	} else
		while (n != 0)
			pthread_cond_wait(&c, &m);
#endif
	pthread_mutex_unlock(&m);
}

static void *W(void *p)
{
	(void)p;
	for (int k = 0; k < 2; k++)
		bar();
	return 0;
}

int main(void)
{
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(t + i, 0, W, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return r + slot[0];
}
