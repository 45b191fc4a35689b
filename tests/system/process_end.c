/*
 * A process that ends while a thread still has something to do.
 *
 *   process_end HOW       what it has to do is wrong
 *   process_end HOW good  it is not
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int steps;
static int good;
static const char *how;

static void *work(void *arg)
{
	(void)arg;
	atomic_fetch_add(&steps, 1);
	atomic_fetch_add(&steps, 1);
	assert(good);
	return NULL;
}

static void *end(void *arg)
{
	(void)arg;
	if (!strcmp(how, "thread-exit"))
		exit(0);
	_exit(0);
}

static void end_main(void)
{
	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "quick_exit"))
		quick_exit(0);
}

int main(int argc, char **argv)
{
	pthread_t worker, ender;

	if (argc < 2)
		return 2;
	how = argv[1];
	good = argc > 2;
	pthread_create(&worker, NULL, work, NULL);
	if (!strncmp(how, "thread-", 7)) {
		pthread_create(&ender, NULL, end, NULL);
		pthread_join(worker, NULL);
		pthread_join(ender, NULL);
	}
	if (!strcmp(how, "detached"))
		pthread_detach(worker);
	end_main();
	return 0;
}
