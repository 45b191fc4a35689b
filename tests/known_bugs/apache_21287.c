/*
 * Apache 21287: mod_mem_cache: the reference count is lowered and tested apart: two threads clean
 * one object up.
 *
 * FAILS: memory
 * CAUSE: refcount
 * REMEDY: a new lock
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct object {
	atomic_int refcount;
	int cleanup;
};
static struct object *obj;
static void decrement(struct object *o)
{
#ifdef FIXED
	if (atomic_fetch_sub(&o->refcount, 1) == 1)
		free(o);
#else
	atomic_fetch_sub(&o->refcount, 1);
	if (atomic_load(&o->refcount) == 0)
		free(o);
#endif
}
static void *w(void *a)
{
	decrement(obj);
	return a;
}
int main(void)
{
	pthread_t t[2];
	obj = malloc(sizeof *obj);
	obj->refcount = 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, w, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
