/*
 * Sleepers wake in the order of their deadlines, whatever the schedule, and the clock
 * shows what they slept.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order[4], n;

static void *sleeper(void *arg)
{
	long seconds = (long)arg;

	sleep((unsigned)seconds);
	pthread_mutex_lock(&lock);
	order[n++] = (int)seconds;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	static const long seconds[4] = {3000, 1000, 4000, 2000};
	struct timespec before, after;
	pthread_t t[4];

	clock_gettime(CLOCK_MONOTONIC, &before);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, sleeper, (void *)seconds[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	for (int i = 0; i < 4; i++)
		assert(order[i] == 1000 * (i + 1));
	assert(after.tv_sec - before.tv_sec >= 4000);
	assert(after.tv_sec - before.tv_sec <= 4001);
	return 0;
}
