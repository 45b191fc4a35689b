/*
 * heddle report: what was found, from the document that --json wrote, for people.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "common/json_in.h"
#include "report/baseline.h"
#include "report/report_html.h"
#include "report/whole_file.h"

struct options {
	const char *file, *out;
	bool html;
};

static int help(void)
{
	fputs("usage: heddle report FINDINGS.json [--text|--html] [-o FILE]\n\n"
	      "Reads what --json of another command wrote, and writes it for people: as text, or as a\n"
	      "page for a browser, in which the runs that show the findings are drawn. Schedules and\n"
	      "source files are looked for where the document says they are.\n\n"
	      "options:\n"
	      "  --text\n"
	      "        the findings as the other commands tell them (default)\n"
	      "  --html\n"
	      "        one file with everything in it, which needs no network\n"
	      "  -o FILE\n"
	      "        write to FILE instead of standard output\n\n"
	      "Exit status: 0 nothing found, 1 findings, 2 the command or its input was wrong,\n"
	      "3 heddle itself failed.\n\n"
	      "example:\n"
	      "  heddle check --json bank.json -- ./bank\n"
	      "  heddle report bank.json --html -o bank.html\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

/* HD_EXIT_CLEAN, or an exit status after a message. */
static int parse(struct options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (!strcmp(word, "--html"))
			o->html = true;
		else if (!strcmp(word, "--text"))
			o->html = false;
		else if ((!strcmp(word, "-o") || !strcmp(word, "--output")) && i + 1 < argc)
			o->out = argv[++i];
		else if (word[0] == '-' && word[1])
			return hd_die(HD_EXIT_USAGE, "there is no option '%s'; --help lists them",
				      word);
		else if (o->file)
			return hd_die(HD_EXIT_USAGE, "one document at a time: '%s' or '%s'?",
				      o->file, word);
		else
			o->file = word;
	}
	if (!o->file)
		return hd_die(HD_EXIT_USAGE, "which findings? `heddle report FINDINGS.json --html`");
	return HD_EXIT_CLEAN;
}

static enum hd_err write_text(FILE *out, const struct hd_json_value *doc)
{
	const struct hd_json_value *f = hd_json_items(doc, "findings");
	const struct hd_json_value *note = hd_json_items(doc, "notes");

	if (!f)
		fputs("heddle: no findings\n", out);
	for (; f; f = f->next) {
		const char *text = hd_json_get_text(f, "text");

		if (!text)
			text = hd_json_get_text(f, "summary");
		fprintf(out, "%s\n", text ? text : "");
	}
	for (; note; note = note->next) {
		if (note->kind == HD_JSON_STRING)
			fprintf(out, "note: %s\n", note->text);
	}
	return ferror(out) ? HD_ERR_IO : HD_OK;
}

static int write_out(const struct options *o, const struct hd_json_value *doc, const char *text,
		     size_t len)
{
	const char *name = o->out && strcmp(o->out, "-") ? o->out : NULL;
	FILE *out = name ? fopen(name, "we") : stdout;
	enum hd_err err;

	if (!out)
		return hd_die(HD_EXIT_USAGE, "cannot write to '%s': %s", name, strerror(errno));
	errno = 0;
	err = o->html ? hd_html_write(out, doc, text, len) : write_text(out, doc);
	if ((name ? fclose(out) : fflush(out)) != 0 && !err)
		err = HD_ERR_IO;
	if (err)
		return hd_die(HD_EXIT_FAILED, "the report is incomplete: %s",
			      err == HD_ERR_IO && errno ? strerror(errno) : hd_err_text(err));
	return hd_json_items(doc, "findings") ? HD_EXIT_FINDINGS : HD_EXIT_CLEAN;
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
		rc = hd_die(err == HD_ERR_NOMEM ? HD_EXIT_FAILED : HD_EXIT_USAGE, "%s", eb.text);
	} else {
		rc = write_out(&o, hd_json_root(doc), text, len);
		hd_json_free(doc);
	}
	free(text);
	return rc;
}
