/*
 * What the Valgrind tool leaves: it is refused with its line, or becomes a run that can be reported
 * and groups that can be read again.
 */
#include "fuzz_common.h"

#include "correlate_reader/correlate_model.h"
#include "report/document.h"
#include "report/report.h"
#include "trace/groups.h"

static void check_groups(const struct hd_run *run, const struct hd_cr_result *r)
{
	struct hd_errbuf eb = { 0 };
	struct hd_groups once, twice;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out || hd_cr_groups(&once, run, r) != HD_OK)
		abort();
	hd_groups_write(&once, out);
	fclose(out);
	if (hd_groups_parse(&twice, text, len, "fuzz", &eb) != HD_OK)
		abort();
	hd_groups_free(&once);
	hd_groups_free(&twice);
	free(text);
}

static void check_run(const struct hd_cr_result *r)
{
	static const char *const argv[] = { "fuzz", NULL };
	const struct hd_trace_meta meta = { .argc = 1, .argv = argv };
	const struct hd_trace_end end = { .exited = 1 };
	const struct hd_report_info info = { .command = "correlate", .root = "/" };
	struct hd_document doc;
	struct hd_errbuf eb = { 0 };
	struct hd_trace *trace;
	struct hd_run run;

	if (hd_cr_run(&run, &trace, r, &meta, &end, &eb) == HD_OK) {
		check_groups(&run, r);
		if (hd_document_make(&doc, &run, &info) != HD_OK)
			abort();
		hd_document_free(&doc);
	} else if (!eb.text[0]) {
		abort();
	}
	hd_run_free(&run);
	if (trace)
		hd_trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct hd_errbuf eb = { 0 };
	struct hd_cr_result r;

	if (!text)
		abort();
	if (hd_cr_parse(&r, text, "fuzz", &eb) == HD_OK)
		check_run(&r);
	else if (!strstr(eb.text, "line ") && !strstr(eb.text, "another version"))
		abort();
	hd_cr_free(&r);
	free(text);
	return 0;
}
