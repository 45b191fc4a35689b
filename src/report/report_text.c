/*
 * The report for people, in the layout that ThreadSanitizer's users know.
 */
#include "report.h"

#include <inttypes.h>
#include <string.h>

#include "block_names.h"
#include "columns.h"
#include "constructs.h"
#include "divergence.h"
#include "explain.h"
#include "printable.h"
#include "source_lines.h"
#include "report_outcomes.h"
#include "same_places.h"

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

static void put_held(const struct text *t, const struct hd_holding *h)
{
	struct hd_frame frame;

	fputs("    holds ", t->out);
	hd_put_object(t->out, t->run, h->addr, hd_lock_word(h->mode));
	fputs(h->mode & HD_LOCK_SHARED ? " for reading" : "", t->out);
	if (hd_run_frame(t->run, h->pc, &frame)) {
		fputs(", taken at ", t->out);
		hd_put_site(t->out, &frame);
	}
	putc('\n', t->out);
}

static void put_locks(const struct text *t, const struct hd_finding *f, uint32_t thread)
{
	for (size_t i = 0; i < f->waiting.nheld; i++) {
		if (f->waiting.held[i].thread == thread)
			put_held(t, &f->waiting.held[i]);
	}
}

/* ---- findings about accesses ---------------------------------------------- */

/* " (mutexes: 'm', 'table.lock' for reading)"; what OpenMP has are locks and critical sections */
static void put_mutexes(const struct text *t, const struct hd_access *a)
{
	char name[512];

	for (size_t i = 0; i < a->nheld; i++) {
		const struct hd_holding *h = &a->held[i];

		fputs(i ? ", " : a->within.kind ? " (locks: " : " (mutexes: ", t->out);
		if (hd_object_name(t->run, h->addr, name, sizeof(name))) {
			hd_put_quoted(t->out, name);
		} else {
			hd_put_object(t->out, t->run, h->addr, hd_lock_word(h->mode));
		}
		fputs(h->mode & HD_LOCK_SHARED ? " for reading" : "", t->out);
	}
	fputs(a->nheld ? ")" : "", t->out);
}

/* The stack, with the source line under the frame that is the program's own. */
static void put_quoted_stack(const struct text *t, const struct hd_stack *s)
{
	const struct hd_frame *top = hd_stack_top(s);
	char line[160];

	for (size_t i = 0; i < s->nframes && i < FRAMES_SHOWN; i++) {
		put_frame(t->out, i, &s->frames[i]);
		if (&s->frames[i] != top || !hd_source_line(top, line, sizeof(line)))
			continue;
		fprintf(t->out, "       %" PRIu32 " | ", top->line);
		hd_put_printable(t->out, line);
		putc('\n', t->out);
	}
	if (s->nframes > FRAMES_SHOWN)
		fprintf(t->out, "    ... and %zu more frames\n", s->nframes - FRAMES_SHOWN);
	if (!s->nframes)
		fputs("    (no stack known)\n", t->out);
}

static void put_value(const struct text *t, const struct hd_access *a)
{
	if (!a->has_value)
		return;
	if (a->event.op == HD_OP_ATOMIC_RMW)
		fprintf(t->out, ", value %" PRIu64 " to %" PRIu64, a->event.value, a->event.value2);
	else
		fprintf(t->out, ", value %" PRIu64, a->event.value);
}

/* "Write of size 4 at 'counter' by T2 (mutexes: 'm'):" */
static void put_access_line(const struct text *t, const struct hd_finding *f,
			    const struct hd_access *a, bool previous)
{
	const char *word = hd_access_word(&a->event);
	uint64_t size = hd_access_size(&a->event);
	bool memory = hd_op_info[a->event.op].addr == HD_U_LOC;
	char name[512];

	fputs(previous ? "  Previous " : "  ", t->out);
	if (f->kind == HD_KIND_PERMISSION)
		fprintf(t->out, "Permission to %s", word);
	else if (previous)
		fputs(word, t->out);
	else
		fprintf(t->out, "%c%s", word[0] & ~0x20, word + 1);
	if (size)
		fprintf(t->out, " of size %" PRIu64, size);
	/* What has no name is told once, below. */
	if (memory && hd_finding_label(t->run, f, a->event.addr, size, name, sizeof(name))) {
		fputs(" at ", t->out);
		hd_put_quoted(t->out, name);
	} else if (!memory && a->event.addr) {
		putc(' ', t->out);
		hd_put_object(t->out, t->run, a->event.addr, "of the object");
	}
	put_value(t, a);
	fputs(" by ", t->out);
	hd_put_thread(t->out, t->run, a->event.thread, true);
	hd_put_within(t->out, ", ", t->run, &a->within);
	if (f->kind == HD_KIND_ATOMICITY || f->kind == HD_KIND_EXTENDED_RACE)
		fprintf(t->out, " (%s)", a->role);
	put_mutexes(t, a);
	fputs(":\n", t->out);
}

/* "T1 holds mutex 'a', taken at:" */
static void put_lock_line(const struct text *t, const struct hd_access *a)
{
	fputs("  ", t->out);
	hd_put_thread(t->out, t->run, a->event.thread, true);
	fprintf(t->out, " %s ", a->role);
	hd_put_object(t->out, t->run, a->event.addr, hd_lock_word(a->event.arg));
	fputs(a->event.arg & HD_LOCK_SHARED ? " for reading" : "", t->out);
	fputs(!strcmp(a->role, "holds") ? ", taken at:\n" : ", at:\n", t->out);
}

/* "The block of 24 bytes was allocated by T1 at:" */
static void put_block_line(const struct text *t, const struct hd_access *a)
{
	/* An event of the trace has its length elsewhere. */
	uint64_t size = a->event.size ? a->event.size : a->event.value;

	fprintf(t->out, "  The block of %" PRIu64 " byte%s was %s by ", size, size == 1 ? "" : "s",
		a->role);
	hd_put_thread(t->out, t->run, a->event.thread, true);
	fputs(" at:\n", t->out);
}

static void put_access(const struct text *t, const struct hd_finding *f, const struct hd_access *a,
		       bool previous)
{
	if (f->kind == HD_KIND_LOCK_ORDER)
		put_lock_line(t, a);
	else if (f->kind == HD_KIND_MEMORY && strcmp(a->role, "access") != 0)
		put_block_line(t, a);
	else
		put_access_line(t, f, a, previous);
	put_quoted_stack(t, &a->stack);
	for (size_t i = 0; i < a->nheld; i++) {
		if (a->held[i].pc)
			put_held(t, &a->held[i]);
	}
	putc('\n', t->out);
}

/* Of a race the last access first, as ThreadSanitizer does; the others in their order. */
static void put_accesses(const struct text *t, const struct hd_finding *f)
{
	bool race = f->kind == HD_KIND_RACE;

	for (size_t i = 0; i < f->naccesses; i++)
		put_access(t, f, &f->accesses[race ? f->naccesses - 1 - i : i], race && i);
}

static enum hd_err put_event_stack(const struct text *t, const struct hd_event *ev)
{
	struct hd_stack stack;
	enum hd_err err = hd_run_stack(t->run, ev->pc, ev->ctx, &stack);

	if (err)
		return err;
	put_stack(t, &stack);
	hd_stack_free(&stack);
	return HD_OK;
}

static enum hd_err put_heap_location(const struct text *t, const struct hd_finding *f)
{
	const struct hd_origin *o = &f->location.origin;
	char part[512];
	enum hd_err err;

	fputs("  Location is ", t->out);
	if (hd_finding_part(t->run, f, f->location.addr, f->location.size, part, sizeof(part))) {
		hd_put_quoted(t->out, part);
		fputs(", ", t->out);
	}
	fprintf(t->out, "offset %" PRIu64 " of ", f->location.addr - o->alloc.addr);
	fputs(hd_is_heap_block(o) ? "a " : "the ", t->out);
	hd_put_block_kind(t->out, o);
	fputs(hd_is_heap_block(o) ? " allocated by " : " made by ", t->out);
	hd_put_thread(t->out, t->run, o->alloc.thread, true);
	fputs(" at:\n", t->out);
	err = put_event_stack(t, &o->alloc);
	if (!err && o->freed.op) {
		fputs("  and freed by ", t->out);
		hd_put_thread(t->out, t->run, o->freed.thread, true);
		fputs(" at:\n", t->out);
		err = put_event_stack(t, &o->freed);
	}
	putc('\n', t->out);
	return err;
}

static enum hd_err put_where(const struct text *t, const struct hd_finding *f)
{
	const char *file;
	uint32_t line;
	char name[512];

	/* The block of a memory error is told of already. */
	if (!f->location.addr || f->kind == HD_KIND_LOCK_ORDER ||
	    (f->kind == HD_KIND_MEMORY && f->naccesses > 1))
		return HD_OK;
	if (!hd_finding_name(t->run, f, f->location.addr, f->location.size, name, sizeof(name)) &&
	    f->location.origin.alloc.op)
		return put_heap_location(t, f);
	fputs("  Location is ", t->out);
	if (hd_run_module_at(t->run, f->location.addr) &&
	    hd_finding_name(t->run, f, f->location.addr, f->location.size, name, sizeof(name)))
		fputs("global ", t->out);
	hd_put_location(t->out, t->run, f);
	if (t->run->symbols &&
	    hd_symbols_data_decl(t->run->symbols, f->location.addr, &file, &line)) {
		fputs(", declared at ", t->out);
		hd_put_printable(t->out, file);
		fprintf(t->out, ":%" PRIu32, line);
	}
	fputs("\n\n", t->out);
	return HD_OK;
}

#define PAIRS_SHOWN 20u

/* "read of 'table[3].n' at table.c:14 in lookup by T2", of another pair on the same thing. */
static void put_pair_access(const struct text *t, const struct hd_run *run,
			    const struct hd_finding *f, const struct hd_access *a)
{
	const struct hd_frame *top = hd_stack_top(&a->stack);
	char name[512];

	fputs(hd_access_word(&a->event), t->out);
	if (hd_finding_label(run, f, a->event.addr, hd_access_size(&a->event), name,
			     sizeof(name))) {
		fputs(" of ", t->out);
		hd_put_quoted(t->out, name);
	}
	if (top) {
		fputs(" at ", t->out);
		hd_put_site(t->out, top);
	}
	fprintf(t->out, " by T%" PRIu32, a->event.thread);
}

static void put_pair(const struct text *t, const struct hd_finding *f)
{
	const struct hd_run *run = f->home;
	const struct hd_origin *o = &f->location.origin;
	char name[512];

	fputs("    ", t->out);
	for (size_t i = 0; i < f->naccesses; i++) {
		bool race = f->kind == HD_KIND_RACE;

		fputs(!i ? "" : race ? ", after " : ", then ", t->out);
		put_pair_access(t, run, f, &f->accesses[race ? f->naccesses - 1 - i : i]);
	}
	if (o->alloc.op &&
	    !hd_finding_label(run, f, f->location.addr, f->location.size, name, sizeof(name)))
		fprintf(t->out, ", offset %" PRIu64, f->location.addr - o->alloc.addr);
	if (f->certainty.candidate)
		fprintf(t->out, " (possible: %s)",
			f->certainty.verdict ? hd_verdict_word(f) : "not tried");
	putc('\n', t->out);
}

/* The same lines do the same: only what it is done to is another element or offset. */
static bool is_like(const struct hd_finding *a, const struct hd_finding *b)
{
	bool like = a->kind == b->kind && a->naccesses == b->naccesses &&
		    a->certainty.candidate == b->certainty.candidate &&
		    a->certainty.verdict == b->certainty.verdict;

	for (size_t i = 0; like && i < a->naccesses; i++)
		like = hd_is_same_line(&a->accesses[i], &b->accesses[i]) &&
		       !strcmp(hd_access_word(&a->accesses[i].event),
			       hd_access_word(&b->accesses[i].event));
	return like;
}

static bool is_like_one_before(const struct hd_finding *f, size_t i)
{
	bool like = false;

	for (size_t k = 0; k < i && !like; k++)
		like = is_like(&f->others[k], &f->others[i]);
	return like;
}

/* The other pairs of places that race on it. */
static void put_pairs(const struct text *t, const struct hd_finding *f)
{
	size_t shown = 0;

	if (!f->nothers)
		return;
	fprintf(t->out, "  %zu more way%s in which accesses meet on it:\n", f->nothers,
		f->nothers == 1 ? "" : "s");
	for (size_t i = 0; i < f->nothers && shown < PAIRS_SHOWN; i++) {
		if (is_like_one_before(f, i))
			continue;
		put_pair(t, &f->others[i]);
		shown++;
	}
	if (f->nothers > shown)
		fprintf(t->out, "    ... and %zu more%s; --json lists all\n", f->nothers - shown,
			shown < PAIRS_SHOWN ? " at the same lines" : "");
	putc('\n', t->out);
}

/* ---- findings about threads ----------------------------------------------- */

static void put_thread(const struct text *t, const struct hd_finding *f,
		       const struct hd_finding_thread *st)
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
	for (size_t i = 0; i < f->waiting.nheld; i++) {
		uint32_t thread = f->waiting.held[i].thread;
		bool told = hd_finding_thread(f, thread) != NULL;

		for (size_t k = 0; k < i; k++)
			told |= f->waiting.held[k].thread == thread;
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

	for (size_t i = 0; i < f->waiting.ncycle && shown < THREADS_SHOWN; i++, shown++)
		put_thread(t, f, &f->waiting.threads[f->waiting.cycle[i]]);
	for (int involved = 1; involved >= 0; involved--) {
		for (size_t i = 0; i < f->waiting.nthreads && shown < THREADS_SHOWN; i++) {
			const struct hd_finding_thread *st = &f->waiting.threads[i];

			if (st->in_cycle || hd_is_involved(f, st) != involved)
				continue;
			put_thread(t, f, st);
			shown++;
		}
	}
	if (f->waiting.nthreads > shown)
		fprintf(t->out, "  ... and %zu more threads\n\n", f->waiting.nthreads - shown);
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

	for (size_t i = 0; i < f->waiting.nthreads && i < THREADS_SHOWN && !err; i++) {
		if (hd_is_involved(f, &f->waiting.threads[i]))
			err = put_creation(t, f->waiting.threads[i].thread);
	}
	for (size_t i = 0; i < f->naccesses && i < THREADS_SHOWN && !err; i++) {
		bool told = false;

		for (size_t k = 0; k < i; k++)
			told |= f->accesses[k].event.thread == f->accesses[i].event.thread;
		if (!told)
			err = put_creation(t, f->accesses[i].event.thread);
	}
	return err;
}

static void put_switches(const struct text *t, const struct hd_finding *f)
{
	if (!f->moment.choices || !f->moment.nswitches || hd_finding_has_accesses(f))
		return;
	fprintf(t->out, "  Last switches, after %" PRIu64 " scheduling decision%s:\n",
		f->moment.choices, f->moment.choices == 1 ? "" : "s");
	for (size_t i = 0; i < f->moment.nswitches; i++) {
		const struct hd_switch *s = &f->moment.switches[i];

		fprintf(t->out, "    T%" PRIu32 " -> T%" PRIu32 " after ", s->from, s->to);
		hd_put_event(t->out, t->run, &s->last);
		putc('\n', t->out);
	}
	putc('\n', t->out);
}

/* Without these, it would have been as under sequential consistency. */
static void put_older(const struct text *t, const struct hd_finding *f)
{
	if (!f->moment.nolder)
		return;
	fputs("  Older values that were read, as the memory model allows:\n", t->out);
	for (size_t i = 0; i < f->moment.nolder; i++) {
		fputs("    ", t->out);
		hd_put_older(t->out, t->run, &f->moment.older[i]);
		putc('\n', t->out);
	}
	putc('\n', t->out);
}

static void put_summary(const struct text *t, const struct hd_finding *f)
{
	const struct hd_frame *top = hd_finding_top(f);

	color(t, "1");
	fprintf(t->out, "SUMMARY: heddle: %s", hd_title(f));
	if (f->kind == HD_KIND_EXIT) {
		fputs(": ", t->out);
		hd_put_headline(t->out, t->run, f);
	} else if (top) {
		putc(' ', t->out);
		hd_put_site(t->out, top);
	} else if (hd_finding_has_accesses(f) && f->location.addr &&
		   f->kind != HD_KIND_LOCK_ORDER) {
		fputs(" on ", t->out);
		hd_put_location(t->out, t->run, f);
	}
	color(t, "0");
	putc('\n', t->out);
}

static void put_header(const struct text *t, const struct hd_finding *f)
{
	fprintf(t->out, "%s\n", fence);
	color(t, f->certainty.candidate ? "1;33" : "1;31");
	fputs("HEDDLE: ", t->out);
	if (!hd_finding_has_accesses(f))
		fprintf(t->out, "%s: ", hd_title(f));
	hd_put_headline(t->out, t->run, f);
	color(t, "0");
	putc('\n', t->out);
	if (t->run->process[0]) {
		fputs("  In child process ", t->out);
		hd_put_printable(t->out, t->run->process);
		fputs(":\n", t->out);
	}
}

static void put_consequence(const struct text *t, const struct hd_finding *f)
{
	if (!f->consequence.harm)
		return;
	fputs("  Consequence: ", t->out);
	hd_put_consequence(t->out, &f->consequence);
	fputs("\n\n", t->out);
}

static void put_annotations(const struct text *t, const struct hd_finding *f)
{
	for (const struct hd_annotation *a = f->annotations; a; a = a->next) {
		fprintf(t->out, "  Annotation: %s before ", a->acquire);
		hd_put_printable(t->out, a->file ? a->file : "?");
		fprintf(t->out, ":%" PRIu32 ", %s after ", a->first, a->release);
		hd_put_printable(t->out, a->file ? a->file : "?");
		fprintf(t->out, ":%" PRIu32 "\n\n", a->last);
	}
}

static void put_merged(const struct text *t, const struct hd_finding *f)
{
	put_annotations(t, f);
	if (f->why || f->missing) {
		fputs("  Note: ", t->out);
		hd_put_detail(t->out, t->run, f);
		fputs("\n\n", t->out);
	}
	if (f->merged)
		fprintf(t->out, "  And %" PRIu64 " more like this one.\n\n", f->merged);
}

/* What the run that confirms it did in the end. */
static void put_outcome(const struct text *t, const struct hd_finding *f)
{
	if (!f->witness.outcome || f->consequence.harm == HD_HARM_FAILS)
		return;
	fputs("  Outcome: ", t->out);
	hd_put_printable(t->out, f->witness.outcome);
	fputs("\n\n", t->out);
}

static void put_remedy(const struct text *t, const struct hd_finding *f)
{
	if (!f->remedy.text)
		return;
	fputs("  Remedy: ", t->out);
	hd_put_printable(t->out, f->remedy.text);
	fputs("\n\n", t->out);
}

#define STALLS_TOLD 3u

/* Time passed where somebody could have gone on: how long that would have to be. */
static void put_stalls(const struct text *t, const struct hd_finding *f)
{
	const struct hd_stall *stalls;
	size_t n = hd_finding_stalls(t->run, f, &stalls);

	for (size_t i = 0; i < n && i < STALLS_TOLD; i++) {
		fputs("  Needs ", t->out);
		hd_put_stall(t->out, t->run, &stalls[i]);
		putc('\n', t->out);
	}
	if (n > STALLS_TOLD)
		fprintf(t->out, "  and %zu shorter stalls\n", n - STALLS_TOLD);
	if (n)
		putc('\n', t->out);
}

/* A run that was recorded can be looked at in a debugger, too. */
static void put_replay(const struct text *t, const char *command)
{
	static const char recorded[] = "heddle replay ";
	size_t len = sizeof(recorded) - 1;

	if (!command)
		return;
	fprintf(t->out, "  Replay: %s\n", command);
	if (!strncmp(command, recorded, len))
		fprintf(t->out, "  In gdb: %s--gdb %s\n", recorded, command + len);
	putc('\n', t->out);
}

static enum hd_err put_finding(const struct text *list, const struct hd_finding *f)
{
	const struct text own = { .out = list->out,
				  .run = hd_finding_run(list->run, f),
				  .info = list->info },
			  *t = &own;
	enum hd_err err = HD_OK;

	put_header(t, f);
	put_consequence(t, f);
	if (hd_finding_has_accesses(f)) {
		put_accesses(t, f);
		err = put_where(t, f);
		put_pairs(t, f);
	} else {
		put_threads(t, f);
	}
	if (!err)
		err = put_creations(t, f);
	put_older(t, f);
	put_switches(t, f);
	if (!err)
		err = hd_put_columns(t->out, t->run, f);
	put_merged(t, f);
	put_outcome(t, f);
	put_stalls(t, f);
	put_remedy(t, f);
	put_replay(t, f->witness.replay ? f->witness.replay : t->info->replay);
	put_summary(t, f);
	fprintf(t->out, "%s\n", fence);
	return err;
}

/* One line for what is in the baseline. */
static void put_known(const struct text *t, const struct hd_finding *f)
{
	const struct hd_run *run = hd_finding_run(t->run, f);
	const struct hd_frame *top = hd_finding_top(f);

	fputs("HEDDLE: known: ", t->out);
	if (!hd_finding_has_accesses(f))
		fprintf(t->out, "%s: ", hd_title(f));
	hd_put_headline(t->out, run, f);
	if (top) {
		fputs(", ", t->out);
		hd_put_site(t->out, top);
	}
	putc('\n', t->out);
}

bool hd_is_listed(const struct hd_report_info *info, const struct hd_finding *f)
{
	return f->kind != HD_KIND_DIVERGENCE && (!f->certainty.candidate || info->all);
}

static void count_line(const struct text *t, size_t n, const char *what, const char *rest)
{
	if (n)
		fprintf(t->out, "heddle: %zu %s%s %s\n", n, what, n == 1 ? "" : "s", rest);
}

/* What became of the candidates that are no findings. */
static void put_checked_counts(const struct text *t)
{
	const size_t *n = t->info->judged.by_verdict;
	bool list = !t->info->all;

	count_line(t, n[HD_VERDICT_REALISED], "candidate",
		   list ? "happened without visible failure; --all lists them"
			: "happened without visible failure");
	count_line(t, n[HD_VERDICT_INFEASIBLE], "candidate", "proved infeasible");
	count_line(t, n[HD_VERDICT_UNKNOWN], "candidate",
		   list ? "left undecided; --all says why" : "left undecided");
	count_line(t, n[HD_VERDICT_NONE], "candidate", "not tried");
}

static void put_counts(const struct text *t)
{
	const struct hd_judgement *j = &t->info->judged;

	if (t->info->checked)
		put_checked_counts(t);
	else if (!t->info->predicted)
		count_line(t, j->candidates, "candidate",
			   t->info->all ? "not confirmed" : "not confirmed; --all lists them");
	count_line(t, j->known, "finding", "known from the baseline");
	count_line(t, j->suppressed, "finding", "suppressed");
	count_line(t, j->tolerated, "race", "without harm, which --fail-on lets pass");
}

static bool is_told(const struct text *t, const struct hd_finding *f)
{
	return hd_is_listed(t->info, f) && !f->identity.suppression;
}

/* Pairs that the line for @f does not match: without it they would be findings. */
static void put_pair_suppressions(const struct text *t, const struct hd_finding *f)
{
	for (size_t i = 0; i < f->nothers; i++) {
		bool again = hd_same_suppression(t->run, f, &f->others[i]);

		for (size_t k = 0; k < i; k++)
			again |= hd_same_suppression(t->run, &f->others[k], &f->others[i]);
		if (!again)
			hd_put_suppression(t->out, f->others[i].home, &f->others[i]);
	}
}

/* Each line once, however many findings it is for. */
static void put_suppressions(const struct text *t)
{
	const struct hd_finding *all = t->run->findings;

	for (size_t i = 0; i < t->run->nfindings && t->info->gen_suppressions; i++) {
		bool again = false;

		for (size_t k = 0; k < i && is_told(t, &all[i]); k++)
			again |= is_told(t, &all[k]) &&
				 hd_same_suppression(t->run, &all[k], &all[i]);
		if (is_told(t, &all[i]) && !again)
			hd_put_suppression(t->out, hd_finding_run(t->run, &all[i]), &all[i]);
		if (is_told(t, &all[i]))
			put_pair_suppressions(t, &all[i]);
	}
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

/* @any: something was told, in which names may be missing; @left_out: so many were not. */
static void put_notes(const struct text *t, bool any, size_t left_out)
{
	const struct hd_run *run = t->run;
	const char *note;

	if (any && t->info->tell_stopped)
		put_note(t, "stopped early: ", hd_stopped_words(t->info->stopped));
	for (size_t i = 0; t->info->notes && t->info->notes[i]; i++)
		put_note(t, "", t->info->notes[i]);
	if (any)
		put_note(t, "", t->info->checked_only);
	if (any && run->unhooked.n) {
		fputs("note: heddle does not see what code without hooks does, and it may play "
		      "a part in this",
		      t->out);
		hd_put_unhooked(t->out, &run->unhooked);
		putc('\n', t->out);
	}
	for (size_t i = 0; (note = hd_suppressions_unused(t->info->suppressions, i)); i++)
		put_note(t, "this suppression matched nothing: ", note);
	for (size_t i = 0; i < run->noutside; i++)
		put_note(t, "the run depends on the outside world: ",
			 hd_trace_string(run->trace, run->outside[i]));
	for (size_t i = 0; any && run->symbols && (note = hd_symbols_note(run->symbols, i)); i++)
		put_note(t, "", note);
	if (left_out)
		fprintf(t->out,
			"note: %zu more findings are not shown here; --json, --sarif and --junit have "
			"all of them\n",
			left_out);
	if (run->damage[0])
		put_note(t, "the trace is incomplete: ", run->damage);
}

const char *hd_stopped_words(const char *stopped)
{
	static const struct {
		const char *stopped, *words;
	} all[] = {
		{ "time", "--time ran out" },
		{ "memory", "--memory ran out" },
		{ "executions", "--executions ran out" },
		{ "interrupted", "it was interrupted" },
		{ "finding", "it stopped at the first finding; --keep-going continues" },
		{ "unshown", "faults were met that the runs for the report do not show" },
		{ "unfinished", "some runs did not come to their end" },
		{ "diverged", "the program does not do the same under the same schedule" },
		{ "depth", "executions were cut off (--depth)" },
		{ "model", "there were more atomic operations than the memory model remembers" },
		{ "mixed", "the memory model does not have all of the program's operations" },
		{ "spins", "loops that wait were not followed to their end (--spins)" },
		{ "steps", "the run was ended after --max-steps scheduling points" },
		{ "calm",
		  "the run was ended when nothing had happened for ten million scheduling points; "
		  "that is not proved to be a livelock" },
		{ "sampled", "only some random orders were run" },
		{ "unhooked", "code without hooks takes part in it" },
		{ "outside", "other processes take part in it" },
		{ "mappings", "the same memory is mapped at several addresses" },
		{ "damaged", "the program wrote over what heddle shares with it" },
		{ "part", "it is one part of several; `heddle report merge` puts them together" },
		{ "parts", "parts of it are missing, or are not of one search" },
		{ "detection", "races were not looked for all the time; `drops` says why" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!strcmp(all[i].stopped, stopped))
			return all[i].words;
	}
	return stopped;
}

bool hd_stopped_unshown(const char *stopped)
{
	return stopped && !strcmp(stopped, "unshown");
}

static void put_nothing_found(const struct text *t)
{
	const struct hd_run *run = t->run;
	char word[32];

	if (hd_stopped_unshown(t->info->stopped))
		fputs("heddle: faults were met, but none is shown, in ", t->out);
	else
		fprintf(t->out, "heddle: no %s%sfindings in ", t->info->judged.known ? "new " : "",
			t->info->judged.tolerated ? "harmful " : "");
	if (t->info->checked)
		fprintf(t->out, "%" PRIu64 " run%s", t->info->executions,
			t->info->executions == 1 ? "" : "s");
	else
		fputs("this run", t->out);
	fprintf(t->out, " (%zu thread%s", run->nthreads, run->nthreads == 1 ? "" : "s");
	if (run->children)
		fprintf(t->out, ", %" PRIu64 " child process%s", run->children,
			run->children == 1 ? "" : "es");
	if (t->info->analysis)
		fprintf(t->out, ", %" PRIu64 " event%s", run->events, run->events == 1 ? "" : "s");
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
	if (t->info->stopped)
		fprintf(t->out, ", but not everything was tried: %s",
			hd_stopped_words(t->info->stopped));
	if (t->info->checked_only) {
		fputs("; ", t->out);
		hd_put_printable(t->out, t->info->checked_only);
	}
	putc('\n', t->out);
}

static void put_divergence(const struct text *t, const struct hd_finding *f)
{
	fputs("heddle: ", t->out);
	hd_put_divergence(t->out, t->run, f);
	putc('\n', t->out);
}

#define SHOWN_MAX 1000u /* nobody reads more */

static enum hd_err put_findings(const struct text *t, bool *any, size_t *left_out)
{
	enum hd_err err = HD_OK;
	size_t shown[2] = { 0 };

	for (int candidates = 0; candidates < 2; candidates++) {
		for (size_t i = 0; i < t->run->nfindings && !err; i++) {
			const struct hd_finding *f = &t->run->findings[i];

			if (!is_told(t, f) || f->certainty.candidate != candidates)
				continue;
			*any = true;
			/* A flood of races must not hide the crash that comes after it. */
			if (shown[f->kind == HD_KIND_RACE]++ >= SHOWN_MAX) {
				++*left_out;
				continue;
			}
			if (f->identity.known && !t->info->all)
				put_known(t, f);
			else
				err = put_finding(t, f);
		}
	}
	return err;
}

enum hd_err hd_report_finding(FILE *out, const struct hd_run *run,
			      const struct hd_report_info *info, const struct hd_finding *f)
{
	struct hd_report_info plain = *info;
	const struct text t = { .out = out, .run = run, .info = &plain };

	plain.color = false;
	return put_finding(&t, f);
}

enum hd_err hd_report_text(FILE *out, const struct hd_run *run, const struct hd_report_info *info)
{
	const struct text t = { .out = out, .run = run, .info = info };
	const struct hd_finding *divergence = hd_run_divergence(run);
	bool any = divergence != NULL;
	size_t left_out = 0;
	enum hd_err err;

	if (divergence)
		put_divergence(&t, divergence);
	err = put_findings(&t, &any, &left_out);
	if (!divergence && !hd_run_faults(run) && !info->quiet)
		put_nothing_found(&t);
	if (any || !info->quiet) {
		put_counts(&t);
		put_suppressions(&t);
		put_drops(&t);
		put_notes(&t, any, left_out);
		if (info->outcomes)
			hd_put_outcomes(out, info);
	}
	return err ? err : ferror(out) ? HD_ERR_IO : HD_OK;
}
