/*
 * A thread waits for at most a second and then believes that the flag is set. Only a main thread that
 * is held up for that long shows the error. With an argument it looks again.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t set = PTHREAD_COND_INITIALIZER;
static bool flag, careful;

static void *wait(void *unused)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec++;
	pthread_mutex_lock(&lock);
	if (!flag)
		pthread_cond_timedwait(&set, &lock, &end);
	assert(flag || careful);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t waiter;

	(void)argv;
	careful = argc > 1;
	pthread_create(&waiter, NULL, wait, NULL);
	pthread_mutex_lock(&lock);
	flag = true;
	pthread_cond_signal(&set);
	pthread_mutex_unlock(&lock);
	pthread_join(waiter, NULL);
	return 0;
}
