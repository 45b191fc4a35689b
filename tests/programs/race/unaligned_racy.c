/*
 * A word that lies across two words: its last byte is read by another thread.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'frame @write_word @read_byte
 */
#include "../program.h"

static struct __attribute__((packed)) {
	char pad[5];
	uint64_t word;
} frame;

static void *write_word(void *arg)
{
	frame.word = UINT64_MAX;
	return NULL;
}

static void *read_byte(void *arg)
{
	return (void *)(intptr_t)((char *)&frame)[12];
}

int main(void)
{
	pthread_t a = start(write_word, NULL), b = start(read_byte, NULL);

	finish(a);
	finish(b);
	return 0;
}
