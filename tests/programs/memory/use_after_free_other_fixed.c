/*
 * One thread frees a message that another reads only if it is still there.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *message;

static void *reader(void *arg)
{
	intptr_t seen = 0;

	pthread_mutex_lock(&m);
	if (message)
		seen = *message;
	pthread_mutex_unlock(&m);
	return (void *)seen;
}

int main(void)
{
	pthread_t t;

	message = malloc(sizeof(*message));
	*message = 1;
	t = start(reader, NULL);
	pthread_mutex_lock(&m);
	free(message);
	message = NULL;
	pthread_mutex_unlock(&m);
	finish(t);
	return 0;
}
