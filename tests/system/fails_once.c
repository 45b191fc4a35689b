/*
 * fails_once FILE [always|differs]: an assertion fails if this is the first process of all, or always. "differs": every
 * second execution is shorter.
 */
#include "counted_outside.h"

#include <assert.h>
#include <string.h>

static int is_first;

static void begin(int argc, char **argv, char **env)
{
	(void)env;
	is_first = argc > 1 && append(argv[1]) == 1;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";

	if (argc < 2)
		return 2;
	if (!strcmp(how, "differs"))
		rounds = executions(argv[1]) % 2 ? 20 : 2;
	add_in_two_threads();
	assert(!is_first && strcmp(how, "always"));
	return 0;
}
