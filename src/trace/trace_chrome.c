#include "trace_chrome.h"

#include <inttypes.h>

#include "common/json_out.h"
#include "common/map.h"

#define PID 1

struct chrome {
	struct hd_json json;
	struct hd_namer namer;
	struct hd_map threads; /* those met -> 1 */
	uint64_t now;
	uint32_t running; /* thread, since `since` */
	uint64_t since;
};

static void open_event(struct chrome *c, const char *phase, const char *name, uint32_t thread,
		       uint64_t ts)
{
	hd_json_open(&c->json, NULL, '{');
	hd_json_str(&c->json, "ph", phase);
	hd_json_str(&c->json, "name", name);
	hd_json_uint(&c->json, "pid", PID);
	hd_json_uint(&c->json, "tid", thread);
	hd_json_uint(&c->json, "ts", ts);
}

static void close_event(struct chrome *c)
{
	hd_json_close(&c->json, '}');
}

static void thread_name(struct chrome *c, uint32_t thread, const char *name)
{
	char plain[32];

	snprintf(plain, sizeof(plain), "T%u", thread);
	open_event(c, "M", "thread_name", thread, 0);
	hd_json_open(&c->json, "args", '{');
	hd_json_str(&c->json, "name", name ? name : plain);
	hd_json_close(&c->json, '}');
	close_event(c);
}

static void end_stretch(struct chrome *c)
{
	if (c->now == c->since)
		return;
	open_event(c, "X", "runs", c->running, c->since);
	hd_json_uint(&c->json, "dur", c->now - c->since);
	close_event(c);
}

/* Spans that outlive a stretch go to tracks of their own; id keeps begin and end together. */
static void span(struct chrome *c, const char *phase, const char *category, const char *name,
		 const struct hd_event *ev)
{
	char id[64];

	snprintf(id, sizeof(id), "T%u.%" PRIx64, ev->thread, ev->addr);
	open_event(c, phase, name, ev->thread, c->now);
	hd_json_str(&c->json, "cat", category);
	hd_json_str(&c->json, "id", id);
	close_event(c);
}

static void instant(struct chrome *c, const struct hd_event *ev)
{
	const struct hd_op_info *info = &hd_op_info[ev->op];
	const char *file;
	uint32_t line;
	char place[512];

	open_event(c, "i", info->name, ev->thread, c->now);
	hd_json_str(&c->json, "s", "t");
	hd_json_open(&c->json, "args", '{');
	hd_json_uint(&c->json, "event", c->now);
	if (info->addr == HD_U_LOC)
		hd_json_str(&c->json, "location", hd_name_location(&c->namer, ev->addr, ev->size));
	else if (info->addr == HD_U_OBJ)
		hd_json_str(&c->json, "object", hd_name_object(&c->namer, ev->addr, ev->op));
	if (info->value != HD_U_NONE)
		hd_json_int(&c->json, "value", (int64_t)ev->value);
	if (info->value2 != HD_U_NONE)
		hd_json_int(&c->json, "value2", (int64_t)ev->value2);
	if (hd_name_site(&c->namer, ev->pc, &file, &line) && file) {
		snprintf(place, sizeof(place), "%s:%u", file, line);
		hd_json_str(&c->json, "at", place);
	}
	hd_json_close(&c->json, '}');
	close_event(c);
}

static enum hd_err meet(struct chrome *c, const struct hd_event *ev)
{
	if (!hd_map_get(&c->threads, ev->thread)) {
		if (!hd_map_set(&c->threads, ev->thread, 1))
			return HD_ERR_NOMEM;
		thread_name(c, ev->thread, NULL);
	}
	if (ev->op == HD_OP_THREAD_NAME)
		thread_name(c, (uint32_t)ev->value, hd_trace_string(c->namer.t, ev->value2));
	if (ev->thread != c->running) {
		end_stretch(c);
		c->running = ev->thread;
		c->since = c->now;
	}
	return HD_OK;
}

static enum hd_err put(struct chrome *c, const struct hd_event *ev)
{
	enum hd_err err = meet(c, ev);

	if (err)
		return err;
	switch (ev->op) {
	case HD_OP_ACQUIRE:
		span(c, "b", "lock", hd_name_object(&c->namer, ev->addr, ev->op), ev);
		break;
	case HD_OP_RELEASE:
		span(c, "e", "lock", hd_name_object(&c->namer, ev->addr, ev->op), ev);
		break;
	case HD_OP_BEGIN:
	case HD_OP_END:
		span(c, ev->op == HD_OP_BEGIN ? "b" : "e", "block", "block", ev);
		break;
	default:
		instant(c, ev);
	}
	c->now++;
	return HD_OK;
}

/* All events; the document is closed even if the trace is damaged. */
static enum hd_err put_all(struct chrome *c, struct hd_trace *t, struct hd_errbuf *eb)
{
	const struct hd_event *ev;
	enum hd_err err;
	size_t n;

	hd_trace_rewind(t);
	for (;;) {
		err = hd_trace_next(t, &ev, &n, eb);
		if (err || !n)
			return err;
		for (size_t i = 0; i < n; i++) {
			if (put(c, &ev[i]))
				return hd_fail(eb, HD_ERR_NOMEM, "out of memory while exporting");
		}
		if (ferror(c->json.out))
			return hd_fail(eb, HD_ERR_IO, "cannot write the JSON");
	}
}

enum hd_err hd_chrome_export(struct hd_trace *t, FILE *out, const struct hd_name_source *names,
			     struct hd_errbuf *eb)
{
	struct chrome c = { 0 };
	enum hd_err err;

	hd_json_init(&c.json, out);
	hd_namer_init(&c.namer, t, names);
	hd_json_open(&c.json, NULL, '{');
	hd_json_open(&c.json, "traceEvents", '[');
	err = put_all(&c, t, eb);
	end_stretch(&c);
	hd_json_close(&c.json, ']');
	hd_json_str(&c.json, "displayTimeUnit", "ns");
	hd_json_close(&c.json, '}');
	hd_namer_free(&c.namer);
	hd_map_free(&c.threads);
	return err;
}
