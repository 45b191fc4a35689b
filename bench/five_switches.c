/*
 * A short program for measuring how fast executions are: two threads add N times each to one
 * variable. Of its C(2N, N) executions the average one has N switches.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int shared;
static int times;

static void *work(void *arg)
{
	for (int i = 0; i < times; i++)
		atomic_fetch_add(&shared, 1);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	times = argc > 1 ? atoi(argv[1]) : 5;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
