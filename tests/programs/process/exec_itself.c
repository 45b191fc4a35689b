/*
 * A threaded program replaces itself by another one, which is not built for heddle.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 * EXIT: 6
 * OUTPUT: replaced
 */
#include "../program.h"

static void *stays(void *arg)
{
	sleep(1000000);
	return NULL;
}

static void *replaces(void *arg)
{
	execl("/bin/sh", "sh", "-c", "echo replaced; exit 6", (char *)NULL);
	return NULL;
}

int main(void)
{
	start(stays, NULL);
	finish(start(replaces, NULL));
	return 1;
}
