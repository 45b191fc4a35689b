#include "conclude.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/printable.h"
#include "report/report.h"

int hd_open_json(const struct hd_cli_options *o, FILE **json)
{
	const char *path = o->value[HD_OPT_JSON];

	*json = NULL;
	if (!path)
		return HD_EXIT_CLEAN;
	*json = strcmp(path, "-") ? fopen(path, "we") : stdout;
	if (!*json)
		return hd_die(HD_EXIT_USAGE, "cannot write findings to '%s': %s", path,
			      strerror(errno));
	return HD_EXIT_CLEAN;
}

char *hd_replay_command(const char *schedule, const struct hd_cli_options *o, char **argv)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	if (schedule) {
		fputs("heddle replay ", out);
		hd_put_shell_word(out, schedule);
	} else {
		fputs("heddle run", out);
		hd_cli_options_words(o, out);
	}
	fputs(" --", out);
	for (; *argv; argv++) {
		putc(' ', out);
		hd_put_shell_word(out, *argv);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static int write_json(const struct hd_conclusion *c, const struct hd_run *run,
		      const struct hd_report_info *info)
{
	enum hd_err err = hd_report_json(c->json, run, info);

	if (err == HD_OK && fflush(c->json) != 0)
		err = HD_ERR_IO;
	if (err == HD_OK)
		return HD_EXIT_CLEAN;
	return hd_die(HD_EXIT_FAILED, "the findings could not be written to '%s': %s",
		      c->options->value[HD_OPT_JSON],
		      err == HD_ERR_IO && errno ? strerror(errno) : hd_err_text(err));
}

static int report(const struct hd_conclusion *c, const struct hd_run *run,
		  const struct hd_outcome *o)
{
	const char *now = hd_run_build_id(run);
	const char *notes[3];
	size_t n = 0;
	struct hd_report_info info = {
		.command = c->command, .schedule = c->schedule, .replay = c->replay,
		.origin = c->origin, .recorded = c->record && !o->write_error.code,
		.color = hd_cli_options_color(c->options, stderr),
		/* Of a trace that broke off, nobody can say that it has no findings. */
		.quiet = c->options->value[HD_OPT_QUIET] || o->write_error.code,
		.seconds = o->seconds, .notes = notes,
	};
	enum hd_err err;

	if (c->build_id && now && strcmp(c->build_id, now))
		notes[n++] = "the program has changed since the schedule was recorded";
	if (o->random_addresses)
		notes[n++] = "address randomisation could not be switched off, so addresses "
			     "differ from run to run";
	notes[n] = NULL;
	fflush(stdout);
	err = hd_report_text(stderr, run, &info);
	if (err)
		return hd_die(HD_EXIT_FAILED, "the report is incomplete: %s", hd_err_text(err));
	if (c->json && write_json(c, run, &info) != HD_EXIT_CLEAN)
		return HD_EXIT_FAILED;
	if (hd_run_faults(run))
		return HD_EXIT_FINDINGS;
	return hd_run_divergence(run) ? HD_EXIT_USAGE : HD_EXIT_CLEAN;
}

struct read_back {
	struct hd_trace *trace;
	struct hd_run run;
};

static enum hd_err read_back(struct read_back *b, int fd, struct hd_errbuf *eb)
{
	enum hd_err err;
	char path[64];

	/* By descriptor: the file may have no name, or another one by now. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = hd_trace_open(&b->trace, path, eb);
	if (err != HD_OK)
		return err;
	err = hd_run_gather(&b->run, b->trace, eb);
	if (err == HD_OK)
		return HD_OK;
	hd_run_free(&b->run);
	hd_trace_close(b->trace);
	return err;
}

static void read_back_free(struct read_back *b)
{
	hd_run_free(&b->run);
	hd_trace_close(b->trace);
}

/*
 * The digest says whether there are findings; only then is the whole trace worth
 * reading, for what it knows about the memory and the switches before them.
 */
static enum hd_err read_run(struct read_back *b, const struct hd_outcome *o, struct hd_errbuf *eb)
{
	struct read_back whole;
	enum hd_err err;

	if (o->digest_fd < 0)
		return read_back(b, o->trace_fd, eb);
	err = read_back(b, o->digest_fd, eb);
	if (err == HD_OK && b->run.nfindings && !o->write_error.code &&
	    read_back(&whole, o->trace_fd, eb) == HD_OK) {
		read_back_free(b);
		*b = whole;
	}
	b->run.events = o->counts.events;
	b->run.choices = o->counts.choices;
	return err;
}

static int read_and_report(const struct hd_conclusion *c, const struct hd_outcome *o)
{
	struct hd_errbuf eb = { 0 };
	struct read_back b;
	int rc;

	if (read_run(&b, o, &eb) != HD_OK)
		return hd_die(HD_EXIT_FAILED, "the run's trace cannot be read back: %s", eb.text);
	rc = report(c, &b.run, o);
	read_back_free(&b);
	return rc;
}

int hd_conclude(const struct hd_conclusion *c, struct hd_outcome *o)
{
	int rc;

	if (!o->attached)
		rc = hd_die(HD_EXIT_USAGE, "the program did not start heddle's runtime: was it "
			    "built with `heddle cc`? (Static programs and ones started with an "
			    "empty environment cannot be controlled.)");
	else
		rc = read_and_report(c, o);
	if (o->attached && o->write_error.code)
		rc = hd_die(HD_EXIT_FAILED, "the trace%s%s is incomplete: %s; what was recorded "
			    "before is readable", c->record ? " in " : "",
			    c->record ? c->record : "", o->write_error.text);
	if (o->trace_fd >= 0)
		close(o->trace_fd);
	if (o->digest_fd >= 0)
		close(o->digest_fd);
	o->trace_fd = o->digest_fd = -1;
	if (c->json && c->json != stdout && fclose(c->json) != 0 && rc != HD_EXIT_FAILED)
		rc = hd_die(HD_EXIT_FAILED, "the findings could not be written to '%s': %s",
			    c->options->value[HD_OPT_JSON], strerror(errno));
	return rc;
}
