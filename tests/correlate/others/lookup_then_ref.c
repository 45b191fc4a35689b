/*
 * An object is looked up in one section and its references are counted up in the next; another thread
 * takes it out and lets go of the last reference in between. GOOD: counted where it is looked up.
 *
 * EXPECT: extended-race registry
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct object {
	int refs, value;
};

static struct object *registry[4];
static pthread_mutex_t reg = PTHREAD_MUTEX_INITIALIZER;

static void put(struct object *o)
{
	int last;

	pthread_mutex_lock(&reg);
	last = --o->refs == 0;
	pthread_mutex_unlock(&reg);
	if (last)
		free(o);
}

static struct object *get(int i)
{
	struct object *o;

	pthread_mutex_lock(&reg);
	o = registry[i];
#ifndef GOOD
	pthread_mutex_unlock(&reg);
#endif
	if (!o) {
#ifdef GOOD
		pthread_mutex_unlock(&reg);
#endif
		return NULL;
	}
#ifndef GOOD
	pthread_mutex_lock(&reg);
#endif
	o->refs++;
	pthread_mutex_unlock(&reg);
	return o;
}

static void take_out(int i)
{
	struct object *o;
	int last;

	pthread_mutex_lock(&reg);
	o = registry[i];
	registry[i] = NULL;
	last = o && --o->refs == 0;
	pthread_mutex_unlock(&reg);
	if (last)
		free(o);
}

static void *user(void *arg)
{
	int sum = 0;

	for (int i = 0; i < 4; i++) {
		struct object *o = get(i);

		if (o) {
			sum += o->value;
			put(o);
		}
	}
	*(int *)arg = sum;
	return NULL;
}

static void *cleaner(void *arg)
{
	for (int i = 0; i < 4; i++)
		take_out(i);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	int sum;

	for (int i = 0; i < 4; i++) {
		registry[i] = malloc(sizeof(struct object));
		registry[i]->refs = 1;
		registry[i]->value = i;
	}
	pthread_create(&a, NULL, user, &sum);
	pthread_create(&b, NULL, cleaner, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", sum);
	return 0;
}
