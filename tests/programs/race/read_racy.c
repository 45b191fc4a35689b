/*
 * The kernel fills a buffer for one thread while another looks into it.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'buffer[ @receive @main
 */
#include "../program.h"

static char buffer[8];
static int ends[2];

static void *receive(void *arg)
{
	assert(read(ends[0], buffer, sizeof(buffer)) == 5);
	return NULL;
}

int main(void)
{
	pthread_t t;
	int seen;

	assert(pipe(ends) == 0);
	t = start(receive, NULL);
	assert(write(ends[1], "hello", 5) == 5);
	seen = buffer[4];
	finish(t);
	return seen > 'o';
}
