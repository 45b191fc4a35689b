/*
 * Waiting for time where one should wait for a thread.
 *
 *   time_order HOW    sleep and hope that main is done: it need not be
 *   time_order HOW good  sleep, and wait for main, too
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static atomic_int ready;
static sem_t done, never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	return t;
}

static void sleep_somehow(const char *how)
{
	struct timespec t = { .tv_sec = 1 }, at = soon();

	if (!strcmp(how, "usleep")) {
		usleep(100000);
	} else if (!strcmp(how, "nanosleep")) {
		nanosleep(&t, NULL);
	} else if (!strcmp(how, "clock_nanosleep")) {
		clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL);
	} else if (!strcmp(how, "poll")) {
		poll(NULL, 0, 1000);
	} else if (!strcmp(how, "select")) {
		select(0, NULL, NULL, NULL, &(struct timeval){ .tv_sec = 1 });
	} else if (!strcmp(how, "semaphore")) {
		sem_timedwait(&never, &at);
	} else if (!strcmp(how, "mutex")) {
		pthread_mutex_timedlock(&held, &at);
	} else {
		pthread_mutex_lock(&mutex);
		pthread_cond_timedwait(&condition, &mutex, &at);
		pthread_mutex_unlock(&mutex);
	}
}

static const char *how;
static int good;

static void *wait_a_while(void *arg)
{
	(void)arg;
	sleep_somehow(how);
	if (good)
		sem_wait(&done);
	assert(atomic_load(&ready));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	how = argv[1];
	good = argc > 2;
	sem_init(&done, 0, 0);
	sem_init(&never, 0, 0);
	pthread_mutex_lock(&held);
	pthread_create(&thread, NULL, wait_a_while, NULL);
	atomic_store(&ready, 1);
	sem_post(&done);
	pthread_join(thread, NULL);
	return 0;
}
