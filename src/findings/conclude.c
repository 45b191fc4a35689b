#include "conclude.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child_runs.h"
#include "report/printable.h"
#include "launch/watch.h"

char *hd_replay_command(const char *schedule, const struct hd_run_config *run, char **argv)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	if (schedule) {
		fputs("heddle replay ", out);
		hd_put_shell_word(out, schedule);
	} else if (run->parallel) { /* no order to repeat: one is looked for, on fibers */
		fputs(run->atomic_steps ? "heddle check --atomic-steps" : "heddle check", out);
	} else {
		fputs("heddle run", out);
		hd_run_config_words(run, out);
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

static const char *assumption_note(const struct hd_run *run, char *buf, size_t len)
{
	struct hd_frame at = { 0 };
	char place[300] = "";

	if (hd_run_frame(run, run->assumed_pc, &at) && at.file)
		snprintf(place, sizeof(place), " at %s:%u", at.file, at.line);
	snprintf(
		buf, len,
		"a thread stopped%s: what the program assumes there does not hold (heddle_assume); "
		"how this run ends says nothing",
		place);
	return buf;
}

static enum hd_err report(const struct hd_conclusion *c, struct hd_run *run,
			  const struct hd_child_runs *children, const struct hd_outcome *o,
			  enum hd_status *status)
{
	const char *now = hd_run_build_id(run);
	char assumed[400];
	const char *notes[9 + HD_WATCH_TOLD + HD_CHILD_NOTES];
	const char *const *more = c->analyses ? hd_analyses_notes(c->analyses) : NULL;
	const char *const *told = hd_watch_told();
	size_t n = 0;
	struct hd_report_info info = {
		.command = c->command,
		.schedule = c->schedule,
		.replay = c->replay,
		.origin = c->origin,
		.recorded = c->record && !o->write_error.code,
		/* Of a trace that broke off, nobody can say that it has no findings. */
		.quiet = c->quiet || o->write_error.code,
		.seconds = o->seconds,
		.notes = notes,
		.by_plan = c->plan,
		.assumed = run->assumed,
		.stopped = o->interrupted ? "interrupted" : run->stopped,
	};
	enum hd_err rc;

	hd_run_find_unhooked(run);
	if (c->plan)
		notes[n++] = run->goal ? "the goal of the plan was reached"
				       : "the goal of the plan was not reached";
	if (c->build_id && now && strcmp(c->build_id, now))
		notes[n++] = "the program has changed since the schedule was recorded";
	if (o->random_addresses)
		notes[n++] = "address randomisation could not be switched off, so addresses "
			     "differ from run to run";
	if (run->assumed)
		notes[n++] = assumption_note(run, assumed, sizeof(assumed));
	while (more && *more && n < 8)
		notes[n++] = *more++;
	while (*told)
		notes[n++] = *told++;
	for (size_t i = 0; i < children->nnotes; i++)
		notes[n++] = children->notes[i];
	notes[n] = NULL;
	rc = hd_outputs_write(c->outputs, run, &info, status);
	if (*status != HD_STATUS_FINDINGS && hd_run_divergence(run))
		*status = HD_STATUS_DIVERGED;
	return rc;
}

struct read_back {
	struct hd_trace *trace;
	struct hd_run run;
};

static enum hd_err read_back(struct read_back *b, int fd, struct hd_analyses *analyses,
			     struct hd_errbuf *eb)
{
	enum hd_err err;
	char path[64];

	/* By descriptor: the file may have no name, or another one by now. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = hd_trace_open(&b->trace, path, eb);
	if (err != HD_OK)
		return err;
	err = analyses ? hd_analyses_run(analyses, &b->run, b->trace, eb)
		       : hd_run_gather(&b->run, b->trace, eb);
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
static enum hd_err read_run(struct read_back *b, const struct hd_conclusion *c,
			    const struct hd_outcome *o, struct hd_errbuf *eb)
{
	struct read_back whole;
	enum hd_err err;

	if (o->digest_fd < 0 || (c->analyses && !o->write_error.code))
		return read_back(b, o->trace_fd, c->analyses, eb);
	err = read_back(b, o->digest_fd, NULL, eb);
	if (err == HD_OK && b->run.nfindings && !o->write_error.code &&
	    read_back(&whole, o->trace_fd, NULL, eb) == HD_OK) {
		read_back_free(b);
		*b = whole;
	}
	b->run.events = o->counts.events;
	b->run.choices = o->counts.choices;
	return err;
}

static enum hd_err read_and_report(const struct hd_conclusion *c, const struct hd_outcome *o,
				   enum hd_status *status)
{
	struct hd_errbuf eb = { 0 };
	struct hd_child_runs children = { 0 };
	struct read_back b;
	enum hd_err err = read_run(&b, c, o, &eb);
	enum hd_err rc;

	if (err == HD_ERR_NOT_FOUND || err == HD_ERR_PARSE) /* a name that the groups have */
		return hd_error(HD_ERR_REQUEST, "%s", eb.text);
	if (err)
		return hd_error(HD_ERR_SYSTEM, "the run's trace cannot be read back: %s", eb.text);
	if (o->interrupted || o->stopped || c->direct)
		hd_run_forget_exit(&b.run);
	err = hd_child_runs_read(&children, &o->children, &eb);
	if (!err && !hd_child_runs_adopt(&children, &b.run))
		err = hd_fail(&eb, HD_ERR_NOMEM, "out of memory");
	rc = err ? hd_error(HD_ERR_SYSTEM, "a child's trace cannot be read back: %s", eb.text)
		 : report(c, &b.run, &children, o, status);
	if (b.run.damage[0] && rc == HD_OK && !o->write_error.code)
		rc = hd_error(HD_ERR_SYSTEM, "the run's trace cannot be read back: %s",
			      b.run.damage);
	read_back_free(&b);
	hd_child_runs_free(&children);
	return rc;
}

enum hd_err hd_conclude(const struct hd_conclusion *c, struct hd_outcome *o, enum hd_status *status)
{
	enum hd_err rc;

	if (o->refused && c->parallel)
		rc = hd_error(HD_ERR_REQUEST, HD_REFUSED_OPENMP);
	else if (!o->attached && c->parallel)
		rc = hd_error(HD_ERR_REQUEST,
			      "the program launched no tasks, or was not built with "
			      "`heddle cc`: --parallel is for programs of heddle/hj.h and hclib.h");
	else if (!o->attached)
		rc = hd_error(HD_ERR_REQUEST,
			      "the program did not start heddle's runtime: was it "
			      "built with `heddle cc`? (Static programs and ones started with an "
			      "empty environment cannot be controlled.)");
	else
		rc = read_and_report(c, o, status);
	if (o->attached && o->write_error.code)
		rc = hd_error(HD_ERR_SYSTEM,
			      "the trace%s%s is incomplete: %s; what was recorded "
			      "before is readable",
			      c->record ? " in " : "", c->record ? c->record : "",
			      o->write_error.text);
	if (o->trace_fd >= 0)
		close(o->trace_fd);
	if (o->digest_fd >= 0)
		close(o->digest_fd);
	o->trace_fd = o->digest_fd = -1;
	hd_child_list_free(&o->children);
	return rc;
}
