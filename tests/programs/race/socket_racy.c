/*
 * The message is sent before the data is written.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'data' @produce @main
 */
#include "../program.h"
#include <sys/socket.h>

static int ends[2];
int data; /* not static: the compiler must not know all its values */

static void *produce(void *arg)
{
	assert(send(ends[1], "x", 1, 0) == 1);
	data = 42;
	return NULL;
}

int main(void)
{
	pthread_t t;
	char byte;
	int seen;

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	t = start(produce, NULL);
	assert(recv(ends[0], &byte, 1, 0) == 1);
	seen = data;
	finish(t);
	return seen < 0;
}
