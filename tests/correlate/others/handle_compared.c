/*
 * A handle is valid if its slot has the same object and generation; each is asked in a critical section of its own, in
 * the two parts of one condition. Who reuses a slot writes both in one. GOOD: both are compared in one.
 *
 * EXPECT: extended-race slots
 * PART
 * ALWAYS: gcc-O0
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static struct {
	int object, generation;
} slots[4];

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int object_of(int slot)
{
	int object;

	pthread_mutex_lock(&m);
	object = slots[slot].object;
	pthread_mutex_unlock(&m);
	return object;
}

static int generation_of(int slot)
{
	int generation;

	pthread_mutex_lock(&m);
	generation = slots[slot].generation;
	pthread_mutex_unlock(&m);
	return generation;
}

static bool is_valid(int slot, int object, int generation)
{
#ifdef GOOD
	bool valid;

	pthread_mutex_lock(&m);
	valid = slots[slot].object == object && slots[slot].generation == generation;
	pthread_mutex_unlock(&m);
	(void)object_of;
	(void)generation_of;
	return valid;
#else
	return object_of(slot) == object && generation_of(slot) == generation;
#endif
}

static void *reuser(void *arg)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&m);
		slots[i].object = i + 2;
		slots[i].generation++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *user(void *count)
{
	int n = 0;

	for (int i = 0; i < 4; i++)
		n += is_valid(i, 0, 0) + is_valid(i, i + 2, 1);
	*(int *)count = n;
	return NULL;
}

int main(void)
{
	pthread_t first, second;
	int n;

	pthread_create(&first, NULL, reuser, NULL);
	pthread_create(&second, NULL, user, &n);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("%d\n", n);
	return 0;
}
