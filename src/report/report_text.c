/*
 * The report for people, in the layout that ThreadSanitizer's users know.
 */
#include "report.h"

#include <inttypes.h>
#include <string.h>

#include "explain.h"
#include "printable.h"

#define THREADS_SHOWN 32u
#define FRAMES_SHOWN  40u

static const char fence[] = "==================";

struct text {
	FILE *out;
	const struct hd_run *run;
	const struct hd_report_info *info;
};

static void color(const struct text *t, const char *code)
{
	if (t->info->color)
		fprintf(t->out, "\x1b[%sm", code);
}

static void put_frame(FILE *out, size_t number, const struct hd_frame *f)
{
	fprintf(out, "    #%zu ", number);
	if (f->function)
		hd_put_printable(out, f->function);
	if (f->file) {
		fputs(f->function ? " " : "", out);
		hd_put_printable(out, f->file);
		if (f->line)
			fprintf(out, ":%" PRIu32, f->line);
		fputs(f->inlined ? " (inlined)" : "", out);
	} else if (f->module) {
		fputs(f->function ? " (" : "(", out);
		hd_put_printable(out, f->module);
		fprintf(out, "+0x%" PRIx64 ")", f->offset);
	} else {
		fprintf(out, "code at 0x%" PRIx64 " in no known module", f->offset);
	}
	putc('\n', out);
}

static void put_stack(const struct text *t, const struct hd_stack *s)
{
	for (size_t i = 0; i < s->nframes && i < FRAMES_SHOWN; i++)
		put_frame(t->out, i, &s->frames[i]);
	if (s->nframes > FRAMES_SHOWN)
		fprintf(t->out, "    ... and %zu more frames\n", s->nframes - FRAMES_SHOWN);
	if (!s->nframes)
		fputs("    (no stack known)\n", t->out);
}

static void put_locks(const struct text *t, const struct hd_finding *f, uint32_t thread)
{
	struct hd_frame frame;

	for (size_t i = 0; i < f->nheld; i++) {
		const struct hd_holding *h = &f->held[i];

		if (h->thread != thread)
			continue;
		fputs("    holds ", t->out);
		hd_put_object(t->out, t->run, h->addr, hd_lock_word(h->mode));
		fputs(h->mode & HD_LOCK_SHARED ? " for reading" : "", t->out);
		if (hd_run_frame(t->run, h->pc, &frame)) {
			fputs(", taken at ", t->out);
			hd_put_site(t->out, &frame);
		}
		putc('\n', t->out);
	}
}

static void put_standing(const struct text *t, const struct hd_finding *f,
			 const struct hd_standing *st)
{
	fputs("  ", t->out);
	hd_put_thread(t->out, t->run, st->thread, true);
	putc(' ', t->out);
	hd_put_state(t->out, t->run, f, st);
	fputs(":\n", t->out);
	put_stack(t, &st->stack);
	put_locks(t, f, st->thread);
	putc('\n', t->out);
}

/* Locks of threads that are gone: they have no stack, but what they left locked matters. */
static void put_orphaned_locks(const struct text *t, const struct hd_finding *f)
{
	for (size_t i = 0; i < f->nheld; i++) {
		uint32_t thread = f->held[i].thread;
		bool told = hd_finding_standing(f, thread) != NULL;

		for (size_t k = 0; k < i; k++)
			told |= f->held[k].thread == thread;
		if (told)
			continue;
		fputs("  ", t->out);
		hd_put_thread(t->out, t->run, thread, true);
		fputs(" has ended:\n", t->out);
		put_locks(t, f, thread);
		putc('\n', t->out);
	}
}

/* Those that the finding is about first, in order of waiting; then the others. */
static void put_threads(const struct text *t, const struct hd_finding *f)
{
	size_t shown = 0;

	for (size_t i = 0; i < f->ncycle && shown < THREADS_SHOWN; i++, shown++)
		put_standing(t, f, &f->threads[f->cycle[i]]);
	for (int involved = 1; involved >= 0; involved--) {
		for (size_t i = 0; i < f->nthreads && shown < THREADS_SHOWN; i++) {
			const struct hd_standing *st = &f->threads[i];

			if (st->in_cycle || hd_is_involved(f, st) != involved)
				continue;
			put_standing(t, f, st);
			shown++;
		}
	}
	if (f->nthreads > shown)
		fprintf(t->out, "  ... and %zu more threads\n\n", f->nthreads - shown);
	put_orphaned_locks(t, f);
}

static enum hd_err put_creation(const struct text *t, uint32_t id)
{
	const struct hd_run_thread *thread = hd_run_thread(t->run, id);
	struct hd_stack stack;
	enum hd_err err;

	if (!thread || !thread->creator)
		return HD_OK;
	err = hd_run_stack(t->run, thread->fork_pc, thread->fork_ctx, &stack);
	if (err)
		return err;
	fputs("  ", t->out);
	hd_put_thread(t->out, t->run, id, true);
	fputs(" was created by ", t->out);
	hd_put_thread(t->out, t->run, thread->creator, true);
	fputs(stack.nframes ? " at:\n" : "\n", t->out);
	if (stack.nframes)
		put_stack(t, &stack);
	putc('\n', t->out);
	hd_stack_free(&stack);
	return HD_OK;
}

static enum hd_err put_creations(const struct text *t, const struct hd_finding *f)
{
	enum hd_err err = HD_OK;

	for (size_t i = 0; i < f->nthreads && i < THREADS_SHOWN && !err; i++) {
		if (hd_is_involved(f, &f->threads[i]))
			err = put_creation(t, f->threads[i].thread);
	}
	return err;
}

/* What a thread did last before another one ran: "acquire 'a' at bank.c:13 in transfer". */
static void put_step(const struct text *t, const struct hd_event *ev)
{
	const struct hd_op_info *info = &hd_op_info[ev->op < HD_OP_LIMIT ? ev->op : 0];
	struct hd_frame frame;
	char name[512];

	fputs(info->name ? info->name : "a step", t->out);
	if (info->addr != HD_U_NONE && hd_object_name(t->run, ev->addr, name, sizeof(name))) {
		fputs(" '", t->out);
		hd_put_printable(t->out, name);
		putc('\'', t->out);
	}
	if (hd_run_frame(t->run, ev->pc, &frame)) {
		fputs(" at ", t->out);
		hd_put_site(t->out, &frame);
	}
}

static void put_switches(const struct text *t, const struct hd_finding *f)
{
	if (!f->choices || !f->nswitches)
		return;
	fprintf(t->out, "  Last switches, after %" PRIu64 " scheduling decision%s:\n", f->choices,
		f->choices == 1 ? "" : "s");
	for (size_t i = 0; i < f->nswitches; i++) {
		const struct hd_switch *s = &f->switches[i];

		fprintf(t->out, "    T%" PRIu32 " -> T%" PRIu32 " after ", s->from, s->to);
		put_step(t, &s->last);
		putc('\n', t->out);
	}
	putc('\n', t->out);
}

static void put_summary(const struct text *t, const struct hd_finding *f)
{
	const struct hd_frame *top = hd_finding_top(f);

	color(t, "1");
	fprintf(t->out, "SUMMARY: heddle: %s", hd_kind_word(f->kind));
	if (top) {
		putc(' ', t->out);
		hd_put_site(t->out, top);
	}
	color(t, "0");
	putc('\n', t->out);
}

static enum hd_err put_finding(const struct text *t, const struct hd_finding *f)
{
	enum hd_err err;

	fprintf(t->out, "%s\n", fence);
	color(t, "1;31");
	fprintf(t->out, "HEDDLE: %s: ", hd_kind_word(f->kind));
	hd_put_headline(t->out, t->run, f);
	color(t, "0");
	putc('\n', t->out);
	put_threads(t, f);
	err = put_creations(t, f);
	put_switches(t, f);
	if (t->info->replay)
		fprintf(t->out, "  Replay: %s\n\n", t->info->replay);
	put_summary(t, f);
	fprintf(t->out, "%s\n", fence);
	return err;
}

static void put_drops(const struct text *t)
{
	size_t n = hd_trace_ndrops(t->run->trace);

	for (size_t i = 0; i < n; i++) {
		const char *reason;
		uint64_t count;

		hd_trace_drop_at(t->run->trace, i, &reason, &count);
		fputs(i ? ", " : "drops: ", t->out);
		hd_put_printable(t->out, reason);
		fprintf(t->out, " %" PRIu64, count);
	}
	if (n)
		putc('\n', t->out);
}

static void put_note(const struct text *t, const char *before, const char *note)
{
	if (!note)
		return;
	fprintf(t->out, "note: %s", before);
	hd_put_printable(t->out, note);
	putc('\n', t->out);
}

static void put_notes(const struct text *t)
{
	const struct hd_run *run = t->run;
	const char *note;

	for (size_t i = 0; t->info->notes && t->info->notes[i]; i++)
		put_note(t, "", t->info->notes[i]);
	for (size_t i = 0; i < run->noutside; i++)
		put_note(t, "the run depends on the outside world: ",
			 hd_trace_string(run->trace, run->outside[i]));
	for (size_t i = 0; run->symbols && (note = hd_symbols_note(run->symbols, i)); i++)
		put_note(t, "", note);
	if (run->findings_left_out)
		fprintf(t->out, "note: %zu more findings are not shown\n", run->findings_left_out);
	if (run->damage[0])
		put_note(t, "the trace is incomplete: ", run->damage);
}

static void put_nothing_found(const struct text *t)
{
	const struct hd_run *run = t->run;
	char word[32];

	fprintf(t->out, "heddle: no findings in this run (%zu thread%s", run->nthreads,
		run->nthreads == 1 ? "" : "s");
	if (t->info->recorded)
		fprintf(t->out, ", %" PRIu64 " scheduling decision%s", run->choices,
			run->choices == 1 ? "" : "s");
	if (t->info->origin) {
		fputs(", ", t->out);
		hd_put_printable(t->out, t->info->origin);
	}
	putc(')', t->out);
	if (run->exited == 1 && run->code)
		fprintf(t->out, "; the program's exit status is %d", run->code);
	if (run->exited == 0)
		fprintf(t->out, "; the program was ended by %s", hd_signal_word(run->code, word));
	putc('\n', t->out);
}

static void put_divergence(const struct text *t, const struct hd_finding *f)
{
	const char *text = f->text ? hd_trace_string(t->run->trace, f->text) : NULL;

	fputs("heddle: the replay left its schedule", t->out);
	if (text && *text) {
		fputs(": ", t->out);
		hd_put_printable(t->out, text);
	}
	putc('\n', t->out);
}

enum hd_err hd_report_text(FILE *out, const struct hd_run *run, const struct hd_report_info *info)
{
	const struct text t = { .out = out, .run = run, .info = info };
	const struct hd_finding *divergence = hd_run_divergence(run);
	enum hd_err err = HD_OK;

	if (divergence)
		put_divergence(&t, divergence);
	for (size_t i = 0; i < run->nfindings && !err; i++) {
		if (run->findings[i].kind != HD_FIND_DIVERGENCE)
			err = put_finding(&t, &run->findings[i]);
	}
	if (!run->nfindings && !info->quiet)
		put_nothing_found(&t);
	if (run->nfindings || !info->quiet) {
		put_drops(&t);
		put_notes(&t);
	}
	return err ? err : ferror(out) ? HD_ERR_IO : HD_OK;
}
