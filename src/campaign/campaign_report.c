/*
 * The report of a campaign: what was concluded, to all its outputs.
 */
#include "campaign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/explain.h"
#include "report/printable.h"
#include "report/report_dot.h"
#include "launch/watch.h"
#include "common/listener.h"

static struct hd_report_pattern goal_row(const struct hd_campaign *c, const struct hd_attempt *a)
{
	const struct hd_goal *goal = &a->candidate->goal;
	const struct hd_prediction *p = &a->prediction;
	bool first = a->from == c->observations;

	return (struct hd_report_pattern){
		.other = true,
		.kind = "goal",
		.text = a->candidate->found.goal,
		.order = goal->order,
		.norder = first ? goal->norder : 0,
		.next = goal->next,
		.nnext = first ? goal->nnext : 0,
		.verdict = hd_decision_word(p->decision),
		.us = (uint64_t)(p->seconds * 1e6),
		.run = true,
		.reached = a->witness.trial != NULL,
		.detailed = true,
		.relaxed = p->scheduled && p->relaxed,
		.proof = p->decision == HD_DECISION_INFEASIBLE ? "run" : NULL,
		.why = a->why,
	};
}

static struct hd_report_pattern *patterns_of(struct hd_campaign *c, size_t *n)
{
	struct hd_report_pattern *list = calloc(c->nattempts + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; list && i < c->nattempts; i++) {
		const struct hd_attempt *a = &c->attempts[i];
		const struct hd_found *f = &a->candidate->found;

		if (f->kind == HD_KIND_GOAL) {
			list[(*n)++] = goal_row(c, a);
			continue;
		}
		/* Those of three accesses. Numbers of events mean something in the first observation only. */
		if (!a->decided || !a->predicted || !hd_found_is_pattern(f) || f->together ||
		    a->from != c->observations)
			continue;
		list[(*n)++] = (struct hd_report_pattern){
			.e1 = f->accesses[0].index,
			.f = f->accesses[1].index,
			.e2 = f->accesses[2].index,
			.kind = f->pattern,
			.verdict = hd_decision_word(a->prediction.decision),
			.us = (uint64_t)(a->prediction.seconds * 1e6),
		};
	}
	return list;
}

/* Why not everything was tried; NULL: it was. */
static const char *why_stopped(const struct hd_campaign *c)
{
	if (c->stopped)
		return c->stopped;
	if (c->interrupted)
		return "interrupted";
	if (c->out_of_time)
		return "time";
	if (c->out_of_memory)
		return "memory";
	if (c->decided < c->nattempts)
		return "finding";
	if (c->unfinished)
		return "unfinished";
	return c->part.of > 1 ? "part" : NULL;
}

#define REPORT_BEGINS "heddle check: "

/* May the file be written: is it not there, or a report of ours? */
static bool is_report(const char *path)
{
	char begin[sizeof(REPORT_BEGINS)] = "";
	FILE *old = fopen(path, "re");
	bool ours = !old || (fread(begin, 1, sizeof(begin) - 1, old) == sizeof(begin) - 1 &&
			     !strcmp(begin, REPORT_BEGINS));

	if (old)
		fclose(old);
	return ours;
}

/* The text beside the schedules that it names. */
static enum hd_err save_report(struct hd_campaign *c, const struct hd_report_info *info)
{
	struct hd_report_info plain = *info;
	char *path;
	FILE *out;
	enum hd_err rc = HD_OK;
	bool ok;

	if (asprintf(&path, "%.*s/report.txt", (int)(strrchr(c->saved, '/') - c->saved), c->saved) <
	    0)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	plain.color = false;
	errno = 0;
	if (!is_report(path)) {
		hd_warn("'%s' exists and is not a heddle report; it is not overwritten", path);
		free(path);
		return HD_OK;
	}
	out = fopen(path, "we");
	if (out) {
		fputs(REPORT_BEGINS, out);
		for (int i = 0; i < c->program.argc; i++) {
			fputs(i ? " " : "", out);
			hd_put_shell_word(out, c->program.argv[i]);
		}
		putc('\n', out);
	}
	ok = out && hd_report_text(out, &c->observations[0].trial->run, &plain) == HD_OK;
	if (out && fclose(out) != 0)
		ok = false;
	if (!ok)
		rc = hd_error(HD_ERR_SYSTEM, "the report could not be written to '%s': %s", path,
			      strerror(errno));
	free(path);
	return rc;
}

/* The graph of the first finding's run. */
static enum hd_err write_dot(const struct hd_campaign *c)
{
	const struct hd_run *run = &c->observations[0].trial->run;
	const struct hd_finding *first = NULL;
	enum hd_err rc;
	FILE *out;
	bool ok;

	for (size_t i = 0; i < run->nfindings && !first; i++) {
		if (hd_finding_is_fault(&run->findings[i]) && !run->findings[i].certainty.candidate)
			first = &run->findings[i];
	}
	if (!first)
		return HD_OK;
	errno = 0;
	out = fopen(c->config->dot, "we");
	rc = out ? hd_report_dot(out, run, first) : HD_ERR_IO;
	ok = rc == HD_OK;
	if (out && fclose(out) != 0)
		ok = false;
	if (ok)
		return HD_OK;
	return hd_error(rc == HD_ERR_NOMEM ? rc : HD_ERR_SYSTEM,
			"the graph could not be written to '%s': %s", c->config->dot,
			rc == HD_ERR_NOMEM ? "out of memory" : strerror(errno));
}

/* What is told of is on the disk before. */
static void look_at_state(struct hd_campaign *c)
{
	if (!c->kept)
		return;
	if (c->kept->strange)
		hd_warn("what '%s' had of earlier runs was of no use: the program does not do the "
			"same here, or has other addresses",
			c->config->state);
	if (hd_answers_save(c->kept->answers))
		return;
	hd_error(HD_ERR_SYSTEM, "what is done could not be kept in '%s': %s", c->config->state,
		 strerror(errno));
	hd_campaign_not_written(c);
}

/* Last, as any step may have met them. */
static void note_stalls(struct hd_campaign *c)
{
	if (c->stalled)
		hd_campaign_note(
			c,
			"%zu failure%s not counted: %s a thread to be held up for longer than "
			"--stalls allows (%llu ms), the first %s",
			c->stalled, c->stalled == 1 ? " is" : "s are",
			c->stalled == 1 ? "it needs" : "they need",
			(unsigned long long)c->stalls / 1000000, c->stall_words);
}

enum hd_err hd_campaign_report(struct hd_campaign *c)
{
	FILE *text = c->config->outputs.text;
	struct hd_report_info info = {
		.command = c->command,
		.checked = true,
		.states = c->states,
		.transitions = c->transitions,
		.quiet = c->config->outputs.quiet,
	};
	const struct hd_report_tries tries = { .candidates = c->nattempts,
					       .tried = c->decided + c->partly,
					       .partly = c->partly,
					       .runs = c->tries,
					       .first = c->first_try };
	enum hd_err rc;

	look_at_state(c);
	note_stalls(c);
	hd_run_find_unhooked(&c->observations[0].trial->run);
	for (const char *const *told = hd_watch_told(); *told; told++)
		hd_campaign_note(c, "%s", *told);
	info.notes = (const char *const *)c->notes;
	info.assumed = c->assumed;
	info.exploration = c->exploration;
	info.outcomes = c->outcomes;
	info.noutcomes = c->noutcomes;
	info.part = c->part.number ? &c->part : NULL;
	info.executions = c->executions;
	info.tries = c->analysed ? &tries : NULL;
	info.cut_short = c->decided < c->nattempts || c->incomplete;
	info.stopped = why_stopped(c);
	c->part.complete = !info.stopped || !strcmp(info.stopped, "part");
	info.seconds = hd_now() - c->began;
	info.patterns = patterns_of(c, &info.npatterns);
	if (!info.patterns)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	rc = hd_outputs_write(&c->outputs, &c->observations[0].trial->run, &info, &c->status);
	if (rc == HD_OK && c->status == HD_STATUS_FINDINGS && c->saved)
		rc = save_report(c, &info);
	free((void *)info.patterns);
	if (rc == HD_OK && c->config->dot)
		rc = write_dot(c);
	if (rc == HD_OK && c->status != HD_STATUS_FINDINGS && text && fflush(text) != 0)
		rc = hd_error(HD_ERR_SYSTEM, "the report could not be written: %s",
			      strerror(errno));
	if (rc == HD_OK && c->unwritten.code)
		rc = hd_error(c->unwritten.code, "%s", c->unwritten.text);
	return rc;
}
