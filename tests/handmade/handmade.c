/*
 * Use one thing that was made by hand.
 *
 *   handmade KIND THREADS ROUNDS           as it is meant
 *   handmade KIND THREADS ROUNDS opposite  a lock: two of them, by two threads in opposite orders
 *   handmade                               the names of the kinds, those that are wrong at the end
 */
#include "handmade.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct lock_kind *lock;
static const struct barrier_kind *barrier;
static const struct other_kind *other;
static int threads, rounds;
static bool opposite;

static int counter;
static int places[MOST];

static void use_lock(int thread)
{
	for (int i = 0; i < rounds; i++) {
		lock->lock(0, thread);
		counter++;
		lock->unlock(0, thread);
	}
}

static void use_two(int thread)
{
	lock->lock(thread, thread);
	lock->lock(!thread, thread);
	counter++;
	lock->unlock(!thread, thread);
	lock->unlock(thread, thread);
}

static void use_barrier(int thread)
{
	for (int i = 1; i <= rounds; i++) {
		places[thread] = i;
		barrier->wait(thread, threads);
		for (int t = 0; t < threads; t++)
			assert(places[t] == i);
		barrier->wait(thread, threads);
	}
}

static void *run(void *arg)
{
	int thread = (int)(long)arg;

	if (other)
		other->work(thread, threads, rounds);
	else if (barrier)
		use_barrier(thread);
	else if (opposite)
		use_two(thread);
	else
		use_lock(thread);
	return NULL;
}

static void find_lock(const struct lock_kind *list, const char *name)
{
	for (; list->name && !lock; list++) {
		if (!strcmp(list->name, name))
			lock = list;
	}
}

static void find(const char *name)
{
	find_lock(spin_locks, name);
	find_lock(mutexes, name);
	find_lock(wrong_locks, name);
	for (const struct barrier_kind *b = barriers; b->name; b++)
		barrier = strcmp(b->name, name) ? barrier : b;
	for (const struct barrier_kind *b = wrong_barriers; b->name; b++)
		barrier = strcmp(b->name, name) ? barrier : b;
	for (const struct other_kind *o = others; o->name; o++)
		other = strcmp(o->name, name) ? other : o;
}

static void print_names(void)
{
	for (const struct lock_kind *l = spin_locks; l->name; l++)
		printf("lock %s %d\n", l->name, l->most);
	for (const struct lock_kind *l = mutexes; l->name; l++)
		printf("mutex %s %d\n", l->name, l->most);
	for (const struct barrier_kind *b = barriers; b->name; b++)
		printf("barrier %s 0\n", b->name);
	for (const struct other_kind *o = others; o->name; o++)
		printf("other %s %d\n", o->name, o->most);
}

int main(int argc, char **argv)
{
	pthread_t made[MOST];

	if (argc < 4) {
		print_names();
		return argc != 1;
	}
	find(argv[1]);
	threads = atoi(argv[2]);
	rounds = atoi(argv[3]);
	opposite = argc > 4;
	if ((!lock && !barrier && !other) || threads < 2 || threads > MOST || (opposite && !lock))
		return 2;
	start_locks();
	for (long t = 0; t < threads; t++)
		pthread_create(&made[t], NULL, run, (void *)t);
	for (int t = 0; t < threads; t++)
		pthread_join(made[t], NULL);
	if (lock)
		assert(counter == (opposite ? 2 : threads * rounds));
	else if (other && other->look)
		other->look(threads, rounds);
	return 0;
}
