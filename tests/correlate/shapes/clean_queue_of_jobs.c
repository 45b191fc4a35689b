/*
 * Jobs are filled in without a lock, given away through a list, and finished by whoever took them.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
	struct job *next;
	int input, output;
};

static struct job *todo, *finished;
static int left = 6;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void put(struct job **list, struct job *j)
{
	pthread_mutex_lock(&lock);
	j->next = *list;
	*list = j;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
}

static struct job *get(void)
{
	struct job *j;

	pthread_mutex_lock(&lock);
	while (!todo && left)
		pthread_cond_wait(&more, &lock);
	j = todo;
	if (j) {
		todo = j->next;
		left--;
		if (!left)
			pthread_cond_broadcast(&more);
	}
	pthread_mutex_unlock(&lock);
	return j;
}

static void *work(void *arg)
{
	struct job *j;

	while ((j = get())) {
		j->output = j->input * j->input;
		put(&finished, j);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];
	int sum = 0;

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 6; i++) {
		struct job *j = malloc(sizeof(*j));

		j->input = i;
		j->output = 0;
		put(&todo, j);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	while (finished) {
		struct job *j = finished;

		finished = j->next;
		sum += j->output;
		free(j);
	}
	printf("%d\n", sum);
	return 0;
}
