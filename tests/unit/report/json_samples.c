/*
 * Print sample number argv[1] as argv[2] says: text or a format of formats.def, with -all for the
 * candidates too. Status 77 if there is no such sample.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/formats.h"
#include "sample_run.h"

/* The text is told of the run, all others are written from its document. */
static enum hd_err print(const char *word, size_t len, const struct hd_run *run,
			 const struct hd_report_info *info)
{
	struct hd_document doc;
	enum hd_err err;

	if (len == strlen("text") && !strncmp(word, "text", len))
		return hd_report_text(stdout, run, info);
	err = hd_document_make(&doc, run, info);
	if (err)
		return err;
	err = HD_ERR_PARSE;
	for (int i = 0; i < HD_OUTPUTS; i++) {
		if (strlen(hd_formats[i].word) == len && !strncmp(hd_formats[i].word, word, len))
			err = hd_formats[i].write(stdout, &doc);
	}
	hd_document_free(&doc);
	return err;
}

int main(int argc, char **argv)
{
	struct hd_report_info info = { .command = "run",
				       .replay = "heddle run -- ./bank",
				       .seconds = 0.25,
				       .root = "/home/u" };
	const char *format = argc > 2 ? argv[2] : "json";
	size_t len = strcspn(format, "-");
	enum hd_err err;
	struct sample s;

	if (argc < 2 || !sample_by_number(&s, (unsigned)atoi(argv[1])))
		return 77;
	info.all = strstr(format, "-all") != NULL;
	info.judged = s.judged;
	err = print(format, len, &s.run, &info);
	sample_free(&s);
	return err ? 1 : 0;
}
