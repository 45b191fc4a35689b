/*
 * The page for people: one file with everything in it, made from the document that --json writes
 * and the runs that it names.
 */
#include <stdlib.h>
#include <string.h>

#include "common/path.h"
#include "document.h"
#include "report.h"
#include "page_files.h"
#include "run_model.h"
#include "source_lines.h"
#include "common/whole_file.h"
#include "witness.h"

#define SOURCE_MAX  (1u << 20)	/* a larger source file is not put into the page */
#define SOURCES_MAX (16u << 20) /* nor more of them together */
#define SHOWN_MAX   1000u	/* more findings than these are counted */
#define OPEN_MAX    20u		/* more findings than these are folded at first */
#define WITNESSES_MAX                                                                              \
	200u /* runs that are drawn; of other findings, the steps that the document tells of */
#define EVENTS_MAX 400000u /* of all runs together */

typedef const struct hd_json_value value;

/* ---- escaping ------------------------------------------------------------------------ */

static void put_escaped(FILE *out, const char *s)
{
	for (; s && *s; s++) {
		if (*s == '<')
			fputs("&lt;", out);
		else if (*s == '&')
			fputs("&amp;", out);
		else if (*s == '"')
			fputs("&quot;", out);
		else
			putc(*s, out);
	}
}

/*
 * JSON within a script element, without the white space between its values. A '<' is only ever in
 * a string, where it can be written so.
 */
static void put_script_data(FILE *out, const char *id, const char *json, size_t len)
{
	bool quoted = false;

	fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
	for (size_t i = 0; i < len; i++) {
		if (json[i] == '"')
			quoted = !quoted;
		if (json[i] == '<')
			fputs("\\u003c", out);
		else if (quoted || !strchr(" \t\n\r", json[i]))
			putc(json[i], out);
		if (json[i] == '\\' && i + 1 < len) /* whatever it is, it does not end the string */
			putc(json[++i], out);
	}
	fputs("</script>\n", out);
}

/* ---- what everybody sees, without scripts, too --------------------------------------- */

/* Where the finding is; in documents of old, where its first access is. */
static value *top_of(value *f)
{
	value *site = hd_json_get(f, "site");

	return site ? site : hd_json_items(f, "accesses");
}

static void put_attribute(FILE *out, const char *name, const char *text)
{
	fprintf(out, " data-%s=\"", name);
	put_escaped(out, text ? text : "");
	putc('"', out);
}

static void put_finding(FILE *out, value *f, unsigned index, bool candidate, bool open)
{
	const char *kind = hd_json_get_text(f, "kind"), *verdict = hd_json_get_text(f, "verdict");
	const char *file = hd_base_name(hd_json_get_text(top_of(f), "file"));
	const char *title = hd_document_title(f);

	fprintf(out, "<details class=\"finding%s\" id=\"f%u\"%s", candidate ? " candidate" : "",
		index, open ? " open" : "");
	put_attribute(out, "kind", kind);
	put_attribute(out, "verdict", verdict);
	put_attribute(out, "file", file);
	fputs(">\n<summary><span class=\"verdict ", out);
	put_escaped(out, verdict);
	fputs("\">", out);
	put_escaped(out, verdict);
	fputs("</span> <span class=\"what\">", out);
	put_escaped(out, title);
	fputs(title ? ": " : "", out);
	put_escaped(out, hd_json_get_text(f, "summary"));
	fputs("</span>", out);
	if (file) {
		fputs(" <span class=\"place\">", out);
		put_escaped(out, file);
		fprintf(out, ":%llu</span>",
			(unsigned long long)hd_json_get_number(top_of(f), "line"));
	}
	fputs("</summary>\n<pre class=\"text\">", out);
	put_escaped(out, hd_json_get_text(f, "text"));
	fputs("</pre>\n</details>\n", out);
}

static void put_program(FILE *out, value *doc)
{
	for (value *word = hd_json_items(hd_json_get(doc, "program"), "argv"); word;
	     word = word->next) {
		put_escaped(out, word->text);
		if (word->next)
			putc(' ', out);
	}
}

static unsigned length(value *items)
{
	unsigned n = 0;

	for (; items; items = items->next)
		n++;
	return n;
}

static void put_header(FILE *out, value *doc)
{
	value *stats = hd_json_get(doc, "stats");
	const char *stopped = hd_json_get_text(stats, "stopped");
	unsigned n = length(hd_json_items(doc, "findings"));

	fputs("<header>\n<h1><span class=\"tool\">heddle ", out);
	put_escaped(out, hd_json_get_text(doc, "command"));
	fputs("</span> <code>", out);
	put_program(out, doc);
	fprintf(out,
		"</code></h1>\n<p id=\"totals\">%u finding%s in %llu run%s, %llu threads</p>\n", n,
		n == 1 ? "" : "s", (unsigned long long)hd_json_get_number(stats, "executions"),
		hd_json_get_number(stats, "executions") == 1 ? "" : "s",
		(unsigned long long)hd_json_get_number(stats, "threads"));
	if (stopped)
		fprintf(out, "<p id=\"stopped\">Not everything was tried: %s.</p>\n",
			hd_stopped_words(stopped));
	fputs("</header>\n", out);
}

static void put_list(FILE *out, const char *title, const char *id, value *items)
{
	if (!items && !strcmp(id, "notes"))
		return;
	fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n<ul>\n", id, title);
	for (; items; items = items->next) {
		fputs("<li>", out);
		put_escaped(out, items->text);
		fputs("</li>\n", out);
	}
	fputs("</ul>\n</section>\n", out);
}

static void put_findings(FILE *out, value *doc)
{
	unsigned index = 0, left_out = 0, shown[2] = { 0 };
	value *candidates = hd_json_items(doc, "candidates");
	/* Without scripts, and on paper, few are better open; of many, the list is. */
	bool open = length(hd_json_items(doc, "findings")) + length(candidates) <= OPEN_MAX;

	fputs("<main id=\"findings\">\n", out);
	for (value *f = hd_json_items(doc, "findings"); f; f = f->next) {
		/* A flood of races must not hide the crash that comes after it. */
		const char *kind = hd_json_get_text(f, "kind");
		bool race = kind && !strcmp(kind, hd_kind_word(HD_KIND_RACE));

		if (shown[race]++ < SHOWN_MAX)
			put_finding(out, f, index, false, open);
		else
			left_out++;
		index++;
	}
	if (left_out)
		fprintf(out,
			"<p class=\"none\">%u more findings are not shown here; --json, --sarif and "
			"--junit have all of them.</p>\n",
			left_out);
	if (!index)
		fputs("<p class=\"none\">Nothing was found.</p>\n", out);
	if (candidates)
		fputs("<h2>Candidates: possible, and not shown to fail</h2>\n", out);
	for (value *f = candidates; f; f = f->next)
		put_finding(out, f, index++, true, open);
	fputs("</main>\n", out);
}

/* ---- what scripts draw --------------------------------------------------------------- */

struct data {
	struct hd_json j;
	struct hd_texts schedules;
	struct hd_source_files files;
	uint64_t room; /* events that may still be put into the page */
	const struct hd_document *document;
	unsigned done; /* findings */
	enum hd_err err;
};

/* The first and last of the events that @f is about. */
static void range_of(value *f, uint64_t *first, uint64_t *last)
{
	*first = HD_NO_INDEX;
	*last = 0;
	for (value *a = hd_json_items(f, "accesses"); a; a = a->next) {
		value *event = hd_json_get(a, "event");
		uint64_t number = hd_json_get_number(a, "event");

		if (!event || event->kind != HD_JSON_NUMBER)
			continue;
		*first = number < *first ? number : *first;
		*last = number > *last ? number : *last;
	}
	if (*first == HD_NO_INDEX)
		*last = HD_NO_INDEX;
}

static void add_witness(struct data *d, value *f)
{
	const char *path = hd_json_get_text(f, "schedule");
	uint64_t first, last;

	d->done++;
	if (!path || d->err || d->schedules.count == WITNESSES_MAX || !d->room ||
	    hd_texts_find(&d->schedules, path, strlen(path)))
		return;
	range_of(f, &first, &last);
	if (!hd_texts_add(&d->schedules, path, strlen(path)))
		d->err = HD_ERR_NOMEM;
	else
		d->err = hd_witness_put(&d->j, path, first, last, &d->files, &d->room);
	if (d->document->tell)
		d->document->tell(d->done,
				  length(hd_json_items(d->document->root, "findings")) +
					  length(hd_json_items(d->document->root, "candidates")));
}

static void each_finding(struct data *d, value *doc, void (*take)(struct data *d, value *f))
{
	for (value *f = hd_json_items(doc, "findings"); f; f = f->next)
		take(d, f);
	for (value *f = hd_json_items(doc, "candidates"); f; f = f->next)
		take(d, f);
}

/* A line that the document quotes and that is still there vouches for its file. */
static void add_source(struct data *d, value *access)
{
	const char *file = hd_json_get_text(access, "file"),
		   *told = hd_json_get_text(access, "source");
	struct hd_frame frame = { .file = file,
				  .path = hd_json_get_text(access, "path"),
				  .line = (uint32_t)hd_json_get_number(access, "line") };
	char now[256];

	if (!file || !told || hd_source_files_have(&d->files, &frame) ||
	    !hd_source_line(&frame, now, sizeof(now)) || strncmp(now, told, sizeof(now) - 1))
		return;
	if (!hd_source_files_add(&d->files, &frame))
		d->err = HD_ERR_NOMEM;
}

static void add_sources(struct data *d, value *f)
{
	for (value *a = hd_json_items(f, "accesses"); a; a = a->next)
		add_source(d, a);
}

static void put_sources(struct data *d)
{
	size_t total = 0;

	for (size_t i = 0; i < d->files.names.count; i++) {
		struct hd_errbuf eb;
		char *text;
		size_t len;

		if (hd_read_whole(d->files.paths[i], HD_SMALL_FILE, &text, &len, &eb) != HD_OK)
			continue;
		if (len <= SOURCE_MAX && total + len <= SOURCES_MAX) {
			hd_json_str(&d->j, d->files.names.texts[i], text);
			total += len;
		}
		free(text);
	}
}

static void put_witnesses(struct data *d, value *doc)
{
	each_finding(d, doc, add_witness);
}

static void put_source_files(struct data *d, value *doc)
{
	each_finding(d, doc, add_sources);
	put_sources(d);
}

/* An object that @fill makes, as data of the page. */
static void put_data(FILE *out, struct data *d, const char *id, value *doc,
		     void (*fill)(struct data *d, value *doc))
{
	char *text = NULL;
	size_t len = 0;
	FILE *caught = open_memstream(&text, &len);

	if (!caught) {
		d->err = HD_ERR_NOMEM;
		return;
	}
	hd_json_init(&d->j, caught);
	hd_json_open(&d->j, NULL, '{');
	fill(d, doc);
	hd_json_close(&d->j, '}');
	if (fclose(caught) != 0)
		d->err = HD_ERR_NOMEM;
	else
		put_script_data(out, id, text, len);
	free(text);
}

/* ---- the page ------------------------------------------------------------------------ */

enum hd_err hd_html_write(FILE *out, const struct hd_document *document)
{
	struct data d = { .document = document, .room = EVENTS_MAX };
	value *doc = document->root;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>heddle: ",
	      out);
	put_program(out, doc);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", hd_page_css);
	put_header(out, doc);
	put_findings(out, doc);
	put_list(out, "Notes", "notes", hd_json_items(doc, "notes"));
	put_script_data(out, "document", document->json, document->len);
	put_data(out, &d, "witnesses", doc, put_witnesses);
	put_data(out, &d, "sources", doc, put_source_files);
	fprintf(out, "<script>\n%s</script>\n</body>\n</html>\n", hd_page_js);
	hd_texts_free(&d.schedules);
	hd_source_files_free(&d.files);
	fflush(out);
	return d.err ? d.err : ferror(out) ? HD_ERR_IO : HD_OK;
}
