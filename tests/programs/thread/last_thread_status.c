/*
 * main has left by pthread_exit; the last thread leaves by return, and what it
 * registered with atexit runs.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 * EXIT: 0
 * OUTPUT: last words
 */
#include "../program.h"

static void last_words(void)
{
	puts("last words");
}

static void *stay(void *arg)
{
	sleep(2);
	atexit(last_words);
	return (void *)9;
}

int main(void)
{
	pthread_detach(start(stay, NULL));
	start(stay, NULL);
	pthread_exit(NULL);
}
