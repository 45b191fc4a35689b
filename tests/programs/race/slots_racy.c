/*
 * Fifty threads, each with a byte of its own; the last byte is read before its thread is joined.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'slots[ @work @main
 */
#include "../program.h"

static char slots[50];

static void *work(void *arg)
{
	(*(char *)arg)++;
	return NULL;
}

int main(void)
{
	pthread_t t[50];
	int seen;

	for (int i = 0; i < 50; i++)
		t[i] = start(work, &slots[i]);
	for (int i = 0; i < 49; i++)
		finish(t[i]);
	seen = slots[49];
	finish(t[49]);
	return seen > 1;
}
