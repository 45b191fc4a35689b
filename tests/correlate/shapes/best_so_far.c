/*
 * The best score is read in one section; if a new one is better, it and its owner are stored in the next.
 * GOOD: in one.
 *
 * EXPECT: extended-race best owner
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static int best;
static intptr_t owner;
static pthread_mutex_t board = PTHREAD_MUTEX_INITIALIZER;

static void *play(void *arg)
{
	intptr_t me = (intptr_t)arg;
	int score = (int)me * 10, old;

	pthread_mutex_lock(&board);
	old = best;
#ifndef GOOD
	pthread_mutex_unlock(&board);
#endif
	if (score > old) {
#ifndef GOOD
		pthread_mutex_lock(&board);
#endif
		best = score;
		owner = me;
#ifndef GOOD
		pthread_mutex_unlock(&board);
#endif
	}
#ifdef GOOD
	pthread_mutex_unlock(&board);
#endif
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (intptr_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, play, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d %ld\n", best, (long)owner);
	return 0;
}
