/*
 * Says what it may have of memory, and that all of it is to stay there; then it needs a thread and,
 * at the end, more than it may have. Prints what it got. The two threads race if there is an argument.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

static int shared;

static void *work(void *arg)
{
	if (arg)
		shared++;
	return NULL;
}

int main(int argc, char **argv)
{
	struct rlimit limit = { 256u << 20, 512u << 20 }, got = { 0 };
	pthread_t thread;
	int locked = mlockall(MCL_CURRENT | MCL_FUTURE);
	int set = setrlimit(RLIMIT_AS, &limit) + setrlimit(RLIMIT_DATA, &limit);
	int made;
	void *large;

	(void)locked; /* as the user may */
	getrlimit(RLIMIT_AS, &got);
	made = pthread_create(&thread, NULL, work, argc > 1 ? argv : NULL);
	if (made == 0) {
		shared++;
		pthread_join(thread, NULL);
	}
	large = malloc(4ul << 30);
	printf("set %d limit %lu %lu create %d large %s\n", set, (unsigned long)got.rlim_cur >> 20,
	       (unsigned long)got.rlim_max >> 20, made, large ? "yes" : "no");
	free(large);
	return 0;
}
