/*
 * What `heddle predict` tells: a line for each question, schedules in columns, findings.
 */
#include "common/path.h"
#include "predict_work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"
#include "report/explain.h"
#include "report/found_model.h"
#include "report/printable.h"
#include "report/reorder.h"

#define LINES_SHOWN	40u /* without --all */
#define SCHEDULES_SHOWN 64u /* each costs a look at its events */

/* ---- the list --------------------------------------------------------------------------- */

static void put_access(FILE *out, const struct hd_run *run, const struct hd_found_access *a)
{
	struct hd_frame frame;

	fprintf(out, "T%" PRIu32 " %s", a->event.thread,
		hd_op_info[a->event.op].name ? hd_op_info[a->event.op].name : "?");
	if (hd_run_frame(run, a->event.pc, &frame) && frame.file) {
		putc(' ', out);
		hd_put_printable(out, hd_base_name(frame.file));
		fprintf(out, ":%" PRIu32, frame.line);
	}
	fprintf(out, " [%" PRIu64 "]", a->index);
}

static void put_place(FILE *out, const struct hd_run *run, const struct hd_found *f)
{
	bool lock = f->kind == HD_KIND_LOCK_ORDER;
	char name[512];

	if (lock || !f->addr)
		return;
	if (hd_location_name(run, f->addr, f->size, name, sizeof(name))) {
		putc('\'', out);
		hd_put_printable(out, name);
		fputs("': ", out);
	} else {
		fprintf(out, "0x%" PRIx64 ": ", f->addr);
	}
}

/* " (proved for the whole run)" */
static void put_detail(FILE *out, const struct hd_prediction *p)
{
	bool window = p->window_first < p->window_end;

	switch (p->decision) {
	case HD_DECISION_FEASIBLE:
		break;
	case HD_DECISION_INFEASIBLE:
		fputs(", proved for the whole run", out);
		break;
	default:
		fputs(", ", out);
		hd_put_printable(out, p->why);
		if (window)
			fprintf(out,
				"; proved that there is none within events %" PRIu64 " to %" PRIu64,
				p->window_first, p->window_end - 1);
	}
	if (p->scheduled && p->relaxed)
		fputs("; possible if values are ignored (relaxed)", out);
}

static void put_line(FILE *out, const struct hd_work *w, size_t i)
{
	const struct hd_item *item = &w->items[i];

	fprintf(out, "%4zu %-8s %-10s ", i + 1, item->kind, hd_decision_word(item->p.decision));
	if (item->text && !item->is_pattern) {
		hd_put_printable(out, item->text);
		fputs(item->found.naccesses ? ": " : "", out);
	} else {
		put_place(out, &w->run, &item->found);
	}
	for (size_t k = 0; k < item->found.naccesses; k++) {
		fputs(k ? ", " : "", out);
		put_access(out, &w->run, &item->found.accesses[k]);
	}
	put_detail(out, &item->p);
	if (item->plan) {
		fputs("; ", out);
		hd_put_printable(out, item->plan);
	}
	putc('\n', out);
}

static void put_list(FILE *out, const struct hd_work *w)
{
	bool all = w->all;

	for (size_t i = 0; i < w->n && (all || i < LINES_SHOWN); i++)
		put_line(out, w, i);
	if (!all && w->n > LINES_SHOWN)
		fprintf(out, "     ... and %zu more; --all lists them\n",
			w->n - (size_t)LINES_SHOWN);
}

static void put_sum(FILE *out, const struct hd_work *w)
{
	/* Without time for questions nobody has counted locations and locks. */
	struct hd_predict_size size = { .events = w->run.events,
					.threads = (uint32_t)w->run.nthreads };
	size_t n[3] = { 0 }, relaxed = 0;
	double worst = 0;

	for (size_t i = 0; i < w->n; i++) {
		n[w->items[i].p.decision]++;
		relaxed += w->items[i].p.relaxed;
		worst = w->items[i].p.seconds > worst ? w->items[i].p.seconds : worst;
	}
	if (w->predictor.predict)
		size = hd_predict_size(w->predictor.predict);
	fprintf(out,
		"heddle: %zu question%s about a run of %" PRIu64 " events, %" PRIu32
		" threads, %" PRIu32 " locations, %" PRIu32 " locks: %zu feasible, %zu infeasible, "
		"%zu unknown",
		w->n, w->n == 1 ? "" : "s", size.events, size.threads, size.locations, size.locks,
		n[0], n[1], n[2]);
	if (relaxed)
		fprintf(out, " (%zu of them possible if values are ignored)", relaxed);
	if (w->n)
		fprintf(out, "; %.3f ms each, worst %.3f ms", w->seconds * 1e3 / (double)w->n,
			worst * 1e3);
	putc('\n', out);
}

/* ---- schedules of what was asked for by name --------------------------------------------- */

static bool borrow_accesses(struct hd_finding *f, const struct hd_found *found)
{
	for (size_t i = 0; i < found->naccesses; i++) {
		struct hd_access *a = hd_finding_add_access(f);

		if (!a)
			return false;
		a->role = found->accesses[i].role;
		a->index = found->accesses[i].index;
		a->event = found->accesses[i].event;
	}
	f->location.addr = found->accesses[0].event.addr;
	f->location.size = found->accesses[0].event.size;
	return true;
}

static struct hd_reordering order_of(const struct hd_item *item, struct hd_finding *f)
{
	const struct hd_goal *goal = hd_item_goal(item);

	return (struct hd_reordering){
		.finding = f,
		.prefix = item->p.prefix,
		.events = item->p.events,
		.nevents = item->p.nevents,
		.next = goal->next,
		.nnext = goal->nnext,
		.order = goal->order,
		.norder = goal->norder,
		.open_end = goal->open_end,
		.relaxed = item->p.relaxed,
	};
}

static enum hd_err put_goal(FILE *out, struct hd_work *w, size_t i, struct hd_errbuf *eb)
{
	const struct hd_item *item = &w->items[i];
	struct hd_finding f = { .kind = HD_KIND_ATOMICITY, .location.group = -1 };
	struct hd_reordering r = order_of(item, &f);
	enum hd_err err = HD_ERR_NOMEM;

	if (!item->p.scheduled)
		return HD_OK;
	if (borrow_accesses(&f, &item->found))
		err = hd_reorder(&w->run, &r, 1, eb);
	if (!err) {
		fprintf(out, "\n%s %zu: ", item->is_pattern ? item->kind : "Goal", i + 1);
		hd_put_printable(out, item->text);
		putc('\n', out);
		err = hd_put_columns(out, &w->run, &f);
	}
	hd_finding_clear(&f);
	return err ? hd_fail(eb, err, "out of memory for the report") : HD_OK;
}

/* ---- findings --------------------------------------------------------------------------- */

static bool add_sentence(struct hd_finding *f, const struct hd_item *item)
{
	const struct hd_prediction *p = &item->p;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return false;
	if (f->why)
		fprintf(out, "%s; ", f->why);
	if (p->decision == HD_DECISION_FEASIBLE)
		fprintf(out,
			"there is a schedule for it; events before number %" PRIu64
			" stay as they were",
			p->prefix);
	else
		fprintf(out, "%s", hd_decision_word(p->decision));
	put_detail(out, p);
	if (fclose(out) != 0) {
		free(text);
		return false;
	}
	free(f->why);
	f->why = text;
	return true;
}

static enum hd_err add_finding(struct hd_work *w, const struct hd_item *item)
{
	static const enum hd_verdict verdicts[] = { HD_VERDICT_PREDICTED, HD_VERDICT_INFEASIBLE,
						    HD_VERDICT_UNKNOWN };
	size_t before = w->run.nfindings;
	enum hd_err err = hd_run_add_found(&w->run, &item->found);
	struct hd_finding *f;

	if (err || w->run.nfindings == before)
		return err;
	f = &w->run.findings[before];
	f->certainty.verdict = verdicts[item->p.decision];
	f->certainty.candidate = item->p.decision != HD_DECISION_FEASIBLE || !item->counts;
	if (item->plan) {
		f->witness.schedule = strdup(item->plan);
		if (!f->witness.schedule)
			return HD_ERR_NOMEM;
	}
	return add_sentence(f, item) ? HD_OK : HD_ERR_NOMEM;
}

/* Findings, and what they look like when the schedule is followed. */
static enum hd_err add_findings(struct hd_work *w, struct hd_errbuf *eb)
{
	bool all = w->all;
	size_t *of = calloc(w->n + 1, sizeof(*of)); /* the finding of each item + 1 */
	struct hd_reordering *orders = calloc(SCHEDULES_SHOWN, sizeof(*orders));
	enum hd_err err = of && orders ? HD_OK : HD_ERR_NOMEM;
	size_t n = 0;

	for (size_t i = 0; i < w->n && !err; i++) {
		const struct hd_item *item = &w->items[i];
		size_t before = w->run.nfindings;

		if ((item->text && !item->is_pattern) ||
		    (!all && (item->p.decision != HD_DECISION_FEASIBLE || !item->counts)))
			continue;
		err = add_finding(w, item);
		if (!err && w->run.nfindings > before)
			of[i] = w->run.nfindings;
	}
	if (err)
		hd_fail(eb, err, "out of memory for the report");
	else
		err = hd_run_complete(&w->run, eb);
	for (int counts = 1; counts >= 0 && !err; counts--) {
		for (size_t i = 0; i < w->n && n < SCHEDULES_SHOWN; i++) {
			if (of[i] && w->items[i].p.scheduled && w->items[i].counts == counts)
				orders[n++] = order_of(&w->items[i], &w->run.findings[of[i] - 1]);
		}
	}
	if (!err)
		err = hd_reorder(&w->run, orders, n, eb);
	free(of);
	free(orders);
	return err;
}

/* ---- JSON ------------------------------------------------------------------------------- */

static struct hd_report_pattern row_of(const struct hd_item *item)
{
	const struct hd_goal *goal = hd_item_goal(item);
	const struct hd_prediction *p = &item->p;
	bool window = p->window_first < p->window_end;

	return (struct hd_report_pattern){
		.e1 = goal->order[0],
		.f = goal->order[1],
		.e2 = goal->order[2],
		.kind = item->is_pattern ? item->found.pattern : item->kind,
		.verdict = hd_decision_word(p->decision),
		.us = (uint64_t)(p->seconds * 1e6 + 0.5),
		.other = !item->is_pattern,
		.order = goal->order,
		.norder = goal->norder,
		.next = goal->next,
		.nnext = goal->nnext,
		.text = item->text,
		.detailed = true,
		.relaxed = p->scheduled && p->relaxed,
		.window_first = p->window_first,
		.window_end = p->window_end,
		.proof = p->decision == HD_DECISION_INFEASIBLE		? "run"
			 : p->decision == HD_DECISION_UNKNOWN && window ? "window"
									: NULL,
		.why = p->why,
		.plan = item->plan,
	};
}

static bool goal_reached(const struct hd_work *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct hd_item *item = &w->items[i];

		if (item->text && !item->is_pattern && item->counts &&
		    item->p.decision == HD_DECISION_FEASIBLE)
			return true;
	}
	return false;
}

/* ---- all of it -------------------------------------------------------------------------- */

static enum hd_err put_text(FILE *text, struct hd_work *w, struct hd_errbuf *eb)
{
	enum hd_err err = HD_OK;

	put_list(text, w);
	for (size_t i = 0; i < w->n && !err; i++) {
		if (w->items[i].text)
			err = put_goal(text, w, i, eb);
	}
	put_sum(text, w);
	return err;
}

enum hd_err hd_work_report(struct hd_work *w, struct hd_outputs *outputs, double seconds,
			   enum hd_status *status)
{
	FILE *text = outputs->config->text;
	struct hd_report_pattern *rows = calloc(w->n + 1, sizeof(*rows));
	struct hd_errbuf eb = { 0 };
	struct hd_report_info info = {
		.command = "predict",
		.seconds = seconds,
		.analysis = true,
		.predicted = true,
		.quiet = outputs->config->quiet || w->run.damage[0] || goal_reached(w),
		.notes = w->notes,
		.patterns = rows,
		.npatterns = w->n,
	};
	enum hd_err err = rows ? HD_OK : HD_ERR_NOMEM;
	enum hd_err rc;

	if (!err)
		err = add_findings(w, &eb);
	for (size_t i = 0; i < w->n && !err; i++) {
		rows[i] = row_of(&w->items[i]);
		info.cut_short |= w->items[i].p.decision == HD_DECISION_UNKNOWN;
	}
	if (!err && text && (!outputs->config->quiet || w->run.nfindings))
		err = put_text(text, w, &eb);
	if (err) {
		free(rows);
		return hd_error(HD_ERR_SYSTEM, "%s", eb.code ? eb.text : hd_err_text(err));
	}
	rc = hd_outputs_write(outputs, &w->run, &info, status);
	if (goal_reached(w))
		*status = HD_STATUS_FINDINGS;
	free(rows);
	return rc;
}
