/*
 * A counter goes into a job's record on the heap with the lock, is raised there without, and is put
 * back with the lock. GOOD: lock held throughout.
 *
 * EXPECT: extended-race done
 */
#include <pthread.h>
#include <stdlib.h>

struct job {
	int number;
	int seen;
};

static int done;
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
	struct job *j = calloc(1, sizeof(*j));

	for (j->number = 0; j->number < 3; j->number++) {
		pthread_mutex_lock(&door);
		j->seen = done;
#ifndef GOOD
		pthread_mutex_unlock(&door);
#endif
		j->seen += 1;
#ifndef GOOD
		pthread_mutex_lock(&door);
#endif
		done = j->seen;
		pthread_mutex_unlock(&door);
	}
	free(j);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return done == 0;
}
