#include "result.h"

#include <stdlib.h>
#include <string.h>

#include "common/json_in.h"
#include "report/baseline.h"

struct hd_result {
	enum hd_status status;
	char *document;
	struct hd_json_doc *doc; /* the texts of the lines are its */
	struct hd_finding_line *lines;
	size_t n;
};

static struct hd_finding_line line_of(const struct hd_json_value *f)
{
	const struct hd_json_value *first = hd_json_items(f, "accesses");

	return (struct hd_finding_line){
		.id = hd_json_get_text(f, "id"),
		.kind = hd_json_get_text(f, "kind"),
		.verdict = hd_json_get_text(f, "verdict"),
		.summary = hd_json_get_text(f, "summary"),
		.variable = hd_json_get_text(f, "variable"),
		.replay = hd_json_get_text(f, "replay"),
		.file = hd_json_get_text(first, "file"),
		.line = (unsigned)hd_json_get_number(first, "line"),
	};
}

enum hd_err hd_result_new(struct hd_result **out, enum hd_status status, char *document)
{
	struct hd_result *r = calloc(1, sizeof(*r));
	struct hd_errbuf eb = { 0 };
	const struct hd_json_value *f;
	enum hd_err err;

	if (!r) {
		free(document);
		return hd_error(HD_ERR_NOMEM, "out of memory");
	}
	r->status = status;
	r->document = document;
	err = hd_json_parse(&r->doc, document, strlen(document), "the findings", &eb);
	if (err) {
		hd_result_free(r);
		return hd_error(err, "%s", eb.text);
	}
	f = hd_json_items(hd_json_root(r->doc), "findings");
	for (const struct hd_json_value *g = f; g; g = g->next)
		r->n++;
	r->lines = calloc(r->n + 1, sizeof(*r->lines));
	if (!r->lines) {
		hd_result_free(r);
		return hd_error(HD_ERR_NOMEM, "out of memory");
	}
	for (size_t i = 0; i < r->n; i++, f = f->next)
		r->lines[i] = line_of(f);
	*out = r;
	return HD_OK;
}

enum hd_status hd_result_status(const struct hd_result *r)
{
	return r->status;
}

size_t hd_result_count(const struct hd_result *r)
{
	return r->n;
}

const struct hd_finding_line *hd_result_finding(const struct hd_result *r, size_t i)
{
	return i < r->n ? &r->lines[i] : NULL;
}

const char *hd_result_json(const struct hd_result *r)
{
	return r->document;
}

void hd_result_free(struct hd_result *r)
{
	if (!r)
		return;
	if (r->doc)
		hd_json_free(r->doc);
	free(r->lines);
	free(r->document);
	free(r);
}
