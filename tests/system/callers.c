/*
 * A function that reads a variable under its lock, and two callers of it: for one it does not
 * matter that the variable changes between two calls, for the other it does. Both are the same
 * three places in the code. -DKEPT: the careless one asks once.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level = 1, ups;

static int __attribute__((noinline)) get_level(void)
{
	int now;

	pthread_mutex_lock(&lock);
	now = level;
	pthread_mutex_unlock(&lock);
	return now;
}

static void __attribute__((noinline)) show(void)
{
	ups += get_level() > 0;
	ups += get_level() > 0;
}

static void __attribute__((noinline)) careless(void)
{
	int before = get_level();

#ifndef KEPT
	assert(get_level() == before);
#else
	ups += before > 0;
#endif
}

static void *reader(void *arg)
{
	show();
	show();
	careless();
	for (int i = 0; i < 20; i++)
		show();
	return arg;
}

static void *setter(void *arg)
{
	pthread_mutex_lock(&lock);
	level = 2;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	if (pthread_create(&a, NULL, reader, NULL) || pthread_create(&b, NULL, setter, NULL))
		return 2;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	puts("done");
	return 0;
}
