/*
 * The report for tools: one JSON document, docs/reference/findings.schema.json.
 */
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "block_names.h"
#include "common/json_out.h"
#include "columns.h"
#include "constructs.h"
#include "divergence.h"
#include "explain.h"
#include "printable.h"
#include "one_cause.h"
#include "source_lines.h"
#include "report_outcomes.h"

struct doc {
	struct hd_json j;
	const struct hd_run *run;
	const struct hd_report_info *info;
	bool no_memory;
};

/* A sentence that explain.c writes, caught as a string. */
struct sentence {
	FILE *out;
	char *text;
	size_t len;
};

static bool sentence_open(struct doc *d, struct sentence *s)
{
	*s = (struct sentence){ 0 };
	s->out = open_memstream(&s->text, &s->len);
	d->no_memory |= !s->out;
	return s->out != NULL;
}

static void sentence_close(struct doc *d, struct sentence *s, const char *key)
{
	if (fclose(s->out) != 0)
		d->no_memory = true;
	hd_json_str(&d->j, key, s->text);
	free(s->text);
}

static void put_detail(struct doc *d, const struct hd_finding *f)
{
	struct sentence s;

	if (!f->why && !f->missing)
		hd_json_str(&d->j, "detail", NULL);
	else if (sentence_open(d, &s)) {
		hd_put_detail(s.out, d->run, f);
		sentence_close(d, &s, "detail");
	}
}

static void put_thread_id(struct doc *d, const char *key, uint32_t thread)
{
	char buf[16];

	snprintf(buf, sizeof(buf), "T%" PRIu32, thread);
	hd_json_str(&d->j, key, thread ? buf : NULL);
}

static void put_variable(struct doc *d, const char *key, uint64_t addr, const char *what)
{
	struct sentence s;
	char name[512];

	if (!addr)
		hd_json_null(&d->j, key);
	else if (hd_object_name(d->run, addr, name, sizeof(name)))
		hd_json_str(&d->j, key, name);
	else if (sentence_open(d, &s)) {
		hd_put_object(s.out, d->run, addr, what);
		sentence_close(d, &s, key);
	}
}

static void put_source(struct doc *d, const struct hd_frame *f)
{
	hd_json_str(&d->j, "function", f ? f->function : NULL);
	hd_json_str(&d->j, "file", f ? f->file : NULL);
	if (f && f->line)
		hd_json_uint(&d->j, "line", f->line);
	else
		hd_json_null(&d->j, "line");
}

static void put_frame(struct doc *d, const char *key, const struct hd_frame *f)
{
	if (!f) {
		hd_json_null(&d->j, key);
		return;
	}
	hd_json_open(&d->j, key, '{');
	put_source(d, f);
	hd_json_str(&d->j, "module", f->module);
	hd_json_uint(&d->j, "offset", f->offset);
	hd_json_bool(&d->j, "inlined", f->inlined);
	hd_json_close(&d->j, '}');
}

static void put_stack(struct doc *d, const struct hd_stack *s)
{
	hd_json_open(&d->j, "stack", '[');
	for (size_t i = 0; i < s->nframes; i++)
		put_frame(d, NULL, &s->frames[i]);
	hd_json_close(&d->j, ']');
}

static void put_held(struct doc *d, const struct hd_holding *held, size_t n, uint32_t thread)
{
	hd_json_open(&d->j, "locks", '[');
	for (size_t i = 0; i < n; i++) {
		if (held[i].thread == thread)
			put_variable(d, NULL, held[i].addr, hd_lock_word(held[i].mode));
	}
	hd_json_close(&d->j, ']');
}

static void put_locks(struct doc *d, const struct hd_finding *f, uint32_t thread)
{
	put_held(d, f->waiting.held, f->waiting.nheld, thread);
}

static const char *role_of(const struct hd_finding *f)
{
	switch (f->kind) {
	case HD_KIND_DEADLOCK:
		return "waiter";
	case HD_KIND_LIVELOCK:
		return "spinner";
	default:
		return "culprit";
	}
}

/* What the thread was doing, in a word. */
static const char *op_of(const struct hd_finding_thread *st)
{
	static const char *const words[HD_TS_LIMIT] = {
		[HD_TS_MUTEX] = "lock",
		[HD_TS_RWLOCK_READ] = "read-lock",
		[HD_TS_RWLOCK_WRITE] = "write-lock",
		[HD_TS_SPIN] = "spin-lock",
		[HD_TS_OMP_LOCK] = "lock",
		[HD_TS_COND] = "wait",
		[HD_TS_BARRIER] = "barrier",
		[HD_TS_SEM] = "down",
		[HD_TS_ONCE] = "once",
		[HD_TS_JOIN] = "join",
		[HD_TS_FUTEX] = "futex",
		[HD_TS_SLEEP] = "sleep",
		[HD_TS_IO] = "io",
		[HD_TS_SIGNAL] = "signal",
		[HD_TS_CHILD] = "child",
		[HD_TS_FILE] = "stream-lock",
		[HD_TS_FINISH] = "finish",
		[HD_TS_FUTURE] = "future",
		[HD_TS_PHASER] = "phaser",
		[HD_TS_ISOLATED] = "isolated",
		[HD_TS_MAILBOX] = "mailbox",
		[HD_TS_ASSUMPTION] = "assumption",
		[HD_TS_TEAM] = "barrier",
		[HD_TS_TASKS] = "taskwait",
		[HD_TS_EVENT] = "detach",
		[HD_TS_TURN] = "ordered",
		[HD_TS_SINGLE] = "single",
	};

	return st->state < HD_TS_LIMIT && words[st->state] ? words[st->state] : "run";
}

static void put_value(struct doc *d, const char *key, bool known, uint64_t value)
{
	if (known)
		hd_json_uint(&d->j, key, value);
	else
		hd_json_null(&d->j, key);
}

/* What it is on: what the finding is on or, if that is nothing in particular, by its own name. */
static void put_accessed(FILE *out, struct doc *d, const struct hd_finding *f,
			 const struct hd_access *a)
{
	char name[512];

	if (f->location.addr) {
		fputs(" of ", out);
		hd_put_location(out, d->run, f);
	} else if (hd_location_name(d->run, a->event.addr, a->event.size, name, sizeof(name))) {
		fputs(" of ", out);
		hd_put_quoted(out, name);
	}
}

/* "T2 "worker": write of 'balance', value 150 (e2)", for those who show one access alone. */
static void put_access_text(struct doc *d, const struct hd_finding *f, const struct hd_access *a)
{
	struct sentence s;

	if (!sentence_open(d, &s))
		return;
	hd_put_thread(s.out, d->run, a->event.thread, true);
	if (f->kind == HD_KIND_LOCK_ORDER) {
		fprintf(s.out, " %s ", a->role);
		hd_put_object(s.out, d->run, a->event.addr, hd_lock_word(a->event.arg));
	} else {
		fprintf(s.out, ": %s", hd_access_word(&a->event));
		if (a->event.addr && hd_op_info[a->event.op].addr == HD_U_LOC)
			put_accessed(s.out, d, f, a);
		if (a->has_value)
			fprintf(s.out, ", value %" PRIu64, a->event.value);
		hd_put_within(s.out, ", ", d->run, &a->within);
		fprintf(s.out, " (%s)", a->role);
	}
	sentence_close(d, &s, "text");
}

/* The same of a thread that the finding is about: "T2 waits for mutex 'a'". */
static void put_standing_text(struct doc *d, const struct hd_finding *f,
			      const struct hd_finding_thread *st)
{
	struct sentence s;

	if (!sentence_open(d, &s))
		return;
	hd_put_thread(s.out, d->run, st->thread, true);
	putc(' ', s.out);
	hd_put_state(s.out, d->run, f, st);
	sentence_close(d, &s, "text");
}

/* The construct of OpenMP that an access is in. */
static void put_within(struct doc *d, const struct hd_within *w)
{
	struct hd_construct_text t;
	struct sentence s;

	if (!hd_construct_text(d->run, w, &t)) {
		hd_json_null(&d->j, "construct");
		return;
	}
	hd_json_open(&d->j, "construct", '{');
	hd_json_str(&d->j, "name", t.word);
	hd_json_str(&d->j, "part", t.part);
	put_value(d, "number", t.part != NULL, w->number);
	put_source(d, &t.frame);
	if (sentence_open(d, &s)) {
		hd_put_within(s.out, "", d->run, w);
		sentence_close(d, &s, "text");
	}
	hd_json_close(&d->j, '}');
}

/* The op of a lock that is held or wanted says so; of an access it is a word like "read". */
static void put_access(struct doc *d, const struct hd_finding *f, const struct hd_access *a)
{
	bool locks = f->kind == HD_KIND_LOCK_ORDER;
	const struct hd_frame *top = hd_stack_top(&a->stack);
	uint64_t size = hd_access_size(&a->event);
	char name[512], line[160];
	bool quoted;

	hd_json_open(&d->j, NULL, '{');
	hd_json_str(&d->j, "role", a->role);
	put_thread_id(d, "thread", a->event.thread);
	hd_json_str(&d->j, "op", hd_access_word(&a->event));
	put_value(d, "value", a->has_value, a->event.value);
	if (a->event.op == HD_OP_ATOMIC_RMW)
		put_value(d, "written", a->has_value, a->event.value2);
	put_value(d, "size", size != 0, size);
	put_value(d, "event", a->index != HD_NO_INDEX, a->index);
	if (locks)
		put_variable(d, "variable", a->event.addr, hd_lock_word(a->event.arg));
	else
		hd_json_str(&d->j, "variable",
			    hd_finding_label(d->run, f, a->event.addr, size, name, sizeof(name))
				    ? name
				    : NULL);
	put_source(d, top);
	quoted = top && hd_source_line(top, line, sizeof(line));
	hd_json_str(&d->j, "source", quoted ? line : NULL);
	hd_json_str(&d->j, "path", quoted ? hd_source_path(top) : NULL);
	put_within(d, &a->within);
	put_held(d, a->held, a->nheld, a->event.thread);
	put_stack(d, &a->stack);
	put_access_text(d, f, a);
	hd_json_close(&d->j, '}');
}

static void put_accesses(struct doc *d, const struct hd_finding *f)
{
	hd_json_open(&d->j, "accesses", '[');
	for (size_t i = 0; i < f->naccesses; i++)
		put_access(d, f, &f->accesses[i]);
	for (size_t i = 0; i < f->waiting.nthreads; i++) {
		const struct hd_finding_thread *st = &f->waiting.threads[i];

		if (!hd_is_involved(f, st))
			continue;
		hd_json_open(&d->j, NULL, '{');
		hd_json_str(&d->j, "role", role_of(f));
		put_thread_id(d, "thread", st->thread);
		hd_json_str(&d->j, "op", op_of(st));
		hd_json_null(&d->j, "value");
		put_source(d, hd_stack_top(&st->stack));
		put_locks(d, f, st->thread);
		put_standing_text(d, f, st);
		hd_json_close(&d->j, '}');
	}
	hd_json_close(&d->j, ']');
}

static void put_creation(struct doc *d, const struct hd_run_thread *t)
{
	struct hd_frame frame = { 0 };

	if (!t || !t->creator) {
		hd_json_null(&d->j, "created");
		return;
	}
	hd_run_frame(d->run, t->fork_pc, &frame);
	hd_json_open(&d->j, "created", '{');
	put_thread_id(d, "by", t->creator);
	put_source(d, &frame);
	hd_json_close(&d->j, '}');
}

static void put_threads(struct doc *d, const struct hd_finding *f)
{
	hd_json_open(&d->j, "threads", '[');
	for (size_t i = 0; i < f->waiting.nthreads; i++) {
		const struct hd_finding_thread *st = &f->waiting.threads[i];
		const struct hd_run_thread *t = hd_run_thread(d->run, st->thread);
		struct sentence s;

		hd_json_open(&d->j, NULL, '{');
		put_thread_id(d, "thread", st->thread);
		hd_json_str(&d->j, "name",
			    t && t->name ? hd_trace_string(d->run->trace, t->name) : NULL);
		if (sentence_open(d, &s)) {
			hd_put_state(s.out, d->run, f, st);
			sentence_close(d, &s, "state");
		}
		put_locks(d, f, st->thread);
		put_creation(d, t);
		put_stack(d, &st->stack);
		hd_json_close(&d->j, '}');
	}
	hd_json_close(&d->j, ']');
}

/* The last access of each thread that the finding is about, as its state. */
static void put_access_threads(struct doc *d, const struct hd_finding *f)
{
	hd_json_open(&d->j, "threads", '[');
	for (size_t i = 0; i < f->naccesses; i++) {
		const struct hd_access *a = &f->accesses[i];
		const struct hd_run_thread *t = hd_run_thread(d->run, a->event.thread);
		bool last = true;

		for (size_t k = i + 1; k < f->naccesses; k++)
			last &= f->accesses[k].event.thread != a->event.thread;
		if (!last)
			continue;
		hd_json_open(&d->j, NULL, '{');
		put_thread_id(d, "thread", a->event.thread);
		hd_json_str(&d->j, "name",
			    t && t->name ? hd_trace_string(d->run->trace, t->name) : NULL);
		hd_json_str(&d->j, "state", hd_access_word(&a->event));
		put_held(d, a->held, a->nheld, a->event.thread);
		put_creation(d, t);
		put_stack(d, &a->stack);
		hd_json_close(&d->j, '}');
	}
	hd_json_close(&d->j, ']');
}

static void put_event_place(struct doc *d, const char *key, const struct hd_event *ev)
{
	struct hd_frame frame = { 0 };

	if (!ev->op) {
		hd_json_null(&d->j, key);
		return;
	}
	hd_run_frame(d->run, ev->pc, &frame);
	hd_json_open(&d->j, key, '{');
	put_thread_id(d, "by", ev->thread);
	put_source(d, &frame);
	hd_json_close(&d->j, '}');
}

static void put_location(struct doc *d, const struct hd_finding *f)
{
	const struct hd_origin *o = &f->location.origin;
	bool named, heap;
	char name[512];

	if (!f->location.addr || f->kind == HD_KIND_LOCK_ORDER) {
		hd_json_null(&d->j, "location");
		return;
	}
	named = hd_finding_name(d->run, f, f->location.addr, f->location.size, name, sizeof(name));
	heap = !named && hd_is_heap_block(o);
	hd_json_open(&d->j, "location", '{');
	hd_json_str(&d->j, "kind",
		    named							  ? "variable"
		    : heap							  ? "heap"
		    : hd_is_main_stack(f->location.addr) || hd_is_thread_stack(o) ? "stack"
										  : "other");
	put_value(d, "size", heap, o->alloc.value);
	put_value(d, "offset", heap, f->location.addr - o->alloc.addr);
	put_event_place(d, "allocated", heap ? &o->alloc : &(struct hd_event){ 0 });
	put_event_place(d, "freed", heap ? &o->freed : &(struct hd_event){ 0 });
	hd_json_close(&d->j, '}');
}

static void put_interleaving(struct doc *d, const struct hd_finding *f)
{
	hd_json_open(&d->j, "interleaving", '[');
	for (size_t i = 0; i < f->interleaving.nsteps; i++) {
		const struct hd_step *s = &f->interleaving.steps[i];
		struct hd_frame frame = { 0 };
		struct sentence text;

		hd_run_frame(d->run, s->event.pc, &frame);
		hd_json_open(&d->j, NULL, '{');
		put_thread_id(d, "thread", s->event.thread);
		if (sentence_open(d, &text)) {
			hd_put_step(text.out, d->run, s);
			sentence_close(d, &text, "step");
		}
		put_source(d, &frame);
		hd_json_bool(&d->j, "access", s->is_access);
		hd_json_bool(&d->j, "switch", s->switched);
		if (f->interleaving.reordered && f->interleaving.reordered != HD_WOULD_TEAR)
			hd_json_bool(&d->j, "done", s->when == HD_STEP_DONE);
		hd_json_uint(&d->j, "skipped", s->skipped);
		hd_json_close(&d->j, '}');
	}
	hd_json_close(&d->j, ']');
}

/* The object that the finding is about: told by the runtime, or what the first waits for. */
static void put_subject(struct doc *d, const struct hd_finding *f)
{
	uint64_t addr = f->location.addr;
	struct sentence s;
	char name[512];

	if (hd_finding_has_accesses(f) && addr) {
		if (hd_finding_label(d->run, f, addr, f->location.size, name, sizeof(name)))
			hd_json_str(&d->j, "variable", name);
		else if (sentence_open(d, &s)) {
			hd_put_location(s.out, d->run, f);
			sentence_close(d, &s, "variable");
		}
		return;
	}
	/* Where a wild pointer pointed is no variable. */
	if (f->kind == HD_KIND_CRASH && !f->location.origin.alloc.op &&
	    !hd_object_name(d->run, addr, name, sizeof(name)))
		addr = 0;
	if (f->kind == HD_KIND_DEADLOCK && f->waiting.ncycle &&
	    f->waiting.threads[f->waiting.cycle[0]].state != HD_TS_JOIN)
		addr = f->waiting.threads[f->waiting.cycle[0]].addr;
	put_variable(d, "variable", addr, f->kind == HD_KIND_CRASH ? "memory" : "object");
}

static void put_members(struct doc *d, const struct hd_finding *f)
{
	char name[512], last[512] = "";

	hd_json_open(&d->j, "variables", '[');
	for (size_t i = 0; i < f->location.nmembers; i++) {
		if (!hd_member_name(d->run, &f->location.members[i], name, sizeof(name)) ||
		    !strcmp(name, last))
			continue;
		hd_json_str(&d->j, NULL, name);
		snprintf(last, sizeof(last), "%s", name);
	}
	hd_json_close(&d->j, ']');
}

static void put_annotation(struct doc *d, const struct hd_annotation *a)
{
	hd_json_open(&d->j, "annotation", '{');
	hd_json_str(&d->j, "acquire", a->acquire);
	hd_json_str(&d->j, "release", a->release);
	hd_json_str(&d->j, "file", a->file);
	hd_json_uint(&d->j, "first_line", a->first);
	hd_json_uint(&d->j, "last_line", a->last);
	hd_json_close(&d->j, '}');
}

static void put_stalls(struct doc *d, const struct hd_finding *f)
{
	const struct hd_stall *stalls;
	size_t n = hd_finding_stalls(d->run, f, &stalls);
	struct sentence s;

	hd_json_open(&d->j, "stalls", '[');
	for (size_t i = 0; i < n; i++) {
		struct hd_frame frame;

		hd_json_open(&d->j, NULL, '{');
		put_thread_id(d, "thread", stalls[i].thread);
		hd_json_uint(&d->j, "ns", stalls[i].ns);
		put_source(d, stalls[i].pc && hd_run_frame(d->run, stalls[i].pc, &frame) ? &frame
											 : NULL);
		if (sentence_open(d, &s)) {
			fputs("needs ", s.out);
			hd_put_stall(s.out, d->run, &stalls[i]);
			sentence_close(d, &s, "text");
		}
		hd_json_close(&d->j, '}');
	}
	hd_json_close(&d->j, ']');
}

/* Reads of older values, by the memory model; nothing under sequential consistency. */
static void put_older(struct doc *d, const struct hd_finding *f)
{
	if (!f->moment.nolder)
		return;
	hd_json_open(&d->j, "older_values", '[');
	for (size_t i = 0; i < f->moment.nolder; i++) {
		const struct hd_older *o = &f->moment.older[i];
		struct hd_frame frame = { 0 };
		struct sentence s;

		hd_run_frame(d->run, o->read.pc, &frame);
		hd_json_open(&d->j, NULL, '{');
		put_thread_id(d, "thread", o->read.thread);
		put_source(d, &frame);
		put_value(d, "event", o->index != HD_NO_INDEX, o->index);
		hd_json_uint(&d->j, "value", o->read.value);
		put_event_place(d, "written", &o->from);
		put_event_place(d, "newest", &o->newest);
		if (sentence_open(d, &s)) {
			hd_put_older(s.out, d->run, o);
			sentence_close(d, &s, "text");
		}
		hd_json_close(&d->j, '}');
	}
	hd_json_close(&d->j, ']');
}

/* As people are told it, for those who have only the document. */
static void put_text(struct doc *d, const struct hd_finding *f)
{
	struct sentence s;

	if (!sentence_open(d, &s))
		return;
	d->no_memory |= hd_report_finding(s.out, d->run, d->info, f) != HD_OK;
	sentence_close(d, &s, "text");
}

static void put_pair(struct doc *d, const struct hd_run *run, const struct hd_finding *f)
{
	const struct hd_run *list = d->run;
	char name[512];

	d->run = run;
	hd_json_open(&d->j, NULL, '{');
	hd_json_str(&d->j, "verdict", hd_verdict_word(f));
	hd_json_uint(&d->j, "merged", f->merged);
	hd_json_str(&d->j, "consequence", f->consequence.harm ? f->consequence.word : NULL);
	hd_json_open(&d->j, "accesses", '[');
	for (size_t i = 0; i < f->naccesses; i++) {
		const struct hd_access *a = &f->accesses[i];
		bool named = hd_finding_label(run, f, a->event.addr, hd_access_size(&a->event),
					      name, sizeof(name));

		hd_json_open(&d->j, NULL, '{');
		put_thread_id(d, "thread", a->event.thread);
		hd_json_str(&d->j, "op", hd_access_word(&a->event));
		hd_json_str(&d->j, "variable", named ? name : NULL);
		put_source(d, hd_stack_top(&a->stack));
		hd_json_close(&d->j, '}');
	}
	hd_json_close(&d->j, ']');
	hd_json_str(&d->j, "replay", f->witness.replay ? f->witness.replay : d->info->replay);
	hd_json_close(&d->j, '}');
	d->run = list;
}

/* All pairs of places that race on it, the one that is told of in full among them. */
static void put_pairs(struct doc *d, const struct hd_finding *f)
{
	hd_json_open(&d->j, "pairs", '[');
	put_pair(d, d->run, f);
	for (size_t i = 0; i < f->nothers; i++)
		put_pair(d, f->others[i].home, &f->others[i]);
	hd_json_close(&d->j, ']');
}

static void put_consequence(struct doc *d, const struct hd_finding *f)
{
	const struct hd_consequence *c = &f->consequence;
	struct sentence s;

	if (!c->harm) {
		hd_json_null(&d->j, "consequence");
		return;
	}
	hd_json_open(&d->j, "consequence", '{');
	hd_json_str(&d->j, "kind", c->word);
	hd_json_bool(&d->j, "harmless", hd_race_is_harmless(f));
	hd_json_uint(&d->j, "orders", c->orders);
	if (sentence_open(d, &s)) {
		hd_put_consequence(s.out, c);
		sentence_close(d, &s, "text");
	}
	hd_json_close(&d->j, '}');
}

static void put_remedy(struct doc *d, const struct hd_remedy *r)
{
	if (!r->text) {
		hd_json_null(&d->j, "remedy");
		return;
	}
	hd_json_open(&d->j, "remedy", '{');
	hd_json_bool(&d->j, "found", r->found);
	hd_json_uint(&d->j, "schedules", r->schedules);
	hd_json_str(&d->j, "text", r->text);
	hd_json_close(&d->j, '}');
}

/* NULL: the program itself. */
static const char *process_of(const struct doc *d, const struct hd_finding *f)
{
	const char *process = hd_finding_run(d->run, f)->process;

	return *process ? process : NULL;
}

static void put_finding(struct doc *d, const struct hd_finding *f)
{
	struct sentence s;

	hd_json_open(&d->j, NULL, '{');
	hd_json_str(&d->j, "id", f->identity.id);
	hd_json_str(&d->j, "kind", hd_kind_word(f->kind));
	hd_json_str(&d->j, "verdict", hd_verdict_word(f));
	hd_json_str(&d->j, "established", f->certainty.established);
	hd_json_str(&d->j, "pattern", *f->pattern ? f->pattern : NULL);
	put_subject(d, f);
	hd_json_str(&d->j, "title", hd_title(f));
	put_frame(d, "site", hd_finding_top(f));
	if (sentence_open(d, &s)) {
		hd_put_headline(s.out, d->run, f);
		sentence_close(d, &s, "summary");
	}
	hd_json_str(&d->j, "process", process_of(d, f));
	put_detail(d, f);
	if (f->annotations)
		put_annotation(d, f->annotations);
	put_value(d, "group", f->location.group >= 0, (uint64_t)f->location.group);
	if (f->location.nmembers)
		put_members(d, f);
	hd_json_uint(&d->j, "merged", f->merged);
	hd_json_bool(&d->j, "known", f->identity.known);
	hd_json_bool(&d->j, "tolerated", f->identity.tolerated);
	hd_json_str(&d->j, "suppressed", f->identity.suppression);
	put_accesses(d, f);
	if (f->kind == HD_KIND_RACE) {
		put_consequence(d, f);
		put_pairs(d, f);
	}
	put_remedy(d, &f->remedy);
	put_location(d, f);
	put_interleaving(d, f);
	if (hd_finding_has_accesses(f))
		put_access_threads(d, f);
	else
		put_threads(d, f);
	put_text(d, f);
	hd_json_str(&d->j, "outcome", f->witness.outcome);
	put_stalls(d, f);
	put_older(d, f);
	hd_json_str(&d->j, "schedule",
		    f->witness.schedule ? f->witness.schedule : d->info->schedule);
	hd_json_str(&d->j, "replay", f->witness.replay ? f->witness.replay : d->info->replay);
	hd_json_close(&d->j, '}');
}

static void put_numbers(struct doc *d, const char *key, const uint64_t *list, size_t n)
{
	hd_json_open(&d->j, key, '[');
	for (size_t i = 0; i < n; i++)
		hd_json_uint(&d->j, NULL, list[i]);
	hd_json_close(&d->j, ']');
}

static void put_pattern_details(struct doc *d, const struct hd_report_pattern *p)
{
	const uint64_t window[] = { p->window_first, p->window_end };

	hd_json_bool(&d->j, "relaxed", p->relaxed);
	if (p->window_first < p->window_end)
		put_numbers(d, "window", window, 2);
	else
		hd_json_null(&d->j, "window");
	hd_json_str(&d->j, "proof", p->proof);
	hd_json_str(&d->j, "why", p->why && *p->why ? p->why : NULL);
	hd_json_str(&d->j, "plan", p->plan);
}

static void put_pattern(struct doc *d, const struct hd_report_pattern *p)
{
	hd_json_open(&d->j, NULL, '{');
	if (p->other) {
		hd_json_str(&d->j, "text", p->text);
		put_numbers(d, "order", p->order, p->norder);
		put_numbers(d, "next", p->next, p->nnext);
	} else {
		hd_json_uint(&d->j, "e1", p->e1);
		hd_json_uint(&d->j, "f", p->f);
		hd_json_uint(&d->j, "e2", p->e2);
	}
	hd_json_str(&d->j, "kind", p->kind);
	hd_json_str(&d->j, "verdict", p->verdict);
	hd_json_uint(&d->j, "us", p->us);
	if (p->run)
		hd_json_bool(&d->j, "reached", p->reached);
	if (p->detailed)
		put_pattern_details(d, p);
	hd_json_close(&d->j, '}');
}

static void put_patterns(struct doc *d, const char *key, bool other)
{
	hd_json_open(&d->j, key, '[');
	for (size_t i = 0; i < d->info->npatterns; i++) {
		if (d->info->patterns[i].other == other)
			put_pattern(d, &d->info->patterns[i]);
	}
	hd_json_close(&d->j, ']');
}

static void put_program(struct doc *d)
{
	const struct hd_run *run = d->run;

	hd_json_open(&d->j, "program", '{');
	hd_json_open(&d->j, "argv", '[');
	for (int i = 0; i < hd_trace_argc(run->trace); i++)
		hd_json_str(&d->j, NULL, hd_trace_argv(run->trace, i));
	hd_json_close(&d->j, ']');
	if (run->exited == 1)
		hd_json_int(&d->j, "exit", run->code);
	else
		hd_json_null(&d->j, "exit");
	if (run->exited == 0)
		hd_json_int(&d->j, "signal", run->code);
	else
		hd_json_null(&d->j, "signal");
	hd_json_close(&d->j, '}');
}

static void put_options(struct doc *d)
{
	hd_json_open(&d->j, "options", '{');
	for (size_t i = 0; i < hd_trace_noptions(d->run->trace); i++) {
		const char *key, *value;

		hd_trace_option_at(d->run->trace, i, &key, &value);
		hd_json_str(&d->j, key, value);
	}
	hd_json_close(&d->j, '}');
}

static void put_tries(struct doc *d, const struct hd_report_tries *t)
{
	hd_json_open(&d->j, "tries", '{');
	hd_json_uint(&d->j, "candidates", t->candidates);
	hd_json_uint(&d->j, "tried", t->tried);
	hd_json_uint(&d->j, "partly", t->partly);
	hd_json_uint(&d->j, "runs", t->runs);
	hd_json_uint(&d->j, "first", t->first);
	hd_json_close(&d->j, '}');
}

static void put_stats(struct doc *d)
{
	const struct hd_run *run = d->run;

	hd_json_open(&d->j, "stats", '{');
	hd_json_uint(&d->j, "events", run->events);
	hd_json_uint(&d->j, "threads", run->nthreads);
	hd_json_uint(&d->j, "children", run->children);
	hd_json_uint(&d->j, "executions", d->info->executions ? d->info->executions : 1);
	hd_json_uint(&d->j, "assumed", d->info->assumed);
	hd_json_uint(&d->j, "states", d->info->states);
	hd_json_uint(&d->j, "transitions",
		     d->info->transitions ? d->info->transitions : run->choices);
	hd_json_bool(&d->j, "complete",
		     !run->damage[0] && !d->info->cut_short && !d->info->stopped);
	hd_json_str(&d->j, "stopped", d->info->stopped);
	hd_json_real(&d->j, "seconds", d->info->seconds);
	hd_json_uint(&d->j, "candidates", d->info->judged.candidates);
	hd_json_uint(&d->j, "known", d->info->judged.known);
	hd_json_uint(&d->j, "tolerated", d->info->judged.tolerated);
	hd_json_uint(&d->j, "suppressed", d->info->judged.suppressed);
	if (d->info->tries)
		put_tries(d, d->info->tries);
	if (d->info->exploration)
		hd_json_exploration(&d->j, d->info->exploration);
	hd_json_close(&d->j, '}');
}

static void put_drops(struct doc *d)
{
	hd_json_open(&d->j, "drops", '{');
	for (size_t i = 0; i < hd_trace_ndrops(d->run->trace); i++) {
		const char *reason;
		uint64_t count;

		hd_trace_drop_at(d->run->trace, i, &reason, &count);
		hd_json_uint(&d->j, reason, count);
	}
	hd_json_close(&d->j, '}');
}

static void put_note(struct doc *d, const char *note)
{
	if (note)
		hd_json_str(&d->j, NULL, note);
}

static void put_notes(struct doc *d)
{
	const struct hd_run *run = d->run;
	struct sentence s;
	const char *note;

	hd_json_open(&d->j, "notes", '[');
	put_note(d, d->info->checked_only);
	for (size_t i = 0; d->info->notes && d->info->notes[i]; i++)
		put_note(d, d->info->notes[i]);
	for (size_t i = 0; run->symbols && (note = hd_symbols_note(run->symbols, i)); i++)
		put_note(d, note);
	for (size_t i = 0; (note = hd_suppressions_unused(d->info->suppressions, i)); i++) {
		if (!sentence_open(d, &s))
			continue;
		fprintf(s.out, "this suppression matched nothing: %s", note);
		sentence_close(d, &s, NULL);
	}
	if (run->damage[0] && sentence_open(d, &s)) {
		fprintf(s.out, "the trace is incomplete: %s", run->damage);
		sentence_close(d, &s, NULL);
	}
	hd_json_close(&d->j, ']');
	if (run->unhooked_known) {
		hd_json_open(&d->j, "unhooked", '[');
		for (size_t i = 0; i < run->unhooked.n; i++)
			hd_json_str(&d->j, NULL, run->unhooked.names[i]);
		hd_json_close(&d->j, ']');
	}
	hd_json_open(&d->j, "outside", '[');
	for (size_t i = 0; i < run->noutside; i++)
		put_note(d, hd_trace_string(run->trace, run->outside[i]));
	hd_json_close(&d->j, ']');
}

static void put_divergence(struct doc *d)
{
	const struct hd_finding *f = hd_run_divergence(d->run);
	const char *text = f && f->text ? hd_trace_string(d->run->trace, f->text) : NULL;
	char *sentence = NULL;
	size_t len = 0;
	FILE *out = f && f->divergence.why ? open_memstream(&sentence, &len) : NULL;

	if (out) {
		hd_put_divergence(out, d->run, f);
		fclose(out);
		text = sentence;
	}
	hd_json_str(&d->j, "divergence", f && !text ? "the replay left its schedule" : text);
	free(sentence);
	if (d->info->by_plan)
		hd_json_bool(&d->j, "goal", d->run->goal);
}

enum list { FINDINGS, CANDIDATES, SUPPRESSED };

/* With --all, what is suppressed is among the others; else it is kept apart from what counts. */
static enum list list_of(const struct doc *d, const struct hd_finding *f)
{
	if (f->identity.suppression && !d->info->all)
		return SUPPRESSED;
	return f->certainty.candidate ? CANDIDATES : FINDINGS;
}

static void put_list(struct doc *d, const char *key, enum list list)
{
	const struct hd_run *run = d->run;

	hd_json_open(&d->j, key, '[');
	for (size_t i = 0; i < run->nfindings; i++) {
		const struct hd_finding *f = &run->findings[i];

		d->run = hd_finding_run(run, f);
		if (hd_is_listed(d->info, f) && list_of(d, f) == list)
			put_finding(d, f);
	}
	d->run = run;
	hd_json_close(&d->j, ']');
}

static void put_hash(struct doc *d, const char *key, uint64_t h)
{
	char text[17];

	snprintf(text, sizeof(text), "%016" PRIx64, h);
	hd_json_str(&d->j, key, text);
}

static void put_part(struct doc *d, const struct hd_report_part *p)
{
	hd_json_open(&d->j, "part", '{');
	hd_json_uint(&d->j, "number", p->number);
	hd_json_uint(&d->j, "of", p->of);
	hd_json_bool(&d->j, "complete", p->complete);
	hd_json_bool(&d->j, "whole", p->whole);
	put_hash(d, "split", p->split);
	put_hash(d, "program", p->program);
	put_hash(d, "options", p->options);
	hd_json_str(&d->j, "heddle", HD_VERSION);
	hd_json_close(&d->j, '}');
}

enum hd_err hd_report_json(FILE *out, const struct hd_run *run, const struct hd_report_info *info)
{
	struct doc d = { .run = run, .info = info };

	hd_json_init(&d.j, out);
	hd_json_open(&d.j, NULL, '{');
	hd_json_uint(&d.j, "version", 1);
	hd_json_str(&d.j, "command", info->command);
	put_program(&d);
	put_options(&d);
	put_divergence(&d);
	hd_json_str(&d.j, "root", info->root);
	hd_json_bool(&d.j, "baseline", info->baseline);
	if (info->part)
		put_part(&d, info->part);
	put_list(&d, "findings", FINDINGS);
	put_list(&d, "candidates", CANDIDATES);
	put_list(&d, "suppressed", SUPPRESSED);
	put_patterns(&d, "patterns", false);
	put_patterns(&d, "goals", true);
	put_stats(&d);
	if (info->outcomes)
		hd_json_outcomes(&d.j, info);
	put_drops(&d);
	put_notes(&d);
	hd_json_close(&d.j, '}');
	fflush(out);
	return d.no_memory ? HD_ERR_NOMEM : ferror(out) ? HD_ERR_IO : HD_OK;
}
