/*
 * A growable vector whose every function takes its lock, and a function over two of them.
 *
 * vector_add_all() asks the other vector for its size and then for its elements, one by one.
 * Each question is answered under that vector's lock, but nothing holds it in between.
 *
 *   vector 1   another thread removes an element: index past the end, a failed assertion.
 *              SIZE of one thread, CUT of another, AT of the first one.
 *   vector 2   another thread puts the elements into the opposite order, in a new array: some
 *              are copied twice and others not at all, the sum is wrong, exit status 1.
 *              AT of one thread, TURN of another, AT of the first one.
 *
 * There is no data race. -DFIXED: vector_add_all() holds both locks.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vector {
	pthread_mutex_t lock;
	size_t count, capacity;
	unsigned changes;
	int *items;
};

#define READINGS 5
#define ROUNDS	 8

static struct vector recent = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct vector all = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct vector marks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void reserve(struct vector *v, size_t wanted)
{
	if (wanted <= v->capacity)
		return;
	v->capacity = wanted > 2 * v->capacity ? wanted : 2 * v->capacity;
	v->items = realloc(v->items, v->capacity * sizeof(*v->items));
	if (!v->items)
		abort();
}

static void vector_add(struct vector *v, int item)
{
	pthread_mutex_lock(&v->lock);
	v->changes++;
	reserve(v, v->count + 1);
	v->items[v->count++] = item;
	pthread_mutex_unlock(&v->lock);
}

static size_t vector_size(struct vector *v)
{
	size_t count;

	pthread_mutex_lock(&v->lock);
	count = v->count; /* SIZE */
	pthread_mutex_unlock(&v->lock);
	return count;
}

static int vector_at(struct vector *v, size_t i)
{
	int item;

	pthread_mutex_lock(&v->lock);
	assert(i < v->count);
	item = v->items[i]; /* AT */
	pthread_mutex_unlock(&v->lock);
	return item;
}

static void vector_remove_last(struct vector *v)
{
	pthread_mutex_lock(&v->lock);
	v->changes++;
	v->count--; /* CUT */
	pthread_mutex_unlock(&v->lock);
}

static void vector_reverse(struct vector *v)
{
	int *turned, *old;

	pthread_mutex_lock(&v->lock);
	v->changes++;
	turned = malloc(v->capacity * sizeof(*turned));
	if (!turned)
		abort();
	for (size_t i = 0; i < v->count; i++)
		turned[i] = v->items[v->count - 1 - i];
	old = v->items;
	v->items = turned; /* TURN */
	pthread_mutex_unlock(&v->lock);
	free(old);
}

/* Append what is in @from. */
static void vector_add_all(struct vector *v, struct vector *from)
{
	size_t n;

	pthread_mutex_lock(&v->lock);
	v->changes++;
#ifdef FIXED
	pthread_mutex_lock(&from->lock);
	n = from->count;
	reserve(v, v->count + n);
	for (size_t i = 0; i < n; i++)
		v->items[v->count++] = from->items[i];
	pthread_mutex_unlock(&from->lock);
#else
	n = vector_size(from);
	reserve(v, v->count + n);
	for (size_t i = 0; i < n; i++)
		v->items[v->count++] = vector_at(from, i);
#endif
	pthread_mutex_unlock(&v->lock);
}

static long vector_sum(struct vector *v)
{
	long sum = 0;

	pthread_mutex_lock(&v->lock);
	for (size_t i = 0; i < v->count; i++)
		sum += v->items[i];
	pthread_mutex_unlock(&v->lock);
	return sum;
}

/* ---- the tests ----------------------------------------------------------------------------- */

static void *collect(void *arg)
{
	vector_add_all(&all, &recent);
	return arg;
}

/* Looks at what was collected, now and then. */
static void *watch(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		if (vector_size(&all) > 1 && vector_at(&all, 0) != 0)
			abort();
	return arg;
}

static void *trim(void *arg)
{
	for (int i = 0; i < 2 * ROUNDS; i++)
		vector_add(&marks, i);
	vector_remove_last(&recent);
	return arg;
}

static void *reorder(void *arg)
{
	for (int i = 0; i < 2 * ROUNDS; i++)
		vector_add(&marks, i);
	vector_reverse(&recent);
	return arg;
}

int main(int argc, char **argv)
{
	int test = argc > 1 ? atoi(argv[1]) : 1;
	void *(*work[])(void *) = {collect, watch, test == 2 ? reorder : trim};
	pthread_t thread[3];
	long sum = 0;

	vector_add(&all, 0);
	for (int i = 1; i <= READINGS; i++) {
		vector_add(&recent, i * i);
		sum += i * i;
	}
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, work[i], NULL))
			return 2;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	if (test == 2 && vector_sum(&all) != sum) {
		fprintf(stderr, "vector: the sum is %ld, not %ld\n", vector_sum(&all), sum);
		return 1;
	}
	puts("vector: done");
	return 0;
}
