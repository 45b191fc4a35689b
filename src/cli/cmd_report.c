/*
 * heddle report: what was found, from the document that --json wrote, in another form.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "cli_options.h"
#include "common/clock.h"
#include "common/listener.h"
#include "progress.h"
#include "report/formats.h"
#include "report/merge.h"
#include "report/report.h"
#include "report/printable.h"

static hd_document_writer write_text;

/* What the others are told on a terminal; it is no file's form. */
static const struct hd_format text_format = {
	"text", write_text, "the findings as the other commands tell them (default)"
};

struct options {
	const char **files;
	size_t nfiles;
	bool merge; /* they are parts of one */
	const char *out;
	const struct hd_format *format;
};

/* The @n-th format that we write, from 0; NULL: no more. */
static const struct hd_format *format_at(size_t n)
{
	if (!n)
		return &text_format;
	for (size_t i = 0; i < HD_OUTPUTS; i++) {
		if (hd_formats[i].report_help && !--n)
			return &hd_formats[i];
	}
	return NULL;
}

static int help(void)
{
	const struct hd_format *format;

	fputs("usage: heddle report FINDINGS.json [", stdout);
	for (size_t i = 0; (format = format_at(i)); i++)
		printf("%s--%s", i ? "|" : "", format->word);
	fputs("] [-o FILE]\n"
	      "       heddle report merge PART.json PART.json ... [the same]\n\n"
	      "Reads what --json of another command wrote, and writes it in another form: the one that\n"
	      "the command itself would have written. Of --html, the schedules and source files are\n"
	      "looked for where the document says they are.\n\n"
	      "merge makes one report of the parts that --part K/N of check or explore made: findings once\n"
	      "each, counts added. It is complete exactly if all N parts are there and each is complete;\n"
	      "a part that is missing is told, and nothing is proved. Parts of different programs,\n"
	      "options or versions, and one that is there twice, are refused (2).\n\n"
	      "options:\n",
	      stdout);
	for (size_t i = 0; (format = format_at(i)); i++)
		printf("  --%s\n        %s\n", format->word, format->report_help);
	fputs("  -o, --output FILE\n"
	      "        write to FILE instead of standard output\n\n"
	      "Exit status: 0 nothing found, 1 findings, 2 the command or its input was wrong,\n"
	      "3 heddle itself failed, 4 nothing found, but not everything was tried.\n\n"
	      "example:\n"
	      "  heddle check --json bank.json -- ./bank\n"
	      "  heddle report bank.json --html -o bank.html\n"
	      "  heddle report merge part*.json --json -o all.json\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

static const struct hd_format *format_of(const char *word)
{
	const struct hd_format *format = NULL;

	for (size_t i = 0; !strncmp(word, "--", 2) && (format = format_at(i)); i++) {
		if (!strcmp(word + 2, format->word))
			break;
	}
	return format;
}

static int no_such_option(const char *word)
{
	static const char *const words[] = { "--text",
#define HD_FORMAT(name, word, writer, option, report) "--" word,
#include "heddle/engine/formats.def"
#undef HD_FORMAT
					     "--output", NULL };
	const char *meant = hd_did_you_mean(word, words);

	if (meant)
		return hd_usage("there is no option '%s'; did you mean '%s'?", word, meant);
	return hd_usage("there is no option '%s'; --help lists them", word);
}

/* HD_EXIT_CLEAN, or an exit status after a message. */
static int parse(struct options *o, int argc, char **argv)
{
	o->merge = argc > 1 && !strcmp(argv[1], "merge");
	for (int i = 1 + o->merge; i < argc; i++) {
		const char *word = argv[i];
		const struct hd_format *format = format_of(word);

		if (format && o->format && format != o->format)
			return hd_usage("one form at a time: --%s or %s?", o->format->word, word);
		if (format)
			o->format = format;
		else if ((!strcmp(word, "-o") || !strcmp(word, "--output")) && i + 1 < argc)
			o->out = argv[++i];
		else if (word[0] == '-' && word[1])
			return no_such_option(word);
		else if (o->nfiles && !o->merge)
			return hd_usage("one document at a time: '%s' or '%s'? `heddle report "
					"merge` takes parts of one",
					o->files[0], word);
		else
			o->files[o->nfiles++] = word;
	}
	if (!o->nfiles)
		return hd_usage(o->merge ? "which parts? `heddle report merge A.json B.json ...`"
					 : "which findings? `heddle report FINDINGS.json --html`");
	if (!o->format)
		o->format = &text_format;
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
		fprintf(out, "heddle: %s%s%s\n",
			hd_stopped_unshown(stopped) ? "faults were met, but none is shown"
						    : "no findings",
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
		hd_progress_show("heddle: runs of %u of %u findings, %.0f a second%s", done, all,
				 done / seconds,
				 hd_progress_left(left, (double)done / all, seconds, 0));
}

static int write_out(const struct options *o, const struct hd_document *doc)
{
	const char *name = o->out && strcmp(o->out, "-") ? o->out : NULL;
	FILE *out = name ? fopen(name, "we") : stdout;
	struct stat st;
	enum hd_err err;

	if (!out)
		return hd_usage("cannot write to '%s': %s", name, strerror(errno));
	errno = 0;
	err = o->format->write(out, doc);
	if ((name ? fclose(out) : fflush(out)) != 0 && !err)
		err = HD_ERR_IO;
	if (err && name && lstat(name, &st) == 0 && S_ISREG(st.st_mode))
		unlink(name); /* a part of a document looks like one */
	if (err)
		return hd_failed("the report is incomplete: %s",
				 err == HD_ERR_IO && errno ? strerror(errno) : hd_err_text(err));
	if (hd_document_has_faults(doc))
		return HD_EXIT_FINDINGS;
	if (hd_stopped_unshown(hd_document_stopped(doc)))
		return HD_EXIT_FAILED;
	return hd_document_stopped(doc) ? HD_EXIT_STOPPED : HD_EXIT_CLEAN;
}

int hd_cmd_report(int argc, char **argv)
{
	struct options o = { 0 };
	struct hd_errbuf eb = { 0 };
	struct hd_document doc;
	enum hd_err err;
	int rc;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return help();
	o.files = calloc((size_t)argc + 1, sizeof(*o.files));
	if (!o.files)
		return hd_failed("out of memory");
	rc = parse(&o, argc, argv);
	if (rc != HD_EXIT_CLEAN) {
		free(o.files);
		return rc;
	}
	err = o.merge ? hd_document_merge(&doc, o.files, o.nfiles, &eb)
		      : hd_document_load(&doc, o.files[0], &eb);
	free(o.files);
	if (err) {
		rc = hd_complain(err == HD_ERR_NOMEM ? HD_EXIT_FAILED : HD_EXIT_USAGE, "%s",
				 eb.text);
	} else {
		hd_progress_init(true);
		began = hd_now();
		doc.tell = show_progress;
		rc = write_out(&o, &doc);
		hd_progress_clear();
		hd_document_free(&doc);
	}
	return rc;
}
