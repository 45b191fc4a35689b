/*
 * heddle report: what was found, from the document that --json wrote, in another form.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "common/clock.h"
#include "common/listener.h"
#include "progress.h"
#include "report/baseline.h"
#include "report/document.h"
#include "report/report.h"
#include "report/printable.h"
#include "report/whole_file.h"

static hd_document_writer write_text;

static const struct format {
	const char *option;
	hd_document_writer *write;
} formats[] = {
	{ "--text", write_text },
	{ "--html", hd_html_write },
	{ "--sarif", hd_sarif_write },
	{ "--junit", hd_junit_write },
};
#define NFORMATS (sizeof(formats) / sizeof(formats[0]))

struct options {
	const char *file, *out;
	const struct format *format;
};

static int help(void)
{
	fputs("usage: heddle report FINDINGS.json [--text|--html|--sarif|--junit] [-o FILE]\n\n"
	      "Reads what --json of another command wrote, and writes it in another form: the one that\n"
	      "the command itself would have written. Of --html, the schedules and source files are\n"
	      "looked for where the document says they are.\n\n"
	      "options:\n"
	      "  --text\n"
	      "        the findings as the other commands tell them (default)\n"
	      "  --html\n"
	      "        a page for a browser, in which the runs are drawn; needs no network\n"
	      "  --sarif\n"
	      "        a log in SARIF 2.1.0, for code hosts\n"
	      "  --junit\n"
	      "        a test suite in JUnit's XML, for build servers\n"
	      "  -o, --output FILE\n"
	      "        write to FILE instead of standard output\n\n"
	      "Exit status: 0 nothing found, 1 findings, 2 the command or its input was wrong,\n"
	      "3 heddle itself failed, 4 nothing found, but not everything was tried.\n\n"
	      "example:\n"
	      "  heddle check --json bank.json -- ./bank\n"
	      "  heddle report bank.json --html -o bank.html\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

static const struct format *format_of(const char *word)
{
	for (size_t i = 0; i < NFORMATS; i++) {
		if (!strcmp(word, formats[i].option))
			return &formats[i];
	}
	return NULL;
}

static int no_such_option(const char *word)
{
	static const char *const words[] = { "--text", "--html", "--sarif", "--junit", "--output", NULL };
	const char *meant = hd_did_you_mean(word, words);

	if (meant)
		return hd_usage("there is no option '%s'; did you mean '%s'?", word, meant);
	return hd_usage("there is no option '%s'; --help lists them", word);
}

/* HD_EXIT_CLEAN, or an exit status after a message. */
static int parse(struct options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		const struct format *format = format_of(word);

		if (format && o->format && format != o->format)
			return hd_usage("one form at a time: %s or %s?",
				      o->format->option, word);
		if (format)
			o->format = format;
		else if ((!strcmp(word, "-o") || !strcmp(word, "--output")) && i + 1 < argc)
			o->out = argv[++i];
		else if (word[0] == '-' && word[1])
			return no_such_option(word);
		else if (o->file)
			return hd_usage("one document at a time: '%s' or '%s'?",
				      o->file, word);
		else
			o->file = word;
	}
	if (!o->file)
		return hd_usage("which findings? `heddle report FINDINGS.json --html`");
	if (!o->format)
		o->format = &formats[0];
	return HD_EXIT_CLEAN;
}

static void tell(void *ctx, const struct hd_json_value *f, bool candidate)
{
	const char *text = hd_json_get_text(f, "text");

	if (hd_json_get_text(f, "suppressed"))
		return;
	hd_put_printable_text(ctx, text ? text : hd_json_get_text(f, "summary"));
	putc('\n', ctx);
}

static enum hd_err write_text(FILE *out, const struct hd_document *doc)
{
	const struct hd_json_value *note = hd_json_items(doc->root, "notes");
	const char *stopped = hd_document_stopped(doc);

	if (!hd_json_items(doc->root, "findings"))
		fprintf(out, "heddle: no findings%s%s\n",
			stopped ? ", but not everything was tried: " : "",
			stopped ? hd_stopped_words(stopped) : "");
	hd_document_each(doc, tell, out);
	for (; note; note = note->next) {
		if (note->kind != HD_JSON_STRING)
			continue;
		fputs("note: ", out);
		hd_put_printable(out, note->text);
		putc('\n', out);
	}
	return ferror(out) ? HD_ERR_IO : HD_OK;
}

static double began;

static void show_progress(unsigned done, unsigned all)
{
	double seconds = hd_now() - began;
	char left[HD_PROGRESS_LEFT];

	if (hd_progress_due())
		hd_progress_show("heddle: runs of %u of %u findings, %.0f a second%s", done, all, done / seconds,
				 hd_progress_left(left, (double)done / all, seconds, 0));
}

static int write_out(const struct options *o, const struct hd_document *doc)
{
	const char *name = o->out && strcmp(o->out, "-") ? o->out : NULL;
	FILE *out = name ? fopen(name, "we") : stdout;
	enum hd_err err;

	if (!out)
		return hd_usage("cannot write to '%s': %s", name, strerror(errno));
	errno = 0;
	err = o->format->write(out, doc);
	if ((name ? fclose(out) : fflush(out)) != 0 && !err)
		err = HD_ERR_IO;
	if (err)
		return hd_failed("the report is incomplete: %s",
			      err == HD_ERR_IO && errno ? strerror(errno) : hd_err_text(err));
	if (hd_document_has_faults(doc))
		return HD_EXIT_FINDINGS;
	return hd_document_stopped(doc) ? HD_EXIT_STOPPED : HD_EXIT_CLEAN;
}

int hd_cmd_report(int argc, char **argv)
{
	struct options o = { 0 };
	struct hd_errbuf eb = { 0 };
	struct hd_json_doc *doc;
	char *text = NULL;
	size_t len = 0;
	enum hd_err err;
	int rc;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return help();
	rc = parse(&o, argc, argv);
	if (rc != HD_EXIT_CLEAN)
		return rc;
	err = hd_read_whole(o.file, &text, &len, &eb);
	if (!err)
		err = hd_findings_parse(&doc, text, len, o.file, &eb);
	if (err) {
		rc = hd_complain(err == HD_ERR_NOMEM ? HD_EXIT_FAILED : HD_EXIT_USAGE, "%s", eb.text);
	} else {
		hd_progress_init(true);
		began = hd_now();
		rc = write_out(&o, &(struct hd_document){ .root = hd_json_root(doc), .json = text,
							  .len = len, .tell = show_progress });
		hd_progress_clear();
		hd_json_free(doc);
	}
	free(text);
	return rc;
}
