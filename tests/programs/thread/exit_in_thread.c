/*
 * exit() in a thread that is not main ends the process, with its status and with
 * what the program registered by atexit.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * EXIT: 7
 * OUTPUT: goodbye
 */
#include "../program.h"

static void goodbye(void)
{
	puts("goodbye");
}

static void *leave(void *arg)
{
	exit(7);
}

int main(void)
{
	atexit(goodbye);
	finish(start(leave, NULL));
	return 1;
}
