/*
 * Threads race for what the arguments name: `first`, `second` or both. `away` leaves the folder before,
 * `leave` ends by _exit.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int first, second, other;

static void *count_first(void *arg)
{
	first++;
	return arg;
}

static void *count_second(void *arg)
{
	second++;
	return arg;
}

static void *count_other(void *arg)
{
	__atomic_fetch_add(&other, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static void race(void *(*count)(void *))
{
	pthread_t a, b;

	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

int main(int argc, char **argv)
{
	race(count_other);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "away") && chdir("/") != 0)
			return 3;
		if (!strcmp(argv[i], "first"))
			race(count_first);
		if (!strcmp(argv[i], "second"))
			race(count_second);
		if (!strcmp(argv[i], "leave"))
			_exit(5);
	}
	printf("at the end");
	return 0;
}
