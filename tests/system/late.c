/*
 * late [FILE]: does not come to its main if there is no file, or if it is the second process that has written to it.
 * Every second execution is shorter.
 */
#include "counted_outside.h"

static void begin(int argc, char **argv, char **env)
{
	(void)env;
	while (argc < 2 || append(argv[1]) == 2)
		pause();
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	rounds = executions(argv[1]) % 2 ? 20 : 2;
	add_in_two_threads();
	return 0;
}
