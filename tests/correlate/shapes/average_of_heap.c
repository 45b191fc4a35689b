/*
 * Objects on the heap: their two counters are read by two calls; the sum is kept. The other thread
 * moves from one to the other. GOOD: in one.
 *
 * EXPECT: extended-race heap
 */
#include <pthread.h>
#include <stdlib.h>

struct pool {
	pthread_mutex_t lock;
	int unused, busy;
};

static int unused(struct pool *p)
{
	int v;

	pthread_mutex_lock(&p->lock);
	v = p->unused;
	pthread_mutex_unlock(&p->lock);
	return v;
}

static int busy(struct pool *p)
{
	int v;

	pthread_mutex_lock(&p->lock);
	v = p->busy;
	pthread_mutex_unlock(&p->lock);
	return v;
}

static void *supervise(void *arg)
{
	struct pool *p = arg;
	int all;

#ifdef GOOD
	pthread_mutex_lock(&p->lock);
	all = p->unused + p->busy;
	pthread_mutex_unlock(&p->lock);
#else
	all = unused(p) + busy(p);
#endif
	return all == 8 ? NULL : arg;
}

static void *use(void *arg)
{
	struct pool *p = arg;

	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&p->lock);
		p->unused--;
		p->busy++;
		pthread_mutex_unlock(&p->lock);
	}
	return NULL;
}

int main(void)
{
	struct pool *p = calloc(1, sizeof(*p));
	pthread_t a, b;

	pthread_mutex_init(&p->lock, NULL);
	p->unused = 8;
	pthread_create(&a, NULL, use, p);
	pthread_create(&b, NULL, supervise, p);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	a = (pthread_t)(unsigned long)(unused(p) + busy(p));
	free(p);
	return a != 8;
}
