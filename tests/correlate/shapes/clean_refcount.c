/*
 * An object is used by several and freed by the last.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct object {
	pthread_mutex_t lock;
	int references;
	int uses;
	char name[16];
};

static void use(struct object *o)
{
	pthread_mutex_lock(&o->lock);
	o->uses++;
	pthread_mutex_unlock(&o->lock);
}

static void put(struct object *o)
{
	int left;

	pthread_mutex_lock(&o->lock);
	left = --o->references;
	pthread_mutex_unlock(&o->lock);
	if (!left) {
		printf("%s: %d\n", o->name, o->uses);
		pthread_mutex_destroy(&o->lock);
		free(o);
	}
}

static void *holder(void *arg)
{
	use(arg);
	put(arg);
	return NULL;
}

int main(void)
{
	struct object *o = calloc(1, sizeof(*o));
	pthread_t t[2];

	pthread_mutex_init(&o->lock, NULL);
	snprintf(o->name, sizeof(o->name), "thing");
	o->references = 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, holder, o);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
