/*
 * A handle is checked in one section, and its slot written in the next. GOOD: in one section.
 *
 * EXPECT: extended-race pool
 * PART
 * ALWAYS: gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
#define N 4
struct slot { unsigned gen; int live; int value; };
static struct slot pool[N];
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static int valid(unsigned idx, unsigned gen)
{
	pthread_mutex_lock(&pool_lock);
	int ok = pool[idx].gen == gen && pool[idx].live;
	pthread_mutex_unlock(&pool_lock);
	return ok;
}
static void set_value(unsigned idx, unsigned gen, int v)
{
#ifndef GOOD
	if (!valid(idx, gen)) return;
	pthread_mutex_lock(&pool_lock);
	pool[idx].value = v;
	pthread_mutex_unlock(&pool_lock);
#else
	pthread_mutex_lock(&pool_lock);
	if (pool[idx].gen == gen && pool[idx].live) pool[idx].value = v;
	pthread_mutex_unlock(&pool_lock);
#endif
}
static unsigned recycle(unsigned idx)
{
	pthread_mutex_lock(&pool_lock);
	unsigned g = ++pool[idx].gen;
	pool[idx].live = 1;
	pool[idx].value = 0;
	pthread_mutex_unlock(&pool_lock);
	return g;
}
static void *owner(void *a) { unsigned g[N]; for (unsigned i = 0; i < N; i++) g[i] = 1; for (unsigned i = 0; i < 8; i++) set_value(i % N, g[i % N], (int)i + 7); return a; }
static void *recycler(void *a) { for (unsigned i = 0; i < N; i++) recycle(i); return a; }
int main(void)
{
	pthread_t a, b;
	(void)valid;
	for (unsigned i = 0; i < N; i++) recycle(i);
	pthread_create(&a, 0, owner, 0); pthread_create(&b, 0, recycler, 0);
	pthread_join(a, 0); pthread_join(b, 0);
	printf("%d\n", pool[0].value);
}
