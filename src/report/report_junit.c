/*
 * The report for build servers: JUnit's XML, a test suite for the run and a test case
 * for each finding, made from the document of --json.
 */
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "printable.h"
#include "report.h"

typedef const struct hd_json_value value;

struct suite {
	FILE *out;
	size_t tests, skipped;
	bool no_memory;
};

/*
 * Text within elements and attributes. XML has no way to write control characters, nor
 * U+FFFE and U+FFFF; printable text has none of the former.
 */
static void put_xml(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '<')
			fputs("&lt;", out);
		else if (*s == '>')
			fputs("&gt;", out);
		else if (*s == '&')
			fputs("&amp;", out);
		else if (*s == '"')
			fputs("&quot;", out);
		else if (!strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3)) {
			fputs("\\uffff", out);
			s += 2;
		} else {
			putc(*s, out);
		}
	}
}

typedef void put_fn(FILE *out, value *v);

/* What @put writes, made fit for XML. */
static void put_escaped(struct suite *s, put_fn *put, value *v)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out) {
		s->no_memory = true;
		return;
	}
	put(out, v);
	if (fclose(out) != 0 || !text)
		s->no_memory = true;
	else
		put_xml(s->out, text);
	free(text);
}

static void put_body(FILE *out, value *f)
{
	hd_put_printable_text(out, hd_json_get_text(f, "text"));
}

/* Title and place: what a server shows in its list, the same in every run. */
static void put_name(FILE *out, value *f)
{
	const char *title = hd_json_get_text(f, "title"), *kind = hd_json_get_text(f, "kind");
	value *site = hd_json_get(f, "site");

	hd_put_printable(out, title ? title : kind);
	if (site && site->kind == HD_JSON_OBJECT) {
		putc(' ', out);
		hd_document_put_site(out, f);
	}
}

static void put_kind(FILE *out, value *f)
{
	hd_put_printable(out, hd_json_get_text(f, "kind"));
}

static void put_id(FILE *out, value *f)
{
	hd_put_printable(out, hd_json_get_text(f, "id"));
}

static void put_suppression(FILE *out, value *f)
{
	hd_put_printable(out, hd_json_get_text(f, "suppressed"));
}

static void put_program(FILE *out, value *doc)
{
	value *name = hd_json_items(hd_json_get(doc, "program"), "argv");

	fputs("heddle ", out);
	hd_put_printable(out, hd_json_get_text(doc, "command"));
	if (name && name->kind == HD_JSON_STRING) {
		putc(' ', out);
		hd_put_printable(out, name->text);
	}
}

static bool is_skipped(value *f, bool candidate)
{
	return candidate || !hd_document_counts(f);
}

static void count(void *ctx, value *f, bool candidate)
{
	struct suite *s = ctx;

	s->tests++;
	s->skipped += is_skipped(f, candidate);
}

static void put_case(void *ctx, value *f, bool candidate)
{
	struct suite *s = ctx;

	fputs("    <testcase classname=\"heddle.", s->out);
	put_escaped(s, put_kind, f);
	fputs("\" name=\"", s->out);
	put_escaped(s, put_name, f);
	fputs(" [", s->out);
	put_escaped(s, put_id, f);
	fputs("]\" time=\"0\">\n", s->out);
	if (hd_json_get_text(f, "suppressed")) {
		fputs("      <skipped message=\"suppressed by ", s->out);
		put_escaped(s, put_suppression, f);
		fputs("\"/>\n", s->out);
	} else if (is_skipped(f, candidate)) {
		fprintf(s->out, "      <skipped message=\"%s: ",
			hd_json_get_bool(f, "known")	   ? "known"
			: hd_json_get_bool(f, "tolerated") ? "tolerated"
							   : "candidate");
		put_escaped(s, hd_document_put_headline, f);
		fputs("\"/>\n", s->out);
	} else {
		fputs("      <failure type=\"", s->out);
		put_escaped(s, put_kind, f);
		fputs("\" message=\"", s->out);
		put_escaped(s, hd_document_put_headline, f);
		fputs("\">", s->out);
		put_escaped(s, put_body, f);
		fputs("</failure>\n", s->out);
	}
	fputs("    </testcase>\n", s->out);
}

static void put_drops(FILE *out, value *drops)
{
	for (value *drop = drops->first; drop; drop = drop->next) {
		fputs(drop == drops->first ? "drops: " : ", ", out);
		hd_put_printable(out, drop->key);
		fprintf(out, " %s", drop->kind == HD_JSON_NUMBER ? drop->text : "");
	}
}

/* A server shows what was not tried to the end as skipped, not as passed; faults that nobody can show as failed. */
static void put_nothing_found(struct suite *s, const char *stopped)
{
	fputs("    <testcase classname=\"heddle\" name=\"no findings\" time=\"0\"", s->out);
	if (!stopped) {
		fputs("/>\n", s->out);
		return;
	}
	fprintf(s->out, ">\n      <%s message=\"not everything was tried: ",
		hd_stopped_unshown(stopped) ? "failure" : "skipped");
	put_xml(s->out, hd_stopped_words(stopped));
	fputs("\"/>\n    </testcase>\n", s->out);
}

enum hd_err hd_junit_write(FILE *out, const struct hd_document *doc)
{
	struct suite s = { .out = out };
	const char *stopped = hd_document_stopped(doc);
	bool unshown = hd_stopped_unshown(stopped);
	value *drops = hd_json_get(doc->root, "drops");
	value *seconds = hd_json_get(hd_json_get(doc->root, "stats"), "seconds");

	hd_document_each(doc, count, &s);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
	      "  <testsuite name=\"",
	      out);
	put_escaped(&s, put_program, doc->root);
	fprintf(out,
		"\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" "
		"time=\"%s\">\n",
		s.tests ? s.tests : 1, s.tests ? s.tests - s.skipped : unshown,
		s.tests ? s.skipped : stopped && !unshown,
		seconds && seconds->kind == HD_JSON_NUMBER ? seconds->text : "0");
	if (!s.tests)
		put_nothing_found(&s, stopped);
	hd_document_each(doc, put_case, &s);
	if (drops && drops->kind == HD_JSON_OBJECT && drops->first) {
		fputs("    <system-out>", out);
		put_escaped(&s, put_drops, drops);
		fputs("</system-out>\n", out);
	}
	fputs("  </testsuite>\n</testsuites>\n", out);
	fflush(out);
	return s.no_memory ? HD_ERR_NOMEM : ferror(out) ? HD_ERR_IO : HD_OK;
}
