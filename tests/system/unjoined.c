/*
 * Threads that nobody joins: what they do after main has returned in orderly runs.
 *
 *   unjoined HOW [fixed]
 *
 * race: a plain counter that main uses, too; torn: a counter that is read and written back in two
 * critical sections; nap: the race, after a sleep; waits: for what never comes; endless: a loop without
 * end; says: a line of output. exit: main ends by exit() in a function, not by its return.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static atomic_int turns;
static int counter;
static bool fixed;

static void *race(void *nap)
{
	if (nap)
		usleep(1000);
	if (fixed)
		pthread_mutex_lock(&lock);
	counter++;
	if (fixed)
		pthread_mutex_unlock(&lock);
	return NULL;
}

static void *torn(void *arg)
{
	int seen;

	pthread_mutex_lock(&lock);
	seen = counter;
	if (!fixed) {
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
	}
	assert(counter == seen);
	counter = seen + 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&lock);
	while (counter >= 0)
		pthread_cond_wait(&never, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *endless(void *arg)
{
	for (;;) {
		turns++;
		sched_yield();
	}
	return NULL;
}

static void *says(void *arg)
{
	puts("a thread says this");
	return NULL;
}

static void start(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	pthread_create(&t, NULL, fn, arg);
	pthread_detach(t);
}

int main(int argc, char **argv)
{
	const char *how = argv[1];

	fixed = argc > 2;
	if (!strcmp(how, "race") || !strcmp(how, "exit") || !strcmp(how, "nap")) {
		start(race, strcmp(how, "nap") ? NULL : &counter);
		race(NULL);
	} else if (!strcmp(how, "torn")) {
		start(torn, NULL);
		start(torn, NULL);
	} else if (!strcmp(how, "waits")) {
		start(waits, NULL);
	} else if (!strcmp(how, "endless")) {
		start(endless, NULL);
	} else if (!strcmp(how, "says")) {
		start(says, NULL);
	}
	if (!strcmp(how, "exit"))
		exit(0);
	return 0;
}
