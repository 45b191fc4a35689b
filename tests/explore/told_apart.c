/*
 * Two threads that begin alike, and what tells them apart: told_apart NAME. Those marked "fails" do so only in one of two
 * executions that differ by nothing else; the others are right.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

atomic_int x, y, odd;
int data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t threads[2];

static void begin(void *(*f)(void *))
{
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, f, NULL);
}

static void end(void)
{
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* The second one adds two. */
static void *add(void *arg)
{
	int before = atomic_fetch_add(&x, 1);

	atomic_fetch_add(&y, 1 + before);
	return arg;
}

/* Fails if the one that was made first came second, and the other has not gone on. */
static void between(void)
{
	begin(add);
	pthread_join(threads[0], NULL);
	assert(atomic_load(&y) != 2);
	pthread_join(threads[1], NULL);
}

/* Fails, as above: the other one is not waited for. */
static void one_left(void)
{
	begin(add);
	pthread_join(threads[0], NULL);
	_exit(atomic_load(&y) == 2);
}

static void lock_between(void)
{
	begin(add);
	pthread_join(threads[0], NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_join(threads[1], NULL);
}

static void *tell_number(void *arg)
{
	if (atomic_fetch_add(&x, 1) == 0)
		atomic_store(&odd, (gettid() - getpid()) & 1);
	return arg;
}

/* Fails in one order of the two, whose numbers follow on each other. */
static void number_is_odd(void)
{
	begin(tell_number);
	end();
	assert(atomic_load(&odd));
}

static void number_is_even(void)
{
	begin(tell_number);
	end();
	assert(!atomic_load(&odd));
}

static void *first_writes(void *arg)
{
	if (atomic_fetch_add(&x, 1) == 0)
		data = 1;
	return arg;
}

static void *second_writes(void *arg)
{
	if (atomic_fetch_add(&x, 1) == 1)
		data = 1;
	return arg;
}

/* Fails: a race if the one that was made second writes. */
static void write_after_one(void *(*f)(void *))
{
	begin(f);
	pthread_join(threads[0], NULL);
	data = 2;
	pthread_join(threads[1], NULL);
}

static void write_after_one_1(void)
{
	write_after_one(first_writes);
}

static void write_after_one_2(void)
{
	write_after_one(second_writes);
}

/* Fails: a race if the one that was made first writes. */
static void write_before_one(void *(*f)(void *))
{
	pthread_create(&threads[0], NULL, f, NULL);
	data = 2;
	pthread_create(&threads[1], NULL, f, NULL);
	end();
}

static void write_before_one_1(void)
{
	write_before_one(first_writes);
}

/* Right: the one that is made second comes first then, and brings the news. */
static void write_before_one_2(void)
{
	write_before_one(second_writes);
}

static void *tell_result(void *arg)
{
	(void)arg;
	return (void *)(long)atomic_fetch_add(&x, 1);
}

/* Fails if the first one came second. */
static void results(void)
{
	void *first, *second;

	begin(tell_result);
	pthread_join(threads[0], &first);
	pthread_join(threads[1], &second);
	assert(first < second);
}

static void *make_another(void *arg)
{
	pthread_t child;

	pthread_create(&child, NULL, add, NULL);
	pthread_join(child, NULL);
	return arg;
}

static void nested(void)
{
	begin(make_another);
	end();
}

static void *add_locked(void *arg)
{
	pthread_mutex_lock(&lock);
	data++;
	pthread_mutex_unlock(&lock);
	return arg;
}

/* Nothing tells them apart. */
static void nothing(void)
{
	begin(add_locked);
	end();
	data++;
}

static void backwards(void)
{
	begin(add_locked);
	pthread_join(threads[1], NULL);
	pthread_join(threads[0], NULL);
}

static const struct program {
	const char *name;
	void (*run)(void);
} programs[] = {
	{ "between", between },
	{ "one-left", one_left },
	{ "lock-between", lock_between },
	{ "number-is-odd", number_is_odd },
	{ "number-is-even", number_is_even },
	{ "write-after-one-1", write_after_one_1 },
	{ "write-after-one-2", write_after_one_2 },
	{ "write-before-one-1", write_before_one_1 },
	{ "write-before-one-2", write_before_one_2 },
	{ "results", results },
	{ "nested", nested },
	{ "nothing", nothing },
	{ "backwards", backwards },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (!strcmp(programs[i].name, argv[1])) {
			programs[i].run();
			return 0;
		}
	}
	return 2;
}
