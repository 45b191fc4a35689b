#include "plan_run.h"

#include <stdlib.h>
#include <string.h>

#include "launch/launch.h"
#include "symbols/symbols.h"

void hd_plan_options(struct hd_run_config *run)
{
	run->switch_at = HD_AT_ACCESSES;
	run->exact = run->wide = true;
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

enum hd_err hd_plan_check_program(const struct hd_plan *p, const char *path, char **argv, int argc)
{
	char now[HD_BUILD_ID_MAX], *file;

	if (p->run.argc && !same_arguments(&p->run, argv, argc))
		return hd_error(HD_ERR_REQUEST,
				"the plan '%s' was made for other arguments; --force follows it "
				"anyway",
				path);
	file = hd_program_path(argv[0]);
	if (!file)
		return hd_find_program(argv[0]); /* which says what is wrong */
	if (p->build_id && hd_symbols_build_id(file, now) && strcmp(now, p->build_id)) {
		free(file);
		return hd_error(
			HD_ERR_REQUEST,
			"'%s' is not the program that the plan '%s' was made for, or has been "
			"built anew; --force follows it anyway",
			argv[0], path);
	}
	free(file);
	return HD_OK;
}

enum hd_err hd_plan_check_after(const char *after)
{
	const char *p = after;

	if (!after || !strcmp(after, "random"))
		return HD_OK;
	if (!strncmp(p, "first:", 6))
		p += 6;
	else if (!strncmp(p, "last:", 5))
		p += 5;
	else
		p = "";
	p += *p == 'T';
	if (*p >= '1' && *p <= '9' && strlen(p) < 10 && strspn(p, "0123456789") == strlen(p))
		return HD_OK;
	return hd_error(HD_ERR_REQUEST,
			"--after must be first:T, last:T with a thread's number, or random, "
			"not '%s'",
			after);
}
