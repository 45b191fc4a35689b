/*
 * main leaves by pthread_exit: the others go on, and the process ends with 0 when
 * the last thread does.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * EXIT: 0
 * OUTPUT: still here
 */
#include "../program.h"

static void *go_on(void *arg)
{
	sleep(5);
	puts("still here");
	return (void *)3;
}

int main(void)
{
	start(go_on, NULL);
	start(go_on, NULL);
	pthread_exit((void *)1);
}
