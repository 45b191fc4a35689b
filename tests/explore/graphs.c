/*
 * Two threads and one way to fail, or none. The argument says which.
 *
 * FLAGS: -O1
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

atomic_int x, y;
int r[2], sum, plain;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *store_x(void *arg)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	r[0] = atomic_load_explicit(&y, memory_order_relaxed);
	return arg;
}

static void *store_y(void *arg)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	r[1] = atomic_load_explicit(&x, memory_order_relaxed);
	return arg;
}

static void *add(void *arg)
{
	pthread_mutex_lock(&m);
	sum++;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *write_plain(void *arg)
{
	plain = 1;
	return arg;
}

static void *read_plain(void *arg)
{
	r[0] = plain;
	return arg;
}

static void run(void *(*f)(void *), void *(*g)(void *))
{
	pthread_t t, u;

	pthread_create(&t, NULL, f, NULL);
	pthread_create(&u, NULL, g, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "fine";

	if (!strcmp(which, "SB")) {
		run(store_x, store_y);
		assert(r[0] || r[1]);
	} else if (!strcmp(which, "race")) {
		run(write_plain, read_plain);
	} else {
		run(add, add);
		assert(sum == 2 && strcmp(which, "sections") != 0);
	}
	return 0;
}
