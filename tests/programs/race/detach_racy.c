/*
 * Nothing orders a detached thread and its creator.
 *
 * RUN: run --seed 1..5
 * EXPECT: race 'x' @child @main
 */
#include "../program.h"

static int x;

static void *child(void *arg)
{
	x++;
	return NULL;
}

int main(void)
{
	pthread_detach(start(child, NULL));
	x++;
	pthread_exit(NULL);
}
