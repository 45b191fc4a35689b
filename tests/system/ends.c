/*
 * Programs that take as long as somebody lets them, or use much of something. The first argument
 * says which; "ends" and "locked" are good ones that end at once.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_int turns;
static int shared, number;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *many;

static void *add_for_ever(void *arg)
{
	for (;;)
		atomic_fetch_add(&turns, 1);
	return arg;
}

/* A race at once, and no end. */
static void *race_for_ever(void *arg)
{
	for (;;) {
		atomic_fetch_add_explicit(&turns, 1, memory_order_relaxed);
		shared++;
	}
	return arg;
}

/* Nothing that heddle sees. */
static void *spin_for_ever(void *arg)
{
	for (;;)
		__asm__ volatile("pause");
	return arg;
}

static void *add_locked(void *arg)
{
	for (int i = 0; i < number; i++) {
		pthread_mutex_lock(&lock);
		shared++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *race_once(void *arg)
{
	shared++;
	return arg;
}

static void *hold_all(void *arg)
{
	for (int i = 0; i < number; i++)
		pthread_mutex_lock(&many[i]);
	shared++;
	for (int i = number; i-- > 0;)
		pthread_mutex_unlock(&many[i]);
	return arg;
}

static int two(void *(*work)(void *))
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}

/* One after the other. */
static int threads(void)
{
	int n = number;

	number = 1;
	for (int i = 0; i < n; i++) {
		pthread_t t;

		pthread_create(&t, NULL, add_locked, NULL);
		pthread_join(t, NULL);
	}
	return shared != n;
}

static int mutexes(void)
{
	many = calloc((size_t)number, sizeof(*many));
	for (int i = 0; i < number; i++)
		pthread_mutex_init(&many[i], NULL);
	two(hold_all);
	return shared != 2;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "ends";

	number = argc > 2 ? atoi(argv[2]) : 3;
	if (!strcmp(what, "adds"))
		return two(add_for_ever);
	if (!strcmp(what, "alone"))
		return add_for_ever(NULL) != NULL;
	if (!strcmp(what, "races"))
		return two(race_for_ever);
	if (!strcmp(what, "spins"))
		return two(spin_for_ever);
	if (!strcmp(what, "race"))
		return two(race_once);
	if (!strcmp(what, "threads"))
		return threads();
	if (!strcmp(what, "mutexes"))
		return mutexes();
	return two(add_locked);
}
