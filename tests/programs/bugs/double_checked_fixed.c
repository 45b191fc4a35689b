/*
 * Double-checked creation done well: complete first, then published.
 *
 * RUN: run --seed 1..50
 * EXPECT: clean
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
			struct object *made = calloc(1, sizeof(*made));

			made->value = 7;
			atomic_store(&object, made);
		}
		pthread_mutex_unlock(&m);
	}
	return atomic_load(&object);
}

static void *use(void *arg)
{
	assert(get()->value == 7);
	return NULL;
}

int main(void)
{
	pthread_t t = start(use, NULL), u = start(use, NULL);

	finish(t);
	finish(u);
	return 0;
}
