/*
 * An object is found in one section and a reference taken in the next, while the last one who had it
 * frees it. In the good twin freeing writes all of a granule of which only one half had been read.
 *
 * EXPECT: extended-race list
 * PART
 * ALWAYS: gcc-O2
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct obj {
	struct obj *next;
	int key, refs;
};
struct obj *list;
static struct obj *lookup(int k)
{
	for (struct obj *o = list; o; o = o->next)
		if (o->key == k)
			return o;
	return 0;
}
static struct obj *get(int k)
{
	pthread_mutex_lock(&m);
	struct obj *o = lookup(k);
	if (o) {

#ifndef GOOD
		pthread_mutex_unlock(&m);
		pthread_mutex_lock(&m);
#endif
		o->refs++;
	}
	pthread_mutex_unlock(&m);
	return o;
}
static void put(struct obj *o)
{
	pthread_mutex_lock(&m);
	if (--o->refs == 0) {
		struct obj **p = &list;
		while (*p != o)
			p = &(*p)->next;
		*p = o->next;
		free(o);
	}
	pthread_mutex_unlock(&m);
}
static void *w(void *x)
{
	for (int i = 0; i < 2; i++) {
		struct obj *o = get(1);
		if (o)
			put(o);
	}
	return x;
}
static void *drop(void *x)
{
	pthread_mutex_lock(&m);
	struct obj *o = lookup(1);
	pthread_mutex_unlock(&m);
	put(o);
	return x;
}

int main(void)
{
	pthread_t t[2];
	list = calloc(1, sizeof *list);
	list->key = 1;
	list->refs = 1;
	pthread_create(&t[0], 0, w, (void *)1);
	pthread_create(&t[1], 0, drop, (void *)2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
