/*
 * One thread frees a message that another may still read. A lock orders the two, so there is no race:
 * only in some schedules the reader comes later.
 *
 * RUN: run
 * EXPECT: memory use after free @reader:READ @main:FREE @main:MAKE within 20 seeds
 * NEVER: race
 * EXIT: 0
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *message;

static void *reader(void *arg)
{
	intptr_t seen;

	pthread_mutex_lock(&m);
	seen = *message; /* READ */
	pthread_mutex_unlock(&m);
	return (void *)seen;
}

int main(void)
{
	pthread_t t;

	message = malloc(sizeof(*message)); /* MAKE */
	*message = 1;
	t = start(reader, NULL);
	pthread_mutex_lock(&m);
	free(message); /* FREE */
	pthread_mutex_unlock(&m);
	finish(t);
	return 0;
}
