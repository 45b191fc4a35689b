/*
 * Data handed over by a message on a socket and answered by another.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 100 --seed 1..20
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <sys/socket.h>

static int data, ends[2];

static void *answer(void *arg)
{
	char byte;

	assert(recv(ends[1], &byte, 1, 0) == 1);
	data++;
	assert(send(ends[1], &byte, 1, 0) == 1);
	return NULL;
}

int main(void)
{
	pthread_t t;
	char byte = 'x';

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	t = start(answer, NULL);
	data = 41;
	assert(send(ends[0], &byte, 1, 0) == 1 && recv(ends[0], &byte, 1, 0) == 1);
	assert(data == 42);
	finish(t);
	return 0;
}
