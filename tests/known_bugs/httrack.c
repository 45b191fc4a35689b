/*
 * httrack 3.43: the option block is used by the helper before main has stored it.
 *
 * FAILS: crash
 * CAUSE: global_opt|m
 * REMEDY: 'm'|none
 */
#include <pthread.h>
#include <stdlib.h>
struct opt {
	int depth;
};
static struct opt *global_opt;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int seen;
static void *back_launch(void *a)
{
	pthread_mutex_lock(&m);
	struct opt *o = global_opt;
	pthread_mutex_unlock(&m);
	seen = o->depth;
	return a;
}
int main(void)
{
	pthread_t t;
	struct opt *o = malloc(sizeof *o);
	o->depth = 3;
#ifdef FIXED
	pthread_mutex_lock(&m);
	global_opt = o;
	pthread_mutex_unlock(&m);
#endif
	pthread_create(&t, NULL, back_launch, NULL);
#ifndef FIXED
	pthread_mutex_lock(&m);
	global_opt = o;
	pthread_mutex_unlock(&m);
#endif
	pthread_join(t, NULL);
	free(o);
	return seen != 3;
}
