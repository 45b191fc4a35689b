/*
 * The report for pull requests and job summaries: a status, a table, and what is told of each finding
 * folded away below it, in Markdown as GitHub and GitLab read it.
 *
 * What comes from the program stands in code, where a name can neither draw, link nor call anybody.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "printable.h"
#include "report.h"

#define ROWS_MAX 50u	/* of the table */
#define ROOM_MAX 60000u /* bytes of details: a comment on GitHub has room for 65,536 characters */

typedef const struct hd_json_value value;

struct page {
	FILE *out;
	size_t counted; /* findings that count */
	size_t shown, left_out;
	size_t room;
	bool no_memory;
};

typedef void put_fn(FILE *out, value *v);

/* What @put writes; NULL: no memory. */
static char *caught(struct page *p, put_fn *put, value *v)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (out)
		put(out, v);
	if (out && fclose(out) == 0 && text)
		return text;
	p->no_memory = true;
	free(text);
	return NULL;
}

/* ---- code ------------------------------------------------------------------------------ */

/* Stands for itself in Markdown and in HTML, whatever is around it. */
static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c & 0x80) || strchr(" '(),-+=;%/", c);
}

/* Code where Markdown may or may not be read: within HTML, it is not. */
static void put_spelled(FILE *out, const char *text)
{
	fputs("<code>", out);
	for (; *text; text++) {
		if (is_plain(*text))
			putc(*text, out);
		else
			fprintf(out, "&#%d;", *text);
	}
	fputs("</code>", out);
}

/*
 * A line of code in a table. Between backticks everything stands for itself but a backtick; and in a
 * table a bar ends the cell, which a backslash prevents unless another one is before it.
 */
static void put_code(FILE *out, const char *text)
{
	if (strpbrk(text, "`|\\"))
		put_spelled(out, text);
	else if (*text)
		fprintf(out, "`%s`", text);
}

typedef void put_text_fn(FILE *out, const char *text);

static void put_code_of(struct page *p, put_text_fn *put_text, put_fn *put, value *v)
{
	char *text = caught(p, put, v);

	if (text)
		put_text(p->out, text);
	free(text);
}

/* Lines of code, between fences that are longer than any in them. */
static void put_block(FILE *out, const char *language, const char *text)
{
	size_t fence = 3, run = 0, len = strlen(text);

	for (const char *c = text; *c; c++) {
		run = *c == '`' ? run + 1 : 0;
		fence = run >= fence ? run + 1 : fence;
	}
	for (size_t i = 0; i < fence; i++)
		putc('`', out);
	fprintf(out, "%s\n%s%s", language, text, len && text[len - 1] == '\n' ? "" : "\n");
	for (size_t i = 0; i < fence; i++)
		putc('`', out);
	putc('\n', out);
}

/* ---- parts of a finding ---------------------------------------------------------------- */

static void put_verdict(FILE *out, value *f)
{
	hd_put_printable(out, hd_json_get_text(f, "verdict"));
}

static void put_body(FILE *out, value *f)
{
	hd_put_printable_text(out, hd_json_get_text(f, "text"));
}

static void put_replay(FILE *out, value *f)
{
	hd_put_printable(out, hd_json_get_text(f, "replay"));
}

static bool counts(value *f, bool candidate)
{
	return !candidate && hd_document_counts(f);
}

static void count(void *ctx, value *f, bool candidate)
{
	struct page *p = ctx;

	p->counted += counts(f, candidate);
}

static void put_row(void *ctx, value *f, bool candidate)
{
	struct page *p = ctx;

	if (!counts(f, candidate) || p->shown++ >= ROWS_MAX)
		return;
	fprintf(p->out, "| %zu | ", p->shown);
	put_code_of(p, put_code, hd_document_put_headline, f);
	fputs(" | ", p->out);
	put_code_of(p, put_code, hd_document_put_site, f);
	fputs(" | ", p->out);
	put_code_of(p, put_code, put_verdict, f);
	fputs(" |\n", p->out);
}

static void put_part(struct page *p, FILE *out, const char *language, put_fn *put, value *f)
{
	char *text = caught(p, put, f);

	if (text && *text) {
		putc('\n', out);
		put_block(out, language, text);
	}
	free(text);
}

/* They are folded, and left out where there is no room. */
static void put_details(void *ctx, value *f, bool candidate)
{
	struct page *p = ctx, inner = *p;
	char *text = NULL;
	size_t len = 0;

	if (!counts(f, candidate))
		return;
	p->shown++;
	inner.out = open_memstream(&text, &len);
	if (!inner.out) {
		p->no_memory = true;
		return;
	}
	fprintf(inner.out, "\n<details>\n<summary>%zu: ", p->shown);
	put_code_of(&inner, put_spelled, hd_document_put_headline, f);
	fputs("</summary>\n", inner.out);
	put_part(p, inner.out, "text", put_body, f);
	put_part(p, inner.out, "sh", put_replay, f);
	fputs("\n</details>\n", inner.out);
	p->no_memory |= inner.no_memory;
	if (fclose(inner.out) != 0) {
		p->no_memory = true;
	} else if (p->left_out || len > p->room) { /* in order: none after one that did not fit */
		p->left_out++;
	} else {
		p->room -= len;
		fputs(text, p->out);
	}
	free(text);
}

/* ---- the whole ------------------------------------------------------------------------- */

static void put_command(FILE *out, value *doc)
{
	value *word = hd_json_items(hd_json_get(doc, "program"), "argv");

	fputs("heddle ", out);
	hd_put_printable(out, hd_json_get_text(doc, "command"));
	for (; word; word = word->next) {
		if (word->kind == HD_JSON_STRING) {
			putc(' ', out);
			hd_put_shell_word(out, word->text);
		}
	}
}

static void put_stopped(FILE *out, value *doc)
{
	const char *stopped = hd_json_get_text(hd_json_get(doc, "stats"), "stopped");

	hd_put_printable(out, hd_stopped_words(stopped));
}

/* What is true of the whole: nothing found is worth as much as was tried. */
static void put_status(struct page *p, const struct hd_document *doc)
{
	const char *stopped = hd_document_stopped(doc);

	if (p->counted)
		fprintf(p->out, "### Heddle: %zu finding%s\n", p->counted,
			p->counted > 1 ? "s" : "");
	else if (hd_stopped_unshown(stopped))
		fputs("### Heddle: faults were met, but none is shown\n", p->out);
	else
		fprintf(p->out, "### Heddle: no findings%s\n",
			stopped ? ", but it stopped early" : "");
	if (stopped) {
		fputs("\nNot everything was tried: ", p->out);
		put_code_of(p, put_code, put_stopped, doc->root);
		fputs(".\n", p->out);
	}
}

static void put_count(FILE *out, const char **before, uint64_t n, const char *what)
{
	if (!n)
		return;
	fprintf(out, "%s%" PRIu64 " %s", *before, n, what);
	*before = ", ";
}

static void put_drop(FILE *out, value *drop)
{
	hd_put_printable(out, drop->key);
	fprintf(out, " %s", drop->text);
}

/* What the status does not count, and what nobody saw. */
static void put_uncounted(struct page *p, const struct hd_document *doc)
{
	value *stats = hd_json_get(doc->root, "stats"), *drops = hd_json_get(doc->root, "drops");
	const char *before = "\nNot counted: ";

	put_count(p->out, &before, hd_json_get_number(stats, "known"), "known");
	put_count(p->out, &before, hd_json_get_number(stats, "suppressed"), "suppressed");
	put_count(p->out, &before, hd_json_get_number(stats, "candidates"), "not confirmed");
	fputs(*before == ',' ? ".\n" : "", p->out);
	before = "\nNot recorded: ";
	for (value *drop = drops ? drops->first : NULL; drop; drop = drop->next) {
		if (drop->kind != HD_JSON_NUMBER || !drop->key)
			continue;
		fputs(before, p->out);
		put_code_of(p, put_code, put_drop, drop);
		before = ", ";
	}
	fputs(*before == ',' ? ".\n" : "", p->out);
}

static void put_findings(struct page *p, const struct hd_document *doc)
{
	fputs("\n| # | finding | where | verdict |\n| ---: | --- | --- | --- |\n", p->out);
	hd_document_each(doc, put_row, p);
	if (p->shown > ROWS_MAX)
		fprintf(p->out, "\nAnd %zu more.\n", p->shown - ROWS_MAX);
	p->shown = 0;
	hd_document_each(doc, put_details, p);
	if (p->left_out)
		fprintf(p->out, "\nThe details of %zu more do not fit in here.\n", p->left_out);
}

enum hd_err hd_markdown_write(FILE *out, const struct hd_document *doc)
{
	struct page p = { .out = out, .room = ROOM_MAX };
	value *stats = hd_json_get(doc->root, "stats");
	uint64_t executions = hd_json_get_number(stats, "executions");

	hd_document_each(doc, count, &p);
	put_status(&p, doc);
	putc('\n', out);
	put_code_of(&p, put_code, put_command, doc->root);
	fprintf(out, ": %" PRIu64 " execution%s\n", executions, executions == 1 ? "" : "s");
	if (p.counted)
		put_findings(&p, doc);
	put_uncounted(&p, doc);
	fflush(out);
	return p.no_memory ? HD_ERR_NOMEM : ferror(out) ? HD_ERR_IO : HD_OK;
}
