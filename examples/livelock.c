/*
 * A worker waits for `go` in a loop, and main joins the worker before it says go.
 * Nobody is blocked, but nothing will ever happen. heddle sees that the loop's state
 * repeats and that nobody else can change it, and says so instead of spinning with it.
 *
 *   heddle cc livelock.c -o livelock
 *   heddle run -- ./livelock
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int go;

static void *worker(void *unused)
{
	(void)unused;
	while (!go)
		sched_yield();
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL); /* should come after the next line */
	go = 1;
	return 0;
}
