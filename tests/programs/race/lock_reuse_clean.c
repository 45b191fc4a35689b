/*
 * A lock in heap memory is destroyed with its object, and the memory has another use.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

struct object {
	pthread_mutex_t lock;
	int value;
};

static void *use(void *arg)
{
	struct object *object = arg;

	pthread_mutex_lock(&object->lock);
	object->value++;
	pthread_mutex_unlock(&object->lock);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < 3; i++) {
		struct object *object = calloc(1, sizeof(*object));
		pthread_t a = start(use, object), b = start(use, object);

		assert(finish(a) == finish(b) && object->value == 2);
		pthread_mutex_destroy(&object->lock);
		memset(object, 0xff, sizeof(*object));
		free(object);
	}
	return 0;
}
