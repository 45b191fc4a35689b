/*
 * A failed assertion is an assertion, once, and not a crash as well; the other thread
 * is shown where it is.
 *
 * RUN: run --seed 1..10
 * EXPECT: assertion 1 + 1 == 3 @checker:HERE @main
 * EXIT: SIGABRT
 * NEVER: crash
 */
#include "../program.h"

static void *checker(void *arg)
{
	assert(1 + 1 == 3); /* HERE */
	return NULL;
}

int main(void)
{
	finish(start(checker, NULL));
	return 0;
}
