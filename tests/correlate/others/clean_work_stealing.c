/*
 * Each worker has a list of jobs with a lock of its own, and takes from the other's when it has none left.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

#define JOBS 6

struct worker {
	pthread_mutex_t lock;
	int job[JOBS];
	int first, last;
	long sum;
};

static struct worker workers[2];

static int take(struct worker *w, int *job)
{
	int got = 0;

	pthread_mutex_lock(&w->lock);
	if (w->first < w->last) {
		*job = w->job[w->first++];
		got = 1;
	}
	pthread_mutex_unlock(&w->lock);
	return got;
}

static int steal(struct worker *w, int *job)
{
	int got = 0;

	pthread_mutex_lock(&w->lock);
	if (w->first < w->last) {
		*job = w->job[--w->last];
		got = 1;
	}
	pthread_mutex_unlock(&w->lock);
	return got;
}

static void *work(void *arg)
{
	struct worker *me = arg, *other = &workers[me == workers];
	int job;

	while (take(me, &job) || steal(other, &job))
		me->sum += job;
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++) {
		pthread_mutex_init(&workers[i].lock, NULL);
		for (int k = 0; k < JOBS; k++)
			workers[i].job[workers[i].last++] = 10 * i + k;
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &workers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", workers[0].sum + workers[1].sum);
	return 0;
}
