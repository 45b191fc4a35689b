/*
 * redis bio: pending is read under the lock, the job list looked at later: a job is taken that
 * another one has taken.
 *
 * FAILS: crash
 * CAUSE: pending|job
 * REMEDY: 'm'
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int pending = 1;
static int *job;
static int done;
static int any(void)
{
	pthread_mutex_lock(&m);
	int n = pending;
	pthread_mutex_unlock(&m);
	return n;
}
static void *bioProcessBackgroundJobs(void *a)
{
	int *j;
#ifdef FIXED
	pthread_mutex_lock(&m);
	if (!pending) {
		pthread_mutex_unlock(&m);
		return a;
	}
	(void)any;
#else
	if (!any())
		return a;
	pthread_mutex_lock(&m);
#endif
	pending--;
	j = job;
	job = NULL;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	done += *j;
	pthread_mutex_unlock(&m);
	free(j);
	return a;
}
int main(void)
{
	pthread_t t[2];
	job = malloc(sizeof(int));
	*job = 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, bioProcessBackgroundJobs, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return done != 1;
}
