/*
 * The first job of a list is looked at in one section and unlinked in the next; another worker may have
 * taken it. GOOD: in one.
 *
 * EXPECT: extended-race jobs
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
	struct job *next;
	int n;
};

static struct job *jobs;
static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER;

static struct job *next_job(void)
{
	struct job *j;

	pthread_mutex_lock(&jobs_lock);
	j = jobs;
#ifndef GOOD
	pthread_mutex_unlock(&jobs_lock);
	if (!j)
		return NULL;
	pthread_mutex_lock(&jobs_lock);
#else
	if (j)
#endif
		jobs = j->next;
	pthread_mutex_unlock(&jobs_lock);
	return j;
}

static void *worker(void *arg)
{
	struct job *j;
	int sum = 0;

	while ((j = next_job()))
		sum += j->n;
	*(int *)arg = sum;
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int sum[2];

	for (int i = 0; i < 8; i++) {
		struct job *j = malloc(sizeof(*j));

		j->n = i;
		j->next = jobs;
		jobs = j;
	}
	pthread_create(&a, NULL, worker, &sum[0]);
	pthread_create(&b, NULL, worker, &sum[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", sum[0] + sum[1]);
	return 0;
}
