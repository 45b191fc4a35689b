/*
 * The report for code hosts: a log in SARIF 2.1.0 with one run, a rule for each kind and a
 * result for each finding.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_out.h"
#include "explain.h"
#include "report.h"

struct log {
	struct hd_json j;
	const struct hd_run *run;
	const struct hd_report_info *info;
	bool no_memory;
};

static const struct rule {
	unsigned kind;
	const char *id, *name, *text;
} rules[] = {
	{ HD_FIND_RACE, "race", "DataRace",
	  "Two threads access the same memory, one of them writes, and nothing orders them." },
	{ HD_KIND_EXTENDED_RACE, "extended-race", "ExtendedDataRace",
	  "Threads work on variables that belong together, and no lock keeps them apart "
	  "throughout." },
	{ HD_KIND_ATOMICITY, "atomicity", "AtomicityViolation",
	  "A block that is meant to be atomic is torn apart by another thread." },
	{ HD_FIND_DEADLOCK, "deadlock", "Deadlock",
	  "Threads wait for each other, or for what nobody can do any more." },
	{ HD_FIND_LIVELOCK, "livelock", "Livelock", "Threads run without getting anywhere." },
	{ HD_FIND_CRASH, "crash", "Crash", "The program was ended by a fault." },
	{ HD_FIND_ASSERTION, "assertion", "AssertionFailure",
	  "An assertion of the program failed." },
	{ HD_FIND_MISUSE, "misuse", "ThreadLibraryMisuse",
	  "The thread library is used in a way that is undefined or an error." },
	{ HD_FIND_PERMISSION, "permission", "PermissionConflict",
	  "Two tasks have permission regions of the same thing at once, one of them to write." },
	{ HD_KIND_SHARING, "sharing", "UnannotatedSharing",
	  "A task accesses what others access in parallel, outside of permission regions." },
};
#define NRULES (sizeof(rules) / sizeof(rules[0]))

static size_t rule_of(const struct hd_finding *f)
{
	size_t i = 0;

	while (i + 1 < NRULES && strcmp(rules[i].id, hd_kind_word(f->kind)))
		i++;
	return i;
}

/* ---- texts ----------------------------------------------------------------- */

struct caught {
	FILE *out;
	char *text;
	size_t len;
};

static bool catch_text(struct log *l, struct caught *c)
{
	*c = (struct caught){ 0 };
	c->out = open_memstream(&c->text, &c->len);
	l->no_memory |= !c->out;
	return c->out != NULL;
}

/* What was caught, as "key": "text". */
static void let_go(struct log *l, struct caught *c, const char *key)
{
	l->no_memory |= fclose(c->out) != 0;
	hd_json_str(&l->j, key, c->text);
	free(c->text);
}

static void put_message(struct log *l, const char *key, const char *text)
{
	hd_json_open(&l->j, key, '{');
	hd_json_str(&l->j, "text", text);
	hd_json_close(&l->j, '}');
}

/* ---- places ---------------------------------------------------------------- */

/* As RFC 3986 wants it: what is no unreserved character, byte by byte. */
static void put_encoded(FILE *out, const char *path)
{
	for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
		bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			     (*p >= '0' && *p <= '9') || strchr("-._~/", *p);

		if (plain)
			putc(*p, out);
		else
			fprintf(out, "%%%02X", *p);
	}
}

/* Relative to the root where the file lies below it, else as a file: URI. */
static void put_uri(struct log *l, const char *file)
{
	const char *root = l->info->root;
	size_t len = root ? strlen(root) : 0;
	struct caught uri;

	if (!catch_text(l, &uri))
		return;
	if (len && !strncmp(file, root, len) && file[len] == '/')
		file += len + 1;
	while (!strncmp(file, "./", 2))
		file += 2;
	if (*file == '/')
		fputs("file://", uri.out);
	put_encoded(uri.out, file);
	let_go(l, &uri, "uri");
}

static void put_physical(struct log *l, const struct hd_frame *f)
{
	hd_json_open(&l->j, "physicalLocation", '{');
	hd_json_open(&l->j, "artifactLocation", '{');
	put_uri(l, f->file);
	hd_json_close(&l->j, '}');
	if (f->line) {
		hd_json_open(&l->j, "region", '{');
		hd_json_uint(&l->j, "startLine", f->line);
		hd_json_close(&l->j, '}');
	}
	hd_json_close(&l->j, '}');
}

/* A location object: the file and line, the function, and a message. */
static void put_location(struct log *l, const char *key, const struct hd_frame *f,
			 struct caught *message)
{
	hd_json_open(&l->j, key, '{');
	if (f && f->file)
		put_physical(l, f);
	if (f && f->function) {
		hd_json_open(&l->j, "logicalLocations", '[');
		hd_json_open(&l->j, NULL, '{');
		hd_json_str(&l->j, "name", f->function);
		hd_json_str(&l->j, "kind", "function");
		hd_json_close(&l->j, '}');
		hd_json_close(&l->j, ']');
	}
	if (message) {
		hd_json_open(&l->j, "message", '{');
		let_go(l, message, "text");
		hd_json_close(&l->j, '}');
	}
	hd_json_close(&l->j, '}');
}

static void put_stack(struct log *l, const struct hd_stack *s)
{
	hd_json_open(&l->j, "stack", '{');
	hd_json_open(&l->j, "frames", '[');
	for (size_t i = 0; i < s->nframes; i++) {
		hd_json_open(&l->j, NULL, '{');
		put_location(l, "location", &s->frames[i], NULL);
		if (s->frames[i].module)
			hd_json_str(&l->j, "module", s->frames[i].module);
		hd_json_close(&l->j, '}');
	}
	hd_json_close(&l->j, ']');
	hd_json_close(&l->j, '}');
}

/* ---- flows ------------------------------------------------------------------ */

static void put_access_text(struct log *l, FILE *out, const struct hd_finding *f,
			    const struct hd_access *a)
{
	hd_put_thread(out, l->run, a->event.thread, true);
	if (f->kind == HD_KIND_LOCK_ORDER) {
		fprintf(out, " %s ", a->role);
		hd_put_object(out, l->run, a->event.addr, hd_lock_word(a->event.arg));
		return;
	}
	fprintf(out, ": %s", hd_access_word(&a->event));
	if (a->event.addr && hd_op_info[a->event.op].addr == HD_U_LOC) {
		fputs(" of ", out);
		hd_put_location(out, l->run, f);
	}
	if (a->has_value)
		fprintf(out, ", value %" PRIu64, a->event.value);
	fprintf(out, " (%s)", a->role);
}

static void put_flow_access(struct log *l, const struct hd_finding *f, const struct hd_access *a,
			    size_t order)
{
	struct caught text;

	if (!catch_text(l, &text))
		return;
	put_access_text(l, text.out, f, a);
	hd_json_open(&l->j, NULL, '{');
	put_location(l, "location", hd_stack_top(&a->stack), &text);
	put_stack(l, &a->stack);
	hd_json_uint(&l->j, "executionOrder", order);
	hd_json_str(&l->j, "importance", "essential");
	hd_json_close(&l->j, '}');
}

static void put_flow_standing(struct log *l, const struct hd_finding *f,
			      const struct hd_standing *st)
{
	struct caught text;

	if (!catch_text(l, &text))
		return;
	hd_put_thread(text.out, l->run, st->thread, true);
	putc(' ', text.out);
	hd_put_state(text.out, l->run, f, st);
	hd_json_open(&l->j, NULL, '{');
	put_location(l, "location", hd_stack_top(&st->stack), &text);
	put_stack(l, &st->stack);
	hd_json_close(&l->j, '}');
}

static void open_thread_flow(struct log *l, uint32_t thread)
{
	char id[16];

	snprintf(id, sizeof(id), "T%" PRIu32, thread);
	hd_json_open(&l->j, NULL, '{');
	hd_json_str(&l->j, "id", id);
	hd_json_open(&l->j, "locations", '[');
}

static void close_thread_flow(struct log *l)
{
	hd_json_close(&l->j, ']');
	hd_json_close(&l->j, '}');
}

/* A flow for each thread; the order of execution goes across them. */
static void put_access_flows(struct log *l, const struct hd_finding *f)
{
	for (size_t i = 0; i < f->naccesses; i++) {
		uint32_t thread = f->accesses[i].event.thread;
		bool told = false;

		for (size_t k = 0; k < i; k++)
			told |= f->accesses[k].event.thread == thread;
		if (told)
			continue;
		open_thread_flow(l, thread);
		for (size_t k = i; k < f->naccesses; k++) {
			if (f->accesses[k].event.thread == thread)
				put_flow_access(l, f, &f->accesses[k], k + 1);
		}
		close_thread_flow(l);
	}
}

static bool has_flow(const struct hd_finding *f)
{
	for (size_t i = 0; i < f->nthreads; i++) {
		if (hd_is_involved(f, &f->threads[i]))
			return true;
	}
	return f->naccesses > 0;
}

static void put_flows(struct log *l, const struct hd_finding *f)
{
	if (!has_flow(f))
		return; /* an empty one is not allowed */
	hd_json_open(&l->j, "codeFlows", '[');
	hd_json_open(&l->j, NULL, '{');
	hd_json_open(&l->j, "threadFlows", '[');
	put_access_flows(l, f);
	for (size_t i = 0; i < f->nthreads; i++) {
		if (!hd_is_involved(f, &f->threads[i]))
			continue;
		open_thread_flow(l, f->threads[i].thread);
		put_flow_standing(l, f, &f->threads[i]);
		close_thread_flow(l);
	}
	hd_json_close(&l->j, ']');
	hd_json_close(&l->j, '}');
	hd_json_close(&l->j, ']');
}

/* ---- results ---------------------------------------------------------------- */

static void put_result_message(struct log *l, const struct hd_finding *f)
{
	struct caught text;

	hd_json_open(&l->j, "message", '{');
	if (catch_text(l, &text)) {
		if (!hd_finding_has_accesses(f))
			fprintf(text.out, "%s: ", hd_title(f));
		hd_put_headline(text.out, l->run, f);
		let_go(l, &text, "text");
	}
	hd_json_close(&l->j, '}');
}

static void put_suppressions(struct log *l, const struct hd_finding *f)
{
	/* Once any result has the property, all must: an empty one says "not suppressed". */
	hd_json_open(&l->j, "suppressions", '[');
	if (f->suppression) {
		hd_json_open(&l->j, NULL, '{');
		hd_json_str(&l->j, "kind", "external");
		hd_json_str(&l->j, "justification", f->suppression);
		hd_json_close(&l->j, '}');
	}
	hd_json_close(&l->j, ']');
}

static void put_result(struct log *l, const struct hd_finding *f)
{
	const struct hd_frame *top = hd_finding_top(f);

	hd_json_open(&l->j, NULL, '{');
	hd_json_str(&l->j, "ruleId", rules[rule_of(f)].id);
	hd_json_uint(&l->j, "ruleIndex", rule_of(f));
	hd_json_str(&l->j, "level", f->candidate ? "note" : "error");
	put_result_message(l, f);
	hd_json_open(&l->j, "locations", '[');
	if (top && (top->file || top->function))
		put_location(l, NULL, top, NULL);
	hd_json_close(&l->j, ']');
	put_flows(l, f);
	hd_json_open(&l->j, "partialFingerprints", '{');
	hd_json_str(&l->j, "heddle/v1", f->id);
	hd_json_close(&l->j, '}');
	if (l->info->baseline)
		hd_json_str(&l->j, "baselineState", f->known ? "unchanged" : "new");
	put_suppressions(l, f);
	if (f->merged)
		hd_json_uint(&l->j, "occurrenceCount", f->merged + 1);
	hd_json_open(&l->j, "properties", '{');
	hd_json_str(&l->j, "verdict", hd_verdict_word(f));
	if (f->established)
		hd_json_str(&l->j, "established", f->established);
	if (*f->pattern)
		hd_json_str(&l->j, "pattern", f->pattern);
	if (f->why)
		hd_json_str(&l->j, "detail", f->why);
	if (f->outcome)
		hd_json_str(&l->j, "outcome", f->outcome);
	if (f->replay || l->info->replay)
		hd_json_str(&l->j, "replay", f->replay ? f->replay : l->info->replay);
	hd_json_close(&l->j, '}');
	hd_json_close(&l->j, '}');
}

static void put_tool(struct log *l)
{
	hd_json_open(&l->j, "tool", '{');
	hd_json_open(&l->j, "driver", '{');
	hd_json_str(&l->j, "name", "heddle");
	hd_json_str(&l->j, "version", HD_VERSION);
	hd_json_open(&l->j, "rules", '[');
	for (size_t i = 0; i < NRULES; i++) {
		hd_json_open(&l->j, NULL, '{');
		hd_json_str(&l->j, "id", rules[i].id);
		hd_json_str(&l->j, "name", rules[i].name);
		put_message(l, "shortDescription", rules[i].text);
		hd_json_open(&l->j, "defaultConfiguration", '{');
		hd_json_str(&l->j, "level", "error");
		hd_json_close(&l->j, '}');
		hd_json_close(&l->j, '}');
	}
	hd_json_close(&l->j, ']');
	hd_json_close(&l->j, '}');
	hd_json_close(&l->j, '}');
}

static void put_notification(struct log *l, const char *before, const char *text)
{
	struct caught c;

	if (!text || !catch_text(l, &c))
		return;
	fprintf(c.out, "%s%s", before, text);
	hd_json_open(&l->j, NULL, '{');
	hd_json_str(&l->j, "level", "note");
	hd_json_open(&l->j, "message", '{');
	let_go(l, &c, "text");
	hd_json_close(&l->j, '}');
	hd_json_close(&l->j, '}');
}

static void put_notifications(struct log *l)
{
	const struct hd_run *run = l->run;
	const char *note;

	hd_json_open(&l->j, "toolExecutionNotifications", '[');
	for (size_t i = 0; i < hd_trace_ndrops(run->trace); i++) {
		const char *reason;
		char count[48];
		uint64_t n;

		hd_trace_drop_at(run->trace, i, &reason, &n);
		snprintf(count, sizeof(count), "dropped %" PRIu64 ": ", n);
		put_notification(l, count, reason);
	}
	for (size_t i = 0; l->info->notes && l->info->notes[i]; i++)
		put_notification(l, "", l->info->notes[i]);
	for (size_t i = 0; (note = hd_suppressions_unused(l->info->suppressions, i)); i++)
		put_notification(l, "this suppression matched nothing: ", note);
	if (run->damage[0])
		put_notification(l, "the trace is incomplete: ", run->damage);
	hd_json_close(&l->j, ']');
}

static void put_invocation(struct log *l)
{
	hd_json_open(&l->j, "invocations", '[');
	hd_json_open(&l->j, NULL, '{');
	hd_json_bool(&l->j, "executionSuccessful", true);
	put_notifications(l);
	hd_json_close(&l->j, '}');
	hd_json_close(&l->j, ']');
}

enum hd_err hd_report_sarif(FILE *out, const struct hd_run *run, const struct hd_report_info *info)
{
	struct log l = { .run = run, .info = info };

	hd_json_init(&l.j, out);
	hd_json_open(&l.j, NULL, '{');
	hd_json_str(&l.j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	hd_json_str(&l.j, "version", "2.1.0");
	hd_json_open(&l.j, "runs", '[');
	hd_json_open(&l.j, NULL, '{');
	put_tool(&l);
	put_invocation(&l);
	hd_json_str(&l.j, "columnKind", "utf16CodeUnits");
	hd_json_open(&l.j, "results", '[');
	for (size_t i = 0; i < run->nfindings; i++) {
		l.run = hd_finding_run(run, &run->findings[i]);
		if (hd_is_listed(info, &run->findings[i]))
			put_result(&l, &run->findings[i]);
		l.run = run;
	}
	hd_json_close(&l.j, ']');
	hd_json_close(&l.j, '}');
	hd_json_close(&l.j, ']');
	hd_json_close(&l.j, '}');
	fflush(out);
	return l.no_memory ? HD_ERR_NOMEM : ferror(out) ? HD_ERR_IO : HD_OK;
}
