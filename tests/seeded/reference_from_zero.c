/*
 * A lookup takes a reference to an object whose last one was just given back: the count goes up from zero.
 *
 * FAILS: memory
 * CAUSE: ref|table
 * REMEDY: 'm'
 */
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>

struct o {
	atomic_int ref;
	int v;
};
static struct o *_Atomic table;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void put(struct o *o)
{
#ifdef FIXED
	pthread_mutex_lock(&m);
	if (atomic_fetch_sub(&o->ref, 1) == 1) {
		table = 0;
		free(o);
	}
	pthread_mutex_unlock(&m);
#else
	if (atomic_fetch_sub(&o->ref, 1) == 1) {
		pthread_mutex_lock(&m);
		table = 0;
		pthread_mutex_unlock(&m);
		free(o);
	}
#endif
}

static void *user(void *x)
{
	pthread_mutex_lock(&m);
	struct o *o = table;
	if (o)
		atomic_fetch_add(&o->ref, 1);
	pthread_mutex_unlock(&m);
	if (o) {
		int v = o->v;
		put(o);
		return v == 7 ? x : (void *)1;
	}
	return x;
}

static void *owner(void *x)
{
	put(x);
	return 0;
}

int main(void)
{
	pthread_t s, t;
	struct o *o = malloc(sizeof *o);
	o->ref = 1;
	o->v = 7;
	table = o;
	pthread_create(&s, 0, user, 0);
	pthread_create(&t, 0, owner, o);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return 0;
}
