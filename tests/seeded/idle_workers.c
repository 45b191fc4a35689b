/*
 * Only who waits is woken. A worker that has seen that there is nothing to do has not counted itself yet when a job
 * comes.
 *
 * FAILS: deadlock
 * CAUSE: jobs|waiting|condition variable 'more'
 * REMEDY: 'm'
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int jobs, waiting;

static int any(void)
{
	pthread_mutex_lock(&m);
	int n = jobs;
	pthread_mutex_unlock(&m);
	return n;
}

static void *worker(void *x)
{
#ifdef FIXED
	(void)any;
	pthread_mutex_lock(&m);
	while (!jobs) {
#else
	int none = !any();
	pthread_mutex_lock(&m);
	if (none) {
#endif
		waiting++;
		pthread_cond_wait(&more, &m);
		waiting--;
	}
	jobs--;
	pthread_mutex_unlock(&m);
	return x;
}

static void *master(void *x)
{
	pthread_mutex_lock(&m);
	jobs++;
	if (waiting)
		pthread_cond_signal(&more);
	pthread_mutex_unlock(&m);
	return x;
}

int main(void)
{
	pthread_t s, t;
	pthread_create(&s, 0, worker, 0);
	pthread_create(&t, 0, master, 0);
	pthread_join(s, 0);
	pthread_join(t, 0);
	return jobs;
}
