/*
 * Eight bytes written, the sixth of them read.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'word @write_all @read_byte
 */
#include "../program.h"

static uint64_t word;

static void *write_all(void *arg)
{
	word = UINT64_MAX;
	return NULL;
}

static void *read_byte(void *arg)
{
	return (void *)(intptr_t)((unsigned char *)&word)[5];
}

int main(void)
{
	pthread_t a = start(write_all, NULL), b = start(read_byte, NULL);

	finish(a);
	finish(b);
	return 0;
}
