/*
 * The report for code hosts: a log in SARIF 2.1.0 with one run, a rule for each kind and a
 * result for each finding, made from the document of --json.
 */
#include <stdlib.h>
#include <string.h>

#include "common/json_out.h"
#include "document.h"
#include "report.h"

typedef const struct hd_json_value value;

struct log {
	struct hd_json j;
	const struct hd_document *doc;
	bool no_memory;
};

static size_t rule_of(value *f)
{
	const char *kind = hd_json_get_text(f, "kind");
	size_t i = 0;

	while (i + 1 < HD_RULES && kind && strcmp(hd_rules[i].word, kind))
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

/* A string of the document under another name, if it is there. */
static void put_copy(struct log *l, const char *key, value *from, const char *name)
{
	const char *text = hd_json_get_text(from, name);

	if (text)
		hd_json_str(&l->j, key, text);
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
	const char *root = hd_json_get_text(l->doc->root, "root");
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

static void put_physical(struct log *l, value *frame)
{
	uint64_t line = hd_json_get_number(frame, "line");

	hd_json_open(&l->j, "physicalLocation", '{');
	hd_json_open(&l->j, "artifactLocation", '{');
	put_uri(l, hd_json_get_text(frame, "file"));
	hd_json_close(&l->j, '}');
	if (line) {
		hd_json_open(&l->j, "region", '{');
		hd_json_uint(&l->j, "startLine", line);
		hd_json_close(&l->j, '}');
	}
	hd_json_close(&l->j, '}');
}

/* A location object: the file and line, the function, and a message. */
static void put_location(struct log *l, const char *key, value *frame, const char *message)
{
	const char *function = hd_json_get_text(frame, "function");

	hd_json_open(&l->j, key, '{');
	if (hd_json_get_text(frame, "file"))
		put_physical(l, frame);
	if (function) {
		hd_json_open(&l->j, "logicalLocations", '[');
		hd_json_open(&l->j, NULL, '{');
		hd_json_str(&l->j, "name", function);
		hd_json_str(&l->j, "kind", "function");
		hd_json_close(&l->j, '}');
		hd_json_close(&l->j, ']');
	}
	if (message)
		put_message(l, "message", message);
	hd_json_close(&l->j, '}');
}

static void put_stack(struct log *l, value *frame)
{
	hd_json_open(&l->j, "stack", '{');
	hd_json_open(&l->j, "frames", '[');
	for (; frame; frame = frame->next) {
		hd_json_open(&l->j, NULL, '{');
		put_location(l, "location", frame, NULL);
		put_copy(l, "module", frame, "module");
		hd_json_close(&l->j, '}');
	}
	hd_json_close(&l->j, ']');
	hd_json_close(&l->j, '}');
}

/* ---- flows ------------------------------------------------------------------ */

static bool same_thread(value *a, value *b)
{
	const char *x = hd_json_get_text(a, "thread"), *y = hd_json_get_text(b, "thread");

	return x && y && !strcmp(x, y);
}

/* Where a thread of a deadlock, say, stands is told once, with the thread. */
static value *stack_of(value *f, value *access)
{
	value *t = hd_json_items(f, "threads");

	if (hd_json_get(access, "stack"))
		return hd_json_items(access, "stack");
	while (t && !same_thread(t, access))
		t = t->next;
	return hd_json_items(t, "stack");
}

static void put_flow_access(struct log *l, value *f, value *access, size_t order)
{
	hd_json_open(&l->j, NULL, '{');
	put_location(l, "location", access, hd_json_get_text(access, "text"));
	put_stack(l, stack_of(f, access));
	if (hd_json_get(access, "stack")) { /* it happened, in this order */
		hd_json_uint(&l->j, "executionOrder", order);
		hd_json_str(&l->j, "importance", "essential");
	}
	hd_json_close(&l->j, '}');
}

/* A flow for each thread; the order of execution goes across them. */
static void put_thread_flow(struct log *l, value *f, value *first, size_t order)
{
	hd_json_open(&l->j, NULL, '{');
	put_copy(l, "id", first, "thread");
	hd_json_open(&l->j, "locations", '[');
	for (value *a = first; a; a = a->next, order++) {
		if (a == first || same_thread(a, first))
			put_flow_access(l, f, a, order);
	}
	hd_json_close(&l->j, ']');
	hd_json_close(&l->j, '}');
}

static void put_flows(struct log *l, value *f)
{
	value *accesses = hd_json_items(f, "accesses");
	size_t order = 1;

	if (!accesses)
		return; /* an empty one is not allowed */
	hd_json_open(&l->j, "codeFlows", '[');
	hd_json_open(&l->j, NULL, '{');
	hd_json_open(&l->j, "threadFlows", '[');
	for (value *a = accesses; a; a = a->next, order++) {
		value *before = accesses;

		while (before != a && !same_thread(before, a))
			before = before->next;
		if (before == a)
			put_thread_flow(l, f, a, order);
	}
	hd_json_close(&l->j, ']');
	hd_json_close(&l->j, '}');
	hd_json_close(&l->j, ']');
}

/* ---- results ---------------------------------------------------------------- */

/* " between iteration 3 of ... and iteration 4 of ...": of a race, or the first two of a torn block. */
static void put_constructs(FILE *out, value *f)
{
	const char *before = " between ", *text;
	value *access = hd_json_items(f, "accesses");

	for (int i = 0; access && i < 2; i++, access = access->next) {
		text = hd_json_get_text(hd_json_get(access, "construct"), "text");
		if (!text)
			continue;
		fprintf(out, "%s%s", before, text);
		before = " and ";
	}
}

static void put_result_message(struct log *l, value *f)
{
	struct caught text;

	hd_json_open(&l->j, "message", '{');
	if (catch_text(l, &text)) {
		hd_document_put_headline(text.out, f);
		put_constructs(text.out, f);
		let_go(l, &text, "text");
	}
	hd_json_close(&l->j, '}');
}

static void put_suppressions(struct log *l, const char *line)
{
	/* Once any result has the property, all must: an empty one says "not suppressed". */
	hd_json_open(&l->j, "suppressions", '[');
	if (line) {
		hd_json_open(&l->j, NULL, '{');
		hd_json_str(&l->j, "kind", "external");
		hd_json_str(&l->j, "justification", line);
		hd_json_close(&l->j, '}');
	}
	hd_json_close(&l->j, ']');
}

static void put_properties(struct log *l, value *f)
{
	hd_json_open(&l->j, "properties", '{');
	put_copy(l, "verdict", f, "verdict");
	put_copy(l, "established", f, "established");
	put_copy(l, "pattern", f, "pattern");
	put_copy(l, "detail", f, "detail");
	put_copy(l, "outcome", f, "outcome");
	put_copy(l, "replay", f, "replay");
	hd_json_close(&l->j, '}');
}

static void put_result(void *ctx, value *f, bool candidate)
{
	struct log *l = ctx;
	value *site = hd_json_get(f, "site");
	uint64_t merged = hd_json_get_number(f, "merged");

	hd_json_open(&l->j, NULL, '{');
	hd_json_str(&l->j, "ruleId", hd_rules[rule_of(f)].word);
	hd_json_uint(&l->j, "ruleIndex", rule_of(f));
	hd_json_str(&l->j, "level", candidate ? "note" : "error");
	put_result_message(l, f);
	hd_json_open(&l->j, "locations", '[');
	if (hd_json_get_text(site, "file") || hd_json_get_text(site, "function"))
		put_location(l, NULL, site, NULL);
	hd_json_close(&l->j, ']');
	put_flows(l, f);
	hd_json_open(&l->j, "partialFingerprints", '{');
	put_copy(l, "heddle/v1", f, "id");
	hd_json_close(&l->j, '}');
	if (hd_json_get_bool(l->doc->root, "baseline"))
		hd_json_str(&l->j, "baselineState",
			    hd_json_get_bool(f, "known") ? "unchanged" : "new");
	put_suppressions(l, hd_json_get_text(f, "suppressed"));
	if (merged)
		hd_json_uint(&l->j, "occurrenceCount", merged + 1);
	put_properties(l, f);
	hd_json_close(&l->j, '}');
}

static void put_tool(struct log *l)
{
	hd_json_open(&l->j, "tool", '{');
	hd_json_open(&l->j, "driver", '{');
	hd_json_str(&l->j, "name", "heddle");
	hd_json_str(&l->j, "version", HD_VERSION);
	hd_json_open(&l->j, "rules", '[');
	for (size_t i = 0; i < HD_RULES; i++) {
		hd_json_open(&l->j, NULL, '{');
		hd_json_str(&l->j, "id", hd_rules[i].word);
		hd_json_str(&l->j, "name", hd_rules[i].sarif);
		put_message(l, "shortDescription", hd_rules[i].text);
		hd_json_open(&l->j, "defaultConfiguration", '{');
		hd_json_str(&l->j, "level", "error");
		hd_json_close(&l->j, '}');
		hd_json_close(&l->j, '}');
	}
	hd_json_close(&l->j, ']');
	hd_json_close(&l->j, '}');
	hd_json_close(&l->j, '}');
}

static void put_notification(struct log *l, const char *text)
{
	hd_json_open(&l->j, NULL, '{');
	hd_json_str(&l->j, "level", "note");
	put_message(l, "message", text);
	hd_json_close(&l->j, '}');
}

static void put_drop(struct log *l, value *drop)
{
	struct caught c;

	if (!catch_text(l, &c))
		return;
	fprintf(c.out, "dropped %s: %s", drop->text, drop->key);
	l->no_memory |= fclose(c.out) != 0;
	put_notification(l, c.text);
	free(c.text);
}

static void put_stopped(struct log *l)
{
	const char *stopped = hd_document_stopped(l->doc);
	struct caught c;

	if (!stopped || !catch_text(l, &c))
		return;
	fprintf(c.out, "not everything was tried: %s", hd_stopped_words(stopped));
	l->no_memory |= fclose(c.out) != 0;
	put_notification(l, c.text);
	free(c.text);
}

static void put_invocation(struct log *l)
{
	value *drops = hd_json_get(l->doc->root, "drops");

	hd_json_open(&l->j, "invocations", '[');
	hd_json_open(&l->j, NULL, '{');
	hd_json_bool(&l->j, "executionSuccessful", true);
	hd_json_open(&l->j, "toolExecutionNotifications", '[');
	for (value *drop = drops ? drops->first : NULL; drop; drop = drop->next) {
		if (drop->key && drop->kind == HD_JSON_NUMBER)
			put_drop(l, drop);
	}
	put_stopped(l);
	for (value *note = hd_json_items(l->doc->root, "notes"); note; note = note->next) {
		if (note->kind == HD_JSON_STRING)
			put_notification(l, note->text);
	}
	hd_json_close(&l->j, ']');
	hd_json_close(&l->j, '}');
	hd_json_close(&l->j, ']');
}

enum hd_err hd_sarif_write(FILE *out, const struct hd_document *doc)
{
	struct log l = { .doc = doc };

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
	hd_document_each(doc, put_result, &l);
	hd_json_close(&l.j, ']');
	hd_json_close(&l.j, '}');
	hd_json_close(&l.j, ']');
	hd_json_close(&l.j, '}');
	fflush(out);
	return l.no_memory ? HD_ERR_NOMEM : ferror(out) ? HD_ERR_IO : HD_OK;
}
