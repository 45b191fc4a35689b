/*
 * Print sample number argv[1] as argv[2] says: json, text, sarif or junit, with -all for the
 * candidates too. Status 77 if there is no such sample.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample_run.h"

static const struct {
	const char *word;
	enum hd_err (*write)(FILE *out, const struct hd_run *run,
			     const struct hd_report_info *info);
} formats[] = {
	{ "json", hd_report_json },
	{ "text", hd_report_text },
	{ "sarif", hd_report_sarif },
	{ "junit", hd_report_junit },
};

int main(int argc, char **argv)
{
	struct hd_report_info info = { .command = "run", .replay = "heddle run -- ./bank",
				       .seconds = 0.25, .root = "/home/u" };
	const char *format = argc > 2 ? argv[2] : "json";
	size_t len = strcspn(format, "-"), i = 0;
	enum hd_err err;
	struct sample s;

	if (argc < 2 || !sample_by_number(&s, (unsigned)atoi(argv[1])))
		return 77;
	while (i < 3 && (strlen(formats[i].word) != len || strncmp(formats[i].word, format, len)))
		i++;
	info.all = strstr(format, "-all") != NULL;
	info.judged = s.judged;
	err = formats[i].write(stdout, &s.run, &info);
	sample_free(&s);
	return err ? 1 : 0;
}
