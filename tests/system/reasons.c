/*
 * Two threads and one mistake, which the first argument chooses; with "safe" as the second it is not made. What each
 * does follows from reading it:
 *
 *   popped     looks whether there is an element in one section and takes it in the next one: the other thread takes it
 *              in between. Threads one after the other never both come to taking it.
 *   cached     looks under a read lock and enters under a write lock, without looking again: both enter
 *   dropped    gives up a reference under the lock and looks without it whether that was the last one: both free
 *   published  says that a table is there before it is
 *   waited     a flag is set before what it stands for is written; main waits for it in a loop, and writes that
 *   ended      says that it has ended while it holds the lock; main waits for that in a loop, and frees the lock
 *   always     an assertion that fails in every order beside a pattern that does no harm
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
	pthread_mutex_t lock;
	int refs;
};

static const char *what;
static int safe;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int stack[2], top;
static int cached, entered;
static struct job *job;
static atomic_int ready;
static int *table;
static long total;

static int is(const char *word)
{
	return !strcmp(what, word);
}

static void pop(void)
{
	pthread_mutex_lock(&lock);
	int some = top > 0;
	if (!safe) {
		pthread_mutex_unlock(&lock);
		if (!some)
			return;
		pthread_mutex_lock(&lock);
	}
	if (some) {
		assert(top > 0);
		stack[--top] = 0;
	}
	pthread_mutex_unlock(&lock);
}

static void enter(void)
{
	pthread_rwlock_rdlock(&rw);
	int have = cached;
	pthread_rwlock_unlock(&rw);
	if (have)
		return;
	pthread_rwlock_wrlock(&rw);
	if (!safe || !cached) {
		cached = 1;
		entered++;
	}
	pthread_rwlock_unlock(&rw);
}

static void drop(void)
{
	pthread_mutex_lock(&job->lock);
	int left = --job->refs;
	pthread_mutex_unlock(&job->lock);
	if (!safe)
		left = job->refs;
	if (!left)
		free(job);
}

static void make_table(void)
{
	if (!safe)
		ready = 1;
	table = calloc(4, sizeof(*table));
	table[0] = 5;
	ready = 1;
}

static void look_up(void)
{
	if (!ready) {
		pthread_mutex_lock(&lock);
		if (!ready)
			make_table();
		pthread_mutex_unlock(&lock);
	}
	assert(table[0] == 5);
}

static void add_up(void)
{
	if (!safe)
		ready = 1;
	total = 10;
	ready = 1;
}

static void end(void)
{
	pthread_mutex_lock(&job->lock);
	job->refs--;
	if (!safe)
		ready = 1;
	pthread_mutex_unlock(&job->lock);
	if (safe)
		ready = 1;
}

/* Counts in two sections, which nobody minds. */
static void count(void)
{
	pthread_mutex_lock(&lock);
	int was = entered;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	entered = was + 1;
	pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
	(void)arg;
	if (is("popped"))
		pop();
	else if (is("cached"))
		enter();
	else if (is("dropped"))
		drop();
	else if (is("published"))
		look_up();
	else if (is("waited"))
		add_up();
	else if (is("ended"))
		end();
	else
		count();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int n = 2;

	what = argc > 1 ? argv[1] : "";
	safe = argc > 2;
	top = 1;
	job = calloc(1, sizeof(*job));
	pthread_mutex_init(&job->lock, NULL);
	job->refs = 2;
	n -= is("waited") || is("ended");
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	if (is("waited") || is("ended")) {
		while (!ready)
			;
	}
	if (is("ended")) {
		pthread_mutex_destroy(&job->lock);
		free(job);
	}
	if (is("waited"))
		printf("%ld\n", total);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	assert(entered <= 1 || !is("cached"));
	assert(safe || !is("always"));
	return 0;
}
