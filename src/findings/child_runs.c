#include "child_runs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/explain.h"
#include "report/judge.h"
#include "report/printable.h"

static void note(struct hd_child_runs *runs, const char *fmt, ...)
{
	va_list ap;

	if (runs->nnotes == HD_CHILD_NOTES)
		return;
	va_start(ap, fmt);
	if (vasprintf(&runs->notes[runs->nnotes], fmt, ap) >= 0)
		runs->nnotes++;
	else
		runs->notes[runs->nnotes] = NULL;
	va_end(ap);
}

static enum hd_err read_child(struct hd_child_run *r, const struct hd_child *child,
			      struct hd_errbuf *eb)
{
	char path[64];
	enum hd_err err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", child->trace_fd);
	err = hd_trace_open(&r->trace, path, eb);
	if (err)
		return err;
	err = hd_run_gather(&r->run, r->trace, eb);
	if (err)
		return err;
	hd_run_forget_exit(&r->run); /* it is for whoever waits for the child */
	hd_identify(&r->run);
	snprintf(r->run.process, sizeof(r->run.process), "%s", child->label);
	return HD_OK;
}

/* Is it the end of the child, which its parent sees and may have counted on? */
static bool parent_sees_it(const struct hd_finding *f)
{
	return f->kind == HD_KIND_CRASH || f->kind == HD_KIND_ASSERTION;
}

static void tell_end(struct hd_child_runs *runs, const struct hd_run *run,
		     const struct hd_finding *f)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	hd_put_headline(out, run, f);
	if (hd_finding_top(f)) {
		fputs(" at ", out);
		hd_put_site(out, hd_finding_top(f));
	}
	if (fclose(out) == 0)
		note(runs,
		     "child process %s ended so, and the program went on without failing, so it is "
		     "no finding: %s",
		     run->process, text);
	free(text);
}

static bool adopt_from(struct hd_child_runs *runs, struct hd_run *run, struct hd_run *to,
		       bool failed)
{
	for (size_t i = 0; i < run->nfindings; i++) {
		struct hd_finding *f = &run->findings[i];

		if (f->kind == HD_KIND_DIVERGENCE)
			continue;
		if (parent_sees_it(f) && !failed)
			tell_end(runs, run, f);
		else if (!hd_run_adopt(to, run, f))
			return false;
	}
	return true;
}

bool hd_child_runs_adopt(struct hd_child_runs *runs, struct hd_run *to)
{
	bool failed = to->exited != 1 || to->code != 0;

	to->children = runs->followed;
	for (size_t i = 0; i < runs->n; i++) {
		if (!adopt_from(runs, &runs->each[i].run, to, failed))
			return false;
		runs->each[i].run.nfindings = 0; /* they are the other's */
	}
	return true;
}

enum hd_err hd_child_runs_read(struct hd_child_runs *runs, const struct hd_child_list *children,
			       struct hd_errbuf *eb)
{
	enum hd_err err = HD_OK;

	*runs = (struct hd_child_runs){ .followed = children->followed };
	runs->each = children->n ? calloc(children->n, sizeof(*runs->each)) : NULL;
	if (children->n && !runs->each)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < children->n && !err; i++) {
		const struct hd_child *child = &children->each[i];
		struct hd_child_run *r = &runs->each[runs->n];

		if (child->running)
			note(runs,
			     "child process %s was still running when the program had ended; it is "
			     "told of as far as it was seen",
			     child->label);
		err = read_child(r, child, eb);
		if (!r->trace)
			break;
		runs->n++;
	}
	return err;
}

void hd_child_runs_free(struct hd_child_runs *runs)
{
	for (size_t i = 0; i < runs->n; i++) {
		hd_run_free(&runs->each[i].run);
		hd_trace_close(runs->each[i].trace);
	}
	for (size_t i = 0; i < runs->nnotes; i++)
		free(runs->notes[i]);
	free(runs->each);
	*runs = (struct hd_child_runs){ 0 };
}
