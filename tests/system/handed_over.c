/*
 * Objects that are filled in, handed over through a locked list and used by whoever takes them, in a block that is
 * declared atomic. Two threads are at the same lines at once, but never with the same object.
 *
 *   handed_over      as it should be
 *   handed_over late the one who fills an object in writes to it once more when it is in the list
 */
#include <pthread.h>
#include <stdlib.h>

#include <heddle/heddle.h>

struct job {
	struct job *next;
	int amount;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct job *jobs;
static int total, late;

static __attribute__((noinline)) int amount_of(const struct job *job)
{
	return job->amount;
}

static void *work(void *arg)
{
	for (int i = 0; i < 2; i++) {
		struct job *job;

		pthread_mutex_lock(&mutex);
		while (!jobs)
			pthread_cond_wait(&filled, &mutex);
		job = jobs;
		jobs = job->next;
		pthread_mutex_unlock(&mutex);
		HEDDLE_ATOMIC {
			total += amount_of(job);
			__asm__ volatile("" ::: "memory"); /* the second read stays */
			total -= amount_of(job);
		}
		if (!late)
			free(job);
	}
	return arg;
}

static __attribute__((noinline)) void fill(struct job *job, int amount)
{
	job->amount = amount;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	late = argc > 1;
	pthread_create(&thread, NULL, work, NULL);
	for (int i = 1; i <= 2; i++) {
		struct job *job = malloc(sizeof(*job));

		fill(job, i);
		pthread_mutex_lock(&mutex);
		job->next = jobs;
		jobs = job;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&mutex);
		if (late)
			fill(job, i + 1);
	}
	pthread_join(thread, NULL);
	return 0;
}
