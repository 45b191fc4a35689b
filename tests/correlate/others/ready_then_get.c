/*
 * Workers wait until there is a job in one function, and take it, without a look, in another. GOOD: the lock is kept from the one
 * to the other.
 *
 * EXPECT: extended-race top
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
static int jobs[64], top = 16; /* what is below 16 is no job */
static int finished;
static long result;
static int wait_for_job(void)
{
	pthread_mutex_lock(&mu);
	while (top == 16 && !finished)
		pthread_cond_wait(&cv, &mu);
	int have = top > 16;
#ifndef GOOD
	pthread_mutex_unlock(&mu);
#endif
	return have;
}
static int get_job(void)
{
#ifndef GOOD
	pthread_mutex_lock(&mu);
#endif
	int j = jobs[--top];
	pthread_mutex_unlock(&mu);
	return j;
}
static void *worker(void *arg)
{
	while (wait_for_job()) {
		int j = get_job();
		if (!j)
			puts("nothing");
		pthread_mutex_lock(&mu);
		result += j;
		pthread_mutex_unlock(&mu);
	}
#ifdef GOOD
	pthread_mutex_unlock(&mu);
#endif
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&mu);
		jobs[top++] = i + 1;
		pthread_cond_signal(&cv);
		pthread_mutex_unlock(&mu);
	}
	pthread_mutex_lock(&mu);
	finished = 1;
	pthread_cond_broadcast(&cv);
	pthread_mutex_unlock(&mu);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", result);
	return 0;
}
