/*
 * Three threads and three mutexes in a circle; a fourth thread sleeps on and would
 * hide the deadlock from a detector that waits until nothing can run.
 *
 * RUN: run
 * EXPECT: deadlock @take:SECOND within 100 seeds
 */
#include "../program.h"

static pthread_mutex_t m[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				PTHREAD_MUTEX_INITIALIZER };

static void *take(void *arg)
{
	int i = (int)(intptr_t)arg;

	pthread_mutex_lock(&m[i]);
	pthread_mutex_lock(&m[(i + 1) % 3]); /* SECOND */
	pthread_mutex_unlock(&m[(i + 1) % 3]);
	pthread_mutex_unlock(&m[i]);
	return NULL;
}

static void *rest(void *arg)
{
	for (int i = 0; i < 1000; i++)
		sleep(1000);
	return NULL;
}

int main(void)
{
	pthread_t t[4];

	t[3] = start(rest, NULL);
	for (intptr_t i = 0; i < 3; i++)
		t[i] = start(take, (void *)i);
	for (int i = 0; i < 4; i++)
		finish(t[i]);
	return 0;
}
