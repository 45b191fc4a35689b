/*
 * Print the JSON of sample number argv[1]; status 77 if there is no such sample.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sample_run.h"

int main(int argc, char **argv)
{
	const struct hd_report_info info = { .command = "run", .replay = "heddle run -- ./bank",
					     .seconds = 0.25 };
	enum hd_err err;
	struct sample s;

	if (argc != 2 || !sample_by_number(&s, (unsigned)atoi(argv[1])))
		return 77;
	err = hd_report_json(stdout, &s.run, &info);
	sample_free(&s);
	return err ? 1 : 0;
}
