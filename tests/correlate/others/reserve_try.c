/*
 * Seats by trylock: how many are free is read in one section, and taken from in the next. GOOD: in one.
 *
 * EXPECT: extended-race seats
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = 10;

static void grab(void)
{
	while (pthread_mutex_trylock(&lock) != 0)
		sched_yield();
}

static int reserve(int wanted)
{
	int ok;

	grab();
	ok = seats >= wanted;
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	if (!ok)
		return 0;
	grab();
	seats -= wanted;
#else
	if (ok)
		seats -= wanted;
#endif
	pthread_mutex_unlock(&lock);
	return ok;
}

static void *agency(void *arg)
{
	int got = 0;

	for (int n = 1; n < 4; n++)
		got += reserve(n) ? n : 0;
	*(int *)arg = got;
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	int got[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, agency, &got[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d sold, %d left\n", got[0] + got[1] + got[2], seats);
	return 0;
}
