/*
 * What use_after_free.c should do: the receiver uses the message while nobody can
 * take it away.
 *
 * RUN: run --seed 1..50
 * EXPECT: clean
 */
#include "../program.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *message;

static void *receive(void *arg)
{
	intptr_t value = 0;

	pthread_mutex_lock(&m);
	if (message)
		value = *message;
	pthread_mutex_unlock(&m);
	return (void *)value;
}

int main(void)
{
	intptr_t value;
	pthread_t t;

	message = malloc(sizeof(*message));
	*message = 42;
	t = start(receive, NULL);
	pthread_mutex_lock(&m);
	free(message);
	message = NULL;
	pthread_mutex_unlock(&m);
	value = (intptr_t)finish(t);
	assert(value == 42 || value == 0);
	return 0;
}
