#include "document.h"

#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "explain.h"
#include "printable.h"
#include "report.h"

typedef const struct hd_json_value value;

void hd_document_each(const struct hd_document *doc, hd_finding_taker *take, void *ctx)
{
	for (value *f = hd_json_items(doc->root, "findings"); f; f = f->next)
		take(ctx, f, false);
	for (value *f = hd_json_items(doc->root, "candidates"); f; f = f->next)
		take(ctx, f, true);
	for (value *f = hd_json_items(doc->root, "suppressed"); f; f = f->next)
		take(ctx, f, false);
}

const char *hd_document_stopped(const struct hd_document *doc)
{
	return hd_json_get_text(hd_json_get(doc->root, "stats"), "stopped");
}

bool hd_document_has_faults(const struct hd_document *doc)
{
	for (value *f = hd_json_items(doc->root, "findings"); f; f = f->next) {
		if (!hd_json_get_bool(f, "known") && !hd_json_get_text(f, "suppressed"))
			return true;
	}
	return false;
}

void hd_document_put_site(FILE *out, const struct hd_json_value *f)
{
	value *site = hd_json_get(f, "site");
	struct hd_frame frame = {
		.function = hd_json_get_text(site, "function"),
		.file = hd_json_get_text(site, "file"),
		.line = (uint32_t)hd_json_get_number(site, "line"),
		.module = hd_json_get_text(site, "module"),
		.offset = hd_json_get_number(site, "offset"),
	};

	if (site && site->kind == HD_JSON_OBJECT)
		hd_put_site(out, &frame);
}

const char *hd_document_title(const struct hd_json_value *f)
{
	const char *title = hd_json_get_text(f, "title"), *text = hd_json_get_text(f, "summary");

	return title && text && !strncmp(text, title, strlen(title)) ? NULL : title;
}

void hd_document_put_headline(FILE *out, const struct hd_json_value *f)
{
	const char *title = hd_document_title(f);

	if (title) {
		hd_put_printable(out, title);
		fputs(": ", out);
	}
	hd_put_printable(out, hd_json_get_text(f, "summary"));
}

/* The document of @run, made in memory, as @write has it. */
static enum hd_err write_run(FILE *out, const struct hd_run *run,
			     const struct hd_report_info *info, hd_document_writer *write)
{
	struct hd_errbuf eb = { 0 };
	struct hd_json_doc *doc;
	char *text = NULL;
	size_t len = 0;
	FILE *caught = open_memstream(&text, &len);
	enum hd_err err = caught ? hd_report_json(caught, run, info) : HD_ERR_NOMEM;

	if (caught && fclose(caught) != 0 && !err)
		err = HD_ERR_NOMEM;
	if (!err)
		err = hd_findings_parse(&doc, text, len, "the report", &eb);
	if (!err) {
		err = write(out, &(struct hd_document){ .root = hd_json_root(doc), .json = text, .len = len });
		hd_json_free(doc);
	}
	free(text);
	return err;
}

enum hd_err hd_report_html(FILE *out, const struct hd_run *run, const struct hd_report_info *info)
{
	return write_run(out, run, info, hd_html_write);
}

enum hd_err hd_report_sarif(FILE *out, const struct hd_run *run, const struct hd_report_info *info)
{
	return write_run(out, run, info, hd_sarif_write);
}

enum hd_err hd_report_junit(FILE *out, const struct hd_run *run, const struct hd_report_info *info)
{
	return write_run(out, run, info, hd_junit_write);
}
