/*
 * Two threads, each with a lock and data of its own: a lock and an unlock, after which each of sixteen
 * accesses is the first of its kind in an epoch.
 *
 *   epochs ROUNDS [touch|alone]      touch: the accesses as well; alone: all rounds by one thread,
 *                                    so that a lock is never a choice; prints a sum
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	pthread_mutex_t lock;
	long count[8];
} own[2] = { { .lock = PTHREAD_MUTEX_INITIALIZER }, { .lock = PTHREAD_MUTEX_INITIALIZER } };
static long rounds;

static void *lock_only(void *arg)
{
	long me = (long)arg, n = rounds;

	for (long i = 0; i < n; i++) {
		pthread_mutex_lock(&own[me].lock);
		pthread_mutex_unlock(&own[me].lock);
	}
	return NULL;
}

static void *lock_and_touch(void *arg)
{
	long me = (long)arg, n = rounds, *count = own[me].count;

	for (long i = 0; i < n; i++) {
		pthread_mutex_lock(&own[me].lock);
		pthread_mutex_unlock(&own[me].lock);
		count[0]++, count[1]++, count[2]++, count[3]++;
		count[4]++, count[5]++, count[6]++, count[7]++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	bool alone = argc > 2 && strcmp(argv[2], "alone") == 0;
	void *(*work)(void *) = argc > 2 && !alone ? lock_and_touch : lock_only;
	pthread_t other;

	rounds = argc > 1 ? atol(argv[1]) : 1000000;
	if (alone) {
		rounds *= 2;
		work(NULL);
		return 0;
	}
	if (pthread_create(&other, NULL, work, (void *)1))
		return 1;
	work(NULL);
	pthread_join(other, NULL);
	printf("%ld\n", own[0].count[7] + own[1].count[7]);
	return 0;
}
