/*
 * A program's exit status is passed on in the report and is no finding.
 *
 * ARGS: "two words" last
 * RUN: run --seed 1..3
 * EXPECT: clean
 * EXIT: 23
 * OUTPUT: two words/last
 */
#include "../program.h"

static void *nothing(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	assert(argc == 3);
	printf("%s/%s\n", argv[1], argv[2]);
	finish(start(nothing, NULL));
	return 23;
}
