/*
 * A pooled object is filled in by two setters that lock for themselves; another thread takes both members
 * together. GOOD: one setter.
 *
 * EXPECT: extended-race heap
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct object {
	int from, to;
	struct object *next;
};

static struct object *pool;
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;

static void set_from(struct object *o, int v)
{
	pthread_mutex_lock(&pool_lock);
	o->from = v;
	pthread_mutex_unlock(&pool_lock);
}

static void set_to(struct object *o, int v)
{
	pthread_mutex_lock(&pool_lock);
	o->to = v;
	pthread_mutex_unlock(&pool_lock);
}

static void set_both(struct object *o, int from, int to)
{
	pthread_mutex_lock(&pool_lock);
	o->from = from;
	o->to = to;
	pthread_mutex_unlock(&pool_lock);
}

static void *filler(void *arg)
{
	struct object *o = arg;

	for (int i = 0; i < 3; i++) {
#ifdef GOOD
		set_both(o, 10 * i, 10 * i + 9);
#else
		set_from(o, 10 * i);
		set_to(o, 10 * i + 9);
#endif
	}
	return NULL;
}

static void *scanner(void *arg)
{
	long covered = 0;

	pthread_mutex_lock(&pool_lock);
	for (struct object *o = pool; o; o = o->next)
		covered += o->to - o->from;
	pthread_mutex_unlock(&pool_lock);
	printf("%ld\n", covered);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	for (int i = 0; i < 2; i++) {
		struct object *o = calloc(1, sizeof(*o));

		o->next = pool;
		pool = o;
	}
	pthread_create(&a, NULL, filler, pool->next);
	pthread_create(&b, NULL, scanner, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	set_both(pool, 0, 0);
	return 0;
}
