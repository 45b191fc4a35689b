/*
 * The report for build servers: JUnit's XML, a test suite for the run and a test case
 * for each finding.
 */
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "printable.h"
#include "report.h"

struct suite {
	FILE *out;
	const struct hd_run *run;
	const struct hd_report_info *info;
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

typedef void put_fn(FILE *out, struct suite *s, const struct hd_finding *f);

/* What @put writes, made fit for XML. */
static void put_escaped(struct suite *s, put_fn *put, const struct hd_finding *f)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out) {
		s->no_memory = true;
		return;
	}
	put(out, s, f);
	if (fclose(out) != 0 || !text)
		s->no_memory = true;
	else
		put_xml(s->out, text);
	free(text);
}

static void put_headline(FILE *out, struct suite *s, const struct hd_finding *f)
{
	if (!hd_finding_has_accesses(f))
		fprintf(out, "%s: ", hd_title(f));
	hd_put_headline(out, s->run, f);
}

static void put_body(FILE *out, struct suite *s, const struct hd_finding *f)
{
	if (hd_report_finding(out, s->run, s->info, f) != HD_OK)
		s->no_memory = true;
}

/* Title and place: what a server shows in its list, the same in every run. */
static void put_name(FILE *out, struct suite *s, const struct hd_finding *f)
{
	const struct hd_frame *top = hd_finding_top(f);

	fputs(hd_title(f), out);
	if (top) {
		putc(' ', out);
		hd_put_site(out, top);
	}
}

static void put_suppression(FILE *out, struct suite *s, const struct hd_finding *f)
{
	hd_put_printable(out, f->suppression);
}

static void put_program(FILE *out, struct suite *s, const struct hd_finding *f)
{
	const char *name = hd_trace_argc(s->run->trace) ? hd_trace_argv(s->run->trace, 0) : NULL;

	fprintf(out, "heddle %s", s->info->command ? s->info->command : "");
	if (name) {
		putc(' ', out);
		hd_put_printable(out, name);
	}
}

static bool is_skipped(const struct hd_finding *f)
{
	return f->candidate || f->known || f->suppression;
}

static void put_case(struct suite *s, const struct hd_finding *f)
{
	fprintf(s->out, "    <testcase classname=\"heddle.%s\" name=\"", hd_kind_word(f->kind));
	put_escaped(s, put_name, f);
	fprintf(s->out, " [%s]\" time=\"0\">\n", f->id);
	if (f->suppression) {
		fputs("      <skipped message=\"suppressed by ", s->out);
		put_escaped(s, put_suppression, f);
		fputs("\"/>\n", s->out);
	} else if (is_skipped(f)) {
		fprintf(s->out, "      <skipped message=\"%s: ", f->known ? "known" : "candidate");
		put_escaped(s, put_headline, f);
		fputs("\"/>\n", s->out);
	} else {
		fprintf(s->out, "      <failure type=\"%s\" message=\"", hd_kind_word(f->kind));
		put_escaped(s, put_headline, f);
		fputs("\">", s->out);
		put_escaped(s, put_body, f);
		fputs("</failure>\n", s->out);
	}
	fputs("    </testcase>\n", s->out);
}

static void put_drops(FILE *out, struct suite *s, const struct hd_finding *f)
{
	for (size_t i = 0; i < hd_trace_ndrops(s->run->trace); i++) {
		const char *reason;
		uint64_t count;

		hd_trace_drop_at(s->run->trace, i, &reason, &count);
		fputs(i ? ", " : "drops: ", out);
		hd_put_printable(out, reason);
		fprintf(out, " %llu", (unsigned long long)count);
	}
}

enum hd_err hd_report_junit(FILE *out, const struct hd_run *run, const struct hd_report_info *info)
{
	struct suite s = { .out = out, .run = run, .info = info };
	size_t tests = 0, failures = 0, skipped = 0;

	for (size_t i = 0; i < run->nfindings; i++) {
		const struct hd_finding *f = &run->findings[i];

		if (!hd_is_listed(info, f))
			continue;
		tests++;
		skipped += is_skipped(f);
		failures += !is_skipped(f);
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
	      "  <testsuite name=\"", out);
	put_escaped(&s, put_program, NULL);
	fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" "
		     "time=\"%.6f\">\n",
		tests ? tests : 1, failures, skipped, info->seconds);
	if (!tests)
		fputs("    <testcase classname=\"heddle\" name=\"no findings\" "
		      "time=\"0\"/>\n", out);
	for (size_t i = 0; i < run->nfindings; i++) {
		s.run = hd_finding_run(run, &run->findings[i]);
		if (hd_is_listed(info, &run->findings[i]))
			put_case(&s, &run->findings[i]);
		s.run = run;
	}
	if (hd_trace_ndrops(run->trace)) {
		fputs("    <system-out>", out);
		put_escaped(&s, put_drops, NULL);
		fputs("</system-out>\n", out);
	}
	fputs("  </testsuite>\n</testsuites>\n", out);
	fflush(out);
	return s.no_memory ? HD_ERR_NOMEM : ferror(out) ? HD_ERR_IO : HD_OK;
}
