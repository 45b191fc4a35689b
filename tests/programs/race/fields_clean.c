/*
 * Fields side by side in one word, each with a thread of its own.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"

static struct {
	char kind, flags;
	short length;
	int value;
} packet;

static void *set_kind(void *arg)
{
	packet.kind++;
	return NULL;
}

static void *set_length(void *arg)
{
	packet.length++;
	return NULL;
}

int main(void)
{
	pthread_t a = start(set_kind, NULL), b = start(set_length, NULL);

	packet.flags++;
	packet.value++;
	finish(a);
	finish(b);
	return packet.kind + packet.length + packet.flags + packet.value - 4;
}
