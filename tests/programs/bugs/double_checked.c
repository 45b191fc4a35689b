/*
 * Double-checked creation that publishes the object before it is complete.
 *
 * RUN: run --races no
 * EXPECT: assertion value == 7 @use:CHECK within 30 seeds
 */
#include "../program.h"
#include <stdatomic.h>

struct object {
	int value;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct object *) object;

static struct object *get(void)
{
	if (!atomic_load(&object)) {
		pthread_mutex_lock(&m);
		if (!atomic_load(&object)) {
			atomic_store(&object, calloc(1, sizeof(struct object)));
			atomic_load(&object)->value = 7;
		}
		pthread_mutex_unlock(&m);
	}
	return atomic_load(&object);
}

static void *use(void *arg)
{
	assert(get()->value == 7); /* CHECK */
	return NULL;
}

int main(void)
{
	pthread_t t = start(use, NULL), u = start(use, NULL);

	finish(t);
	finish(u);
	return 0;
}
