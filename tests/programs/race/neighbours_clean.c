/*
 * Eight threads write the eight bytes of one word, and of a word not aligned.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static unsigned char bytes[24];

static void *write_byte(void *arg)
{
	intptr_t i = (intptr_t)arg;

	bytes[i] = (unsigned char)i;
	bytes[13 + i] = bytes[i] + 1;
	return NULL;
}

int main(void)
{
	pthread_t t[8];

	for (intptr_t i = 0; i < 8; i++)
		t[i] = start(write_byte, (void *)i);
	for (int i = 0; i < 8; i++)
		finish(t[i]);
	assert(bytes[7] == 7 && bytes[13] == 1 && bytes[20] == 8);
	return 0;
}
