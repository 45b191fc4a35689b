/*
 * What the classic programs share: each is called as `PROGRAM bad|good [N]`, has a seeded error
 * in its bad variant and none in the good one, and shared variables are atomic or locked, so
 * that the error is the order and not a data race.
 */
#ifndef CLASSIC_H
#define CLASSIC_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 128

static int is_bad; /* the variant */
static int size;   /* N */

static void read_arguments(int argc, char **argv, int usual, int least, int most)
{
	int known = argc > 1 && (!strcmp(argv[1], "bad") || !strcmp(argv[1], "good"));

	size = argc > 2 ? atoi(argv[2]) : usual;
	if (!known || size < least || size > most) {
		fprintf(stderr, "usage: %s bad|good [%d..%d]\n", argv[0], least, most);
		exit(2);
	}
	is_bad = !strcmp(argv[1], "bad");
}

/* Run @count threads with their numbers, from 0, and wait for them. */
static void run_threads(int count, void *(*work)(void *))
{
	pthread_t threads[MAX_THREADS];

	for (long i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

#endif
