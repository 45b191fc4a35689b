/*
 * Workers go on until enough is done. Each round must take its own piece of work where it looks whether there is any more; if
 * it only looks, and counts when it is done, then two of them do the last one. With pieces to take, the count of what
 * is done cannot pass the limit, whatever happened since the loop looked at it.
 *
 * EXPECT: extended-race done
 * WHY: the lock was released in between
 * ALWAYS: gcc-O0 gcc-O2 clang-O2
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { PIECES = 50 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t start;
static int done;
#ifdef GOOD
static int next;
#endif

static void *worker(void *arg)
{
	pthread_barrier_wait(&start);
	for (;;) {
		pthread_mutex_lock(&lock);
		if (done >= PIECES)
			break;
#ifdef GOOD
		if (next == PIECES)
			break;
		next++;
#endif
		pthread_mutex_unlock(&lock);
		sched_yield();
		pthread_mutex_lock(&lock);
		done++;
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_barrier_init(&start, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", done);
	return 0;
}
