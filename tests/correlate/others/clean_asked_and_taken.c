/*
 * A job that one thread does for another, as libcurl looks up names: who asked looks whether it is done, in one critical
 * section, and if so clears up: sets the flag, and looks what it was, in another. The worker finds the flag set if it is too late.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

static struct {
	pthread_mutex_t lock;
	int done;
} job = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int answer;

static void *work(void *arg)
{
	pthread_mutex_lock(&job.lock);
	if (!job.done) {
		answer = 42;
		job.done = 1;
	}
	pthread_mutex_unlock(&job.lock);
	return arg;
}

static bool is_done(void)
{
	bool done;

	pthread_mutex_lock(&job.lock);
	done = job.done;
	pthread_mutex_unlock(&job.lock);
	return done;
}

static void clear_up(pthread_t worker)
{
	int done;

	pthread_mutex_lock(&job.lock);
	done = job.done;
	job.done = 1;
	pthread_mutex_unlock(&job.lock);
	if (done)
		pthread_join(worker, NULL);
	else
		pthread_detach(worker);
}

int main(void)
{
	pthread_t worker;
	bool done = false;

	pthread_create(&worker, NULL, work, NULL);
	for (int i = 0; i < 100000 && !done; i++) {
		sched_yield();
		done = is_done();
		if (done)
			clear_up(worker);
	}
	if (!done)
		clear_up(worker);
	printf("%d\n", done ? answer : 0);
	return 0;
}
