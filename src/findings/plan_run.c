#include "plan_run.h"

#include <stdlib.h>
#include <string.h>

#include "launch/launch.h"
#include "symbols/symbols.h"

int hd_plan_options(struct hd_cli_options *o)
{
	int rc = hd_cli_options_set_key(o, "switch-at", "accesses", "a plan");

	if (rc == HD_GO_ON)
		rc = hd_cli_options_set_key(o, "exact", "1", "a plan");
	if (rc == HD_GO_ON)
		rc = hd_cli_options_set_key(o, "wide", "1", "a plan");
	return rc;
}

static bool same_arguments(const struct hd_schedule *s, char **argv, int argc)
{
	if (argc != s->argc)
		return false;
	/* The program itself may be called by another name. */
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], s->argv[i]))
			return false;
	}
	return true;
}

int hd_plan_check_program(const struct hd_plan *p, const char *path, char **argv, int argc)
{
	char now[HD_BUILD_ID_MAX], *file;

	if (p->run.argc && !same_arguments(&p->run, argv, argc))
		return hd_die(HD_EXIT_USAGE,
			      "the plan '%s' was made for other arguments; --force follows it all the "
			      "same",
			      path);
	file = hd_program_path(argv[0]);
	if (!file)
		return hd_find_program(argv[0]); /* which says what is wrong */
	if (p->build_id && hd_symbols_build_id(file, now) && strcmp(now, p->build_id)) {
		free(file);
		return hd_die(HD_EXIT_USAGE,
			      "'%s' is not the program that the plan '%s' was made for, or has been "
			      "built anew; --force follows it all the same",
			      argv[0], path);
	}
	free(file);
	return HD_GO_ON;
}

int hd_plan_check_after(const char *after)
{
	const char *p = after;

	if (!after || !strcmp(after, "random"))
		return HD_GO_ON;
	if (!strncmp(p, "first:", 6))
		p += 6;
	else if (!strncmp(p, "last:", 5))
		p += 5;
	else
		p = "";
	p += *p == 'T';
	if (*p >= '1' && *p <= '9' && strlen(p) < 10 && strspn(p, "0123456789") == strlen(p))
		return HD_GO_ON;
	return hd_die(HD_EXIT_USAGE, "--after must be first:T, last:T with a thread's number, or random, "
		      "not '%s'", after);
}
