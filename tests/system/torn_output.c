/*
 * Programs that only write something else when another thread comes in between. Where TORN says so, an operation is
 * torn apart, and no serial order of operations writes it; in the others each order is as right as any other.
 *
 * usage: torn_output SCENARIO
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, jobs = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value, version, times, next_job, most;
static atomic_int hits, again;

static int get(void)
{
	pthread_mutex_lock(&lock);
	int seen = value;
	pthread_mutex_unlock(&lock);
	return seen;
}

static void set(int to)
{
	pthread_mutex_lock(&lock);
	value = to;
	pthread_mutex_unlock(&lock);
}

static void add(int much)
{
	pthread_mutex_lock(&lock);
	value += much;
	pthread_mutex_unlock(&lock);
}

static int job(void)
{
	pthread_mutex_lock(&jobs);
	int mine = next_job < 4 ? next_job++ : -1;
	pthread_mutex_unlock(&jobs);
	return mine;
}

/* TORN: a lost update. */
static void *deposit(void *a)
{
	set(get() + *(int *)a);
	return NULL;
}

/* TORN: a lost update, among lines that depend on the schedule. */
static void *deposit_jobs(void *a)
{
	int did = 0;

	for (; job() >= 0; did++)
		set(get() + 1);
	printf("worker %d did %d\n", *(int *)a, did);
	return NULL;
}

/* TORN: the same beside a line that differs each time. */
static void *deposit_timed(void *a)
{
	if (*(int *)a == 1)
		printf("process %d\n", (int)getpid());
	return deposit(a);
}

/* TORN: both find enough, and both take it. */
static void *withdraw(void *a)
{
	if (get() + 100 >= 80)
		add(-80);
	return a;
}

/* TORN: the same without locks. */
static void *count(void *a)
{
	atomic_store(&hits, atomic_load(&hits) + 1);
	return a;
}

/* One operation, whatever was looked at before. */
static void *deposit_whole(void *a)
{
	if (get() < 1000)
		add(*(int *)a);
	return NULL;
}

/* Begins anew if it was disturbed, and says how often. */
static void *deposit_anew(void *a)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		int was = version, to = value + *(int *)a;
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		if (version == was) {
			value = to;
			version++;
			pthread_mutex_unlock(&lock);
			return NULL;
		}
		times++;
		pthread_mutex_unlock(&lock);
	}
}

/* The same without locks. */
static void *count_anew(void *a)
{
	int seen = atomic_load(&hits);

	while (!atomic_compare_exchange_strong(&hits, &seen, seen + 1))
		atomic_fetch_add(&again, 1);
	return a;
}

/* Both may find it out; they find the same. */
static void *find_out(void *a)
{
	if (!get()) {
		pthread_mutex_lock(&lock);
		times++;
		pthread_mutex_unlock(&lock);
		set(42);
	}
	return a;
}

/* Who comes first does the work. */
static void *share(void *a)
{
	int did = 0;

	for (int mine; (mine = job()) >= 0; did++)
		add(mine);
	printf("worker %d did %d\n", *(int *)a, did);
	return NULL;
}

/* How many were inside at once. */
static void *visit(void *a)
{
	pthread_mutex_lock(&lock);
	if (++value > most)
		most = value;
	pthread_mutex_unlock(&lock);
	add(-1);
	return a;
}

/* One says how far the other is. */
static void *look_on(void *a)
{
	if (*(int *)a == 1) {
		add(1);
		add(1);
	} else {
		int before = get(), after = get();

		printf("%d, then %d more\n", before, after - before);
	}
	return NULL;
}

/* One hands something to the other. */
static void *hand_over(void *a)
{
	pthread_mutex_lock(&lock);
	if (*(int *)a == 1) {
		value++;
		pthread_cond_signal(&changed);
	} else {
		for (; !value; times++)
			pthread_cond_wait(&changed, &lock);
		value--;
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static const struct {
	const char *name;
	void *(*does)(void *);
} scenarios[] = {
	{ "deposit", deposit },
	{ "deposit-jobs", deposit_jobs },
	{ "deposit-timed", deposit_timed },
	{ "withdraw", withdraw },
	{ "count", count },
	{ "deposit-whole", deposit_whole },
	{ "deposit-anew", deposit_anew },
	{ "count-anew", count_anew },
	{ "find-out", find_out },
	{ "share", share },
	{ "visit", visit },
	{ "look-on", look_on },
	{ "hand-over", hand_over },
};

int main(int argc, char **argv)
{
	int who[] = { 1, 2 };
	pthread_t threads[2];

	for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(argv[1], scenarios[i].name))
			continue;
		for (int k = 0; k < 2; k++)
			pthread_create(&threads[k], NULL, scenarios[i].does, &who[k]);
		for (int k = 0; k < 2; k++)
			pthread_join(threads[k], NULL);
		printf("value %d\ntimes %d\nhits %d\nagain %d\nmost %d\n", value, times, hits,
		       again, most);
		return 0;
	}
	return 2;
}
