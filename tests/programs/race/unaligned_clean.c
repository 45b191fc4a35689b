/*
 * A word that lies across two words, and the bytes just before and behind it.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static struct __attribute__((packed)) {
	char before[5];
	uint64_t word;
	char behind;
} frame;

static void *write_word(void *arg)
{
	frame.word = UINT64_MAX;
	return NULL;
}

static void *write_around(void *arg)
{
	frame.before[4] = 1;
	frame.behind = 1;
	return NULL;
}

int main(void)
{
	pthread_t a = start(write_word, NULL), b = start(write_around, NULL);

	finish(a);
	finish(b);
	assert(frame.word == UINT64_MAX && frame.before[4] == 1 && frame.behind == 1);
	return 0;
}
