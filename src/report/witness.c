#include "witness.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "block_names.h"
#include "common/array.h"
#include "common/path.h"
#include "explain.h"
#include "source_lines.h"
#include "trace_back.h"
#include "trace/event_meaning.h"

/* An event that means something new is to be thought of here. */
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"

struct witness {
	struct hd_json *j;
	struct hd_run run;
	struct hd_source_files *files;
	uint64_t first, last;			  /* events that the finding is about */
	uint64_t shown, before_first, up_to_last; /* numbers of events; see count() */
	uint64_t from, gap_from, gap_to, to; /* of those, the ones that are put into the page */
	uint64_t next;			     /* number of the next that is shown */
	uint64_t *addrs;		     /* that they are about */
	size_t naddrs, addrs_cap;
	struct hd_texts places;
	struct hd_map place_of;	 /* pc -> number of the place */
	struct hd_map number_of; /* context -> its number + 1 */
	uint32_t *contexts;	 /* the other way round */
	size_t ncontexts, contexts_cap;
	bool no_memory;
};

/* ---- which events -------------------------------------------------------------------- */

static bool is_shown_of_run(enum hd_run_op op)
{
	switch (op) {
	case HD_RUN_OP_SLEEP:
	case HD_RUN_OP_SIGNAL:
	case HD_RUN_OP_OUTSIDE:
	case HD_RUN_OP_EXIT:
	case HD_RUN_OP_GOAL:
	case HD_RUN_OP_LOCALS:
		return true;
	case HD_RUN_OP_CHOICE:
	case HD_RUN_OP_MODULE:
	case HD_RUN_OP_STOPPED:
	case HD_RUN_OP_STALL:
		return false;
	}
	return false;
}

/* What threads do, and not how heddle keeps account of it. */
static bool is_shown(const struct hd_event *ev)
{
	switch (hd_op_about(ev->op)) {
	case HD_ABOUT_THREAD:
		return ev->op != HD_OP_THREAD_NAME;
	case HD_ABOUT_MEMORY:
		return ev->op != HD_OP_INIT;
	case HD_ABOUT_LOCK:
		return ev->op != HD_OP_LOCK_INIT;
	case HD_ABOUT_ATOMIC:
		return ev->op != HD_OP_PLACE;
	case HD_ABOUT_RUN:
		return is_shown_of_run((enum hd_run_op)ev->op);
	case HD_ABOUT_CHILD:
	case HD_ABOUT_HEAP:
	case HD_ABOUT_COND:
	case HD_ABOUT_BARRIER:
	case HD_ABOUT_SEM:
	case HD_ABOUT_ONCE:
	case HD_ABOUT_MARK:
	case HD_ABOUT_FUTURE:
	case HD_ABOUT_PHASER:
	case HD_ABOUT_FENCE:
	case HD_ABOUT_CODE:
	case HD_ABOUT_TASK:
	case HD_ABOUT_TEAM:
		return true;
	case HD_ABOUT_NOTHING:
	case HD_ABOUT_FINDING:
		return false;
	}
	return false;
}

/* How many are shown in all, before the finding's first event, and up to its last. */
static enum hd_err count(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct witness *w = arg;

	for (size_t i = 0; i < n; i++) {
		if (!is_shown(&events[i]))
			continue;
		w->shown++;
		w->before_first += first + i < w->first;
		w->up_to_last += first + i <= w->last;
	}
	return HD_OK;
}

/*
 * At most @most of those that are shown, with what the finding is about in the middle. If it is
 * about events that are further apart, what is around its first and its last.
 */
static void choose_window(struct witness *w, uint64_t most)
{
	uint64_t last = w->up_to_last ? w->up_to_last - 1 : 0;
	uint64_t first = w->before_first < last ? w->before_first : last;
	uint64_t span = last - first + 1;
	uint64_t around = span < most ? (most - span) / 2 : most / 4;
	uint64_t len = span < most ? most : span + 2 * around;

	w->from = first > around ? first - around : 0;
	if (w->from + len > w->shown)
		w->from = w->shown > len ? w->shown - len : 0;
	w->to = w->from + len < w->shown ? w->from + len : w->shown;
	w->gap_from = w->gap_to = w->to;
	if (w->to - w->from > most) {
		w->gap_from = first + most / 4;
		w->gap_to = last - most / 4;
	}
}

/* ---- places and contexts ------------------------------------------------------------- */

static void know_file(struct witness *w, const struct hd_frame *frame)
{
	char line[8];

	if (!hd_source_files_have(w->files, frame) && hd_source_line(frame, line, sizeof(line)) &&
	    !hd_source_files_add(w->files, frame))
		w->no_memory = true;
}

/* How heddle starts threads is not the program's. */
static bool is_ours(const char *module)
{
	return module && strstr(module, "/libheddle.so");
}

/* The index of the place at @pc; -1: unknown. */
static int64_t place(struct witness *w, uint64_t pc)
{
	uint64_t number = pc ? hd_map_get(&w->place_of, pc) : 0;
	struct hd_frame frames[8];
	size_t n, used = 0;
	char text[4096];

	if (number || !pc || !w->run.symbols)
		return (int64_t)number - 1;
	n = hd_symbols_code(w->run.symbols, pc, frames, 8);
	for (size_t i = 0; i < n && used < sizeof(text) - 1; i++) {
		if (!frames[i].file || is_ours(frames[i].module))
			continue;
		know_file(w, &frames[i]);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s\t%u\t%s",
					 used ? "\n" : "", frames[i].file, frames[i].line,
					 frames[i].function ? frames[i].function : "");
	}
	if (!used)
		return -1;
	number = hd_texts_add(&w->places, text, strlen(text));
	w->no_memory |= !number || !hd_map_set(&w->place_of, pc, number);
	return (int64_t)number - 1;
}

/* The index of a calling context, whose callers get theirs first; -1: none. */
static int64_t context(struct witness *w, uint32_t ctx)
{
	uint64_t number = ctx ? hd_map_get(&w->number_of, ctx) : 0;
	uint32_t parent;
	uint64_t pc;

	if (number || !ctx || !hd_trace_context(w->run.trace, ctx, &parent, &pc))
		return (int64_t)number - 1;
	context(w, parent);
	if (!HD_ROOM(w->contexts, w->contexts_cap, w->ncontexts + 1) ||
	    !hd_map_set(&w->number_of, ctx, w->ncontexts + 1)) {
		w->no_memory = true;
		return -1;
	}
	w->contexts[w->ncontexts++] = ctx;
	return (int64_t)w->ncontexts - 1;
}

static void put_contexts(struct witness *w)
{
	hd_json_open(w->j, "contexts", '[');
	for (size_t i = 0; i < w->ncontexts; i++) {
		uint32_t parent = 0;
		uint64_t pc = 0;
		char text[64];

		hd_trace_context(w->run.trace, w->contexts[i], &parent, &pc);
		snprintf(text, sizeof(text), "%" PRId64 "\t%" PRId64, context(w, parent),
			 place(w, pc));
		hd_json_str(w->j, NULL, text);
	}
	hd_json_close(w->j, ']');
}

/* ---- events -------------------------------------------------------------------------- */

/* What has no name: whose it is. */
static bool put_nameless(const struct witness *w, const struct hd_event *ev, char *buf, size_t len)
{
	const struct hd_place *p = hd_run_place(&w->run, ev->addr);
	const struct hd_event *alloc = p ? &p->origin.alloc : NULL;
	struct hd_frame frame;

	if (hd_is_main_stack(ev->addr) || (p && hd_is_thread_stack(&p->origin))) {
		snprintf(buf, len, "a local");
		return true;
	}
	if (p && hd_is_thread_local(&p->origin)) {
		snprintf(buf, len, "a thread-local variable");
		return true;
	}
	if (!alloc || !alloc->op || !hd_run_frame(&w->run, alloc->pc, &frame) || !frame.file)
		return false;
	snprintf(buf, len, "block of %s:%u", hd_base_name(frame.file), frame.line);
	if (ev->addr != alloc->addr)
		snprintf(buf + strlen(buf), len - strlen(buf), "+%" PRIu64, ev->addr - alloc->addr);
	return true;
}

static void put_object(struct witness *w, const struct hd_event *ev, char *buf, size_t len)
{
	const struct hd_op_info *info = &hd_op_info[ev->op];

	*buf = 0;
	if (info->value == HD_U_THREAD)
		snprintf(buf, len, "T%" PRIu64, ev->value);
	if (info->addr != HD_U_LOC && info->addr != HD_U_OBJ)
		return;
	if (!hd_event_label(&w->run, ev, buf, len) && !put_nameless(w, ev, buf, len))
		snprintf(buf, len, "0x%" PRIx64, ev->addr);
	for (char *p = buf; *p; p++)
		*p = *p == '\t' ? ' ' : *p;
}

static bool has_number(const struct hd_event *ev)
{
	return hd_op_info[ev->op].value == HD_U_VAL || hd_op_info[ev->op].value == HD_U_LEN ||
	       ev->op == HD_OP_SLEEP;
}

static void put_event(struct witness *w, const struct hd_event *ev, uint64_t number)
{
	char object[512], value[32] = "", text[1024];

	put_object(w, ev, object, sizeof(object));
	if (has_number(ev))
		snprintf(value, sizeof(value), "%" PRIu64, ev->value);
	snprintf(text, sizeof(text), "%" PRIu64 "\t%u\t%s\t%s\t%s\t%" PRId64 "\t%" PRId64, number,
		 ev->thread, hd_op_info[ev->op].name, object, value, place(w, ev->pc),
		 context(w, ev->ctx));
	hd_json_str(w->j, NULL, text);
}

/* Is @ev, which comes next, put into the page? */
static bool is_in_page(struct witness *w, const struct hd_event *ev)
{
	uint64_t number = w->next;

	if (!is_shown(ev))
		return false;
	w->next++;
	return number >= w->from && number < w->to && (number < w->gap_from || number >= w->gap_to);
}

/* The addresses whose origin is to be known when the events are put. */
static enum hd_err collect(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct witness *w = arg;

	for (size_t i = 0; i < n; i++) {
		if (!is_in_page(w, &events[i]) || hd_run_module_at(&w->run, events[i].addr))
			continue;
		if (!HD_ROOM(w->addrs, w->addrs_cap, w->naddrs + 1))
			return HD_ERR_NOMEM;
		w->addrs[w->naddrs++] = events[i].addr;
	}
	return HD_OK;
}

static enum hd_err take(void *arg, const struct hd_event *events, size_t n, uint64_t first)
{
	struct witness *w = arg;

	for (size_t i = 0; i < n; i++) {
		w->no_memory |= !hd_note_places(&w->run, &events[i]);
		if (is_in_page(w, &events[i]))
			put_event(w, &events[i], first + i);
	}
	return w->no_memory ? HD_ERR_NOMEM : HD_OK;
}

static void put_threads(struct witness *w)
{
	hd_json_open(w->j, "threads", '[');
	for (size_t i = 0; i < w->run.nthreads; i++) {
		const struct hd_run_thread *t = &w->run.threads[i];
		const char *name = t->name ? hd_trace_string(w->run.trace, t->name) : NULL;
		char text[128];

		snprintf(text, sizeof(text), "T%u%s%s", t->id, name ? " " : "", name ? name : "");
		hd_json_str(w->j, NULL, text);
	}
	hd_json_close(w->j, ']');
}

static enum hd_err put_run(struct witness *w, uint64_t most, struct hd_errbuf *eb)
{
	enum hd_err err = hd_run_each(&w->run, count, w, eb);

	choose_window(w, most);
	if (!err)
		err = hd_run_each(&w->run, collect, w, eb);
	w->no_memory |= !hd_run_know_places(&w->run, w->addrs, w->naddrs);
	w->next = 0;
	hd_json_uint(w->j, "before", w->from);
	hd_json_uint(w->j, "between", w->gap_to - w->gap_from);
	hd_json_uint(w->j, "after", w->shown - w->to);
	hd_json_open(w->j, "events", '[');
	if (!err)
		err = hd_run_each(&w->run, take, w, eb);
	hd_json_close(w->j, ']');
	put_contexts(w);
	hd_json_open(w->j, "places", '[');
	for (size_t i = 0; i < w->places.count; i++)
		hd_json_str(w->j, NULL, w->places.texts[i]);
	hd_json_close(w->j, ']');
	put_threads(w);
	return w->no_memory ? HD_ERR_NOMEM : err;
}

enum hd_err hd_witness_put(struct hd_json *j, const char *path, uint64_t first, uint64_t last,
			   struct hd_source_files *files, uint64_t *room)
{
	struct witness w = { .j = j, .files = files, .first = first, .last = last };
	uint64_t most = *room < HD_WITNESS_EVENTS ? *room : HD_WITNESS_EVENTS;
	struct hd_errbuf eb = { 0 };
	struct hd_trace *trace;
	enum hd_err err = hd_trace_open(&trace, path, &eb);

	hd_json_open(j, path, '{');
	if (!err) {
		err = hd_run_gather(&w.run, trace, &eb);
		if (!err)
			err = put_run(&w, most, &eb);
		*room -= w.to - w.from - (w.gap_to - w.gap_from);
		hd_run_free(&w.run);
		hd_trace_close(trace);
	}
	if (err && err != HD_ERR_NOMEM)
		hd_json_str(j, "problem", eb.text);
	hd_json_close(j, '}');
	hd_texts_free(&w.places);
	hd_map_free(&w.place_of);
	hd_map_free(&w.number_of);
	free(w.contexts);
	free(w.addrs);
	return err == HD_ERR_NOMEM ? err : HD_OK;
}
