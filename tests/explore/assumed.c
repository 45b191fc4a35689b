/*
 * Threads that stop at an assumption, and what the others then do. The argument says which.
 *
 * FLAGS: -O1
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <heddle/heddle.h>

static atomic_int x, y, flag;
static int r1, r2;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;

static void *store_x(void *arg)
{
	atomic_store(&x, 1);
	r1 = atomic_load(&y);
	return arg;
}

static void *store_y(void *arg)
{
	atomic_store(&y, 1);
	r2 = atomic_load(&x);
	return arg;
}

/* Of the three outcomes of store buffering, one has r2 == 0. */
static void *store_y_and_assume(void *arg)
{
	atomic_store(&y, 1);
	r2 = atomic_load(&x);
	heddle_assume(r2 == 1);
	return arg;
}

static void *never_goes_on(void *arg)
{
	heddle_assume(!arg || !*(const char *)arg);
	return arg;
}

static void *fails(void *arg)
{
	assert(!arg);
	return arg;
}

static void *stops_with_lock(void *arg)
{
	pthread_mutex_lock(&m);
	heddle_assume(!arg);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *ends_with_lock(void *arg)
{
	pthread_mutex_lock(&m);
	return arg;
}

static void *wants_lock(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *locks_m_n(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_lock(&n);
	pthread_mutex_unlock(&n);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *locks_n_m(void *arg)
{
	pthread_mutex_lock(&n);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&n);
	return arg;
}

static void *sets_flag_if(void *arg)
{
	heddle_assume(atomic_load(&x) == 1);
	atomic_store(&flag, 1);
	return arg;
}

static void *spins(void *arg)
{
	while (!atomic_load(&flag))
		;
	return arg;
}

static const struct {
	const char *name;
	void *(*threads[3])(void *);
} cases[] = {
	{ "holds-in-two-of-three", { store_x, store_y_and_assume } },
	{ "asserts-the-same", { store_x, store_y } },
	{ "fault-of-another", { never_goes_on, fails } },
	{ "with-a-lock", { stops_with_lock, wants_lock } },
	{ "without-unlock", { ends_with_lock, wants_lock } },
	{ "cycle-of-others", { never_goes_on, locks_m_n, locks_n_m } },
	{ "flag", { sets_flag_if, spins } },
	{ "flag-may-come", { sets_flag_if, spins, store_x } },
	{ "not-joined", { never_goes_on } },
};

int main(int argc, char **argv)
{
	pthread_t t[3];
	size_t i = 0;

	while (argc > 1 && strcmp(cases[i].name, argv[1]) != 0)
		i++;
	for (int k = 0; k < 3 && cases[i].threads[k]; k++)
		pthread_create(&t[k], NULL, cases[i].threads[k], argv[0]);
	if (!strcmp(cases[i].name, "not-joined"))
		return 3;
	for (int k = 0; k < 3 && cases[i].threads[k]; k++)
		pthread_join(t[k], NULL);
	if (i < 2)
		assert(r2 == 1);
	puts("to the end");
	return 0;
}
