#include "document.h"

#include <stdlib.h>
#include <string.h>

#include "baseline.h"
#include "explain.h"
#include "formats.h"
#include "printable.h"
#include "report.h"
#include "common/whole_file.h"

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

bool hd_document_counts(value *f)
{
	return !hd_json_get_bool(f, "known") && !hd_json_get_bool(f, "tolerated") &&
	       !hd_json_get_text(f, "suppressed");
}

bool hd_document_has_faults(const struct hd_document *doc)
{
	for (value *f = hd_json_items(doc->root, "findings"); f; f = f->next) {
		if (hd_document_counts(f))
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

enum hd_err hd_document_make(struct hd_document *doc, const struct hd_run *run,
			     const struct hd_report_info *info)
{
	struct hd_errbuf eb = { 0 };
	FILE *caught;
	enum hd_err err;

	*doc = (struct hd_document){ 0 };
	caught = open_memstream(&doc->json, &doc->len);
	err = caught ? hd_report_json(caught, run, info) : HD_ERR_NOMEM;
	if (caught && fclose(caught) != 0 && !err)
		err = HD_ERR_NOMEM;
	if (!err)
		err = hd_findings_parse(&doc->parsed, doc->json, doc->len, "the report", &eb);
	if (!err)
		doc->root = hd_json_root(doc->parsed);
	else
		hd_document_free(doc);
	return err;
}

enum hd_err hd_document_load(struct hd_document *doc, const char *path, struct hd_errbuf *eb)
{
	enum hd_err err;

	*doc = (struct hd_document){ 0 };
	err = hd_read_whole(path, HD_SMALL_FILE, &doc->json, &doc->len, eb);
	if (!err)
		err = hd_findings_parse(&doc->parsed, doc->json, doc->len, path, eb);
	if (!err)
		doc->root = hd_json_root(doc->parsed);
	else
		hd_document_free(doc);
	return err;
}

void hd_document_free(struct hd_document *doc)
{
	if (doc->parsed)
		hd_json_free(doc->parsed);
	free(doc->json);
	*doc = (struct hd_document){ 0 };
}

/* ---- the formats ------------------------------------------------------------------------ */

const struct hd_format hd_formats[HD_OUTPUTS] = {
#define HD_FORMAT(name, word, writer, option, report) [HD_OUTPUT_##name] = { word, writer, report },
#include "heddle/engine/formats.def"
#undef HD_FORMAT
};

enum hd_err hd_json_write(FILE *out, const struct hd_document *doc)
{
	return fwrite(doc->json, 1, doc->len, out) == doc->len ? HD_OK : HD_ERR_IO;
}
