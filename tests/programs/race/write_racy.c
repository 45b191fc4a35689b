/*
 * The kernel reads a buffer for one thread while another changes it.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'buffer[ @send @main
 */
#include "../program.h"

static char buffer[8] = "hello";
static int ends[2];

static void *send(void *arg)
{
	assert(write(ends[1], buffer, 5) == 5);
	return NULL;
}

int main(void)
{
	pthread_t t;

	assert(pipe(ends) == 0);
	t = start(send, NULL);
	buffer[0] = 'j';
	finish(t);
	return 0;
}
