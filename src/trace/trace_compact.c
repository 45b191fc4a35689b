#include "trace_compact.h"

#include <stdlib.h>

#include "trace_maps.h"
#include "trace_writer.h"

/*
 * Sharing is kept for every eight bytes. A granule's entry: the thread that touched
 * it, or SHARED once there was another, and whether it was written.
 */
#define GRANULE_LOG 3
#define WRITTEN     (UINT64_C(1) << 32)
#define SHARED      0xffffffffull

static bool plain_access(const struct hd_event *ev, uint64_t *len, bool *write)
{
	switch (ev->op) {
	case HD_OP_READ:
	case HD_OP_WRITE:
		*len = ev->size;
		break;
	case HD_OP_READ_RANGE:
	case HD_OP_WRITE_RANGE:
		*len = ev->value;
		break;
	default:
		return false;
	}
	*write = ev->op == HD_OP_WRITE || ev->op == HD_OP_WRITE_RANGE;
	return *len != 0;
}

static bool note(struct hd_map *m, uint64_t granule, uint32_t thread, bool write)
{
	uint64_t old = hd_map_get(m, granule), new = old;

	if (!old)
		new = thread;
	else if ((old & SHARED) != thread)
		new |= SHARED;
	if (write)
		new |= WRITTEN;
	return new == old || hd_map_set(m, granule, new);
}

static bool matters(const struct hd_map *m, const struct hd_event *ev)
{
	uint64_t len;
	bool write;

	if (!plain_access(ev, &len, &write))
		return true;
	for (uint64_t g = ev->addr >> GRANULE_LOG; g <= (ev->addr + len - 1) >> GRANULE_LOG; g++) {
		uint64_t is = hd_map_get(m, g);

		if ((is & SHARED) == SHARED && (is & WRITTEN))
			return true;
	}
	return false;
}

/* Atomic operations make a granule shared too: a plain access beside them matters. */
static bool learn_event(struct hd_map *m, const struct hd_event *ev)
{
	uint64_t len = ev->size;
	bool write = true;

	if (!plain_access(ev, &len, &write) &&
	    !(ev->op >= HD_OP_ATOMIC_LOAD && ev->op <= HD_OP_ATOMIC_CAS_FAIL && len))
		return true;
	for (uint64_t g = ev->addr >> GRANULE_LOG; g <= (ev->addr + len - 1) >> GRANULE_LOG; g++) {
		if (!note(m, g, ev->thread, write))
			return false;
	}
	return true;
}

static enum hd_err learn(struct hd_trace *t, struct hd_map *m, struct hd_errbuf *eb)
{
	const struct hd_event *ev;
	size_t n;

	do {
		enum hd_err err = hd_trace_next(t, &ev, &n, eb);

		if (err != HD_OK)
			return err;
		for (size_t i = 0; i < n; i++) {
			if (!learn_event(m, &ev[i]))
				return hd_fail(eb, HD_ERR_NOMEM, "out of memory for what is shared");
		}
	} while (n);
	return HD_OK;
}

/* What is not an event: everything is known after the first pass, so it goes first. */
static void copy_tables(struct hd_trace *t, struct hd_trace_writer *w)
{
	const char *s, *reason;
	uint32_t parent;
	uint64_t pc, n;

	for (uint32_t id = 1; (s = hd_trace_string(t, id)) != NULL; id++)
		hd_trace_put_string(w, id, s, __builtin_strlen(s));
	for (uint32_t ctx = 1; hd_trace_context(t, ctx, &parent, &pc); ctx++)
		hd_trace_put_context(w, ctx, parent, pc);
	for (size_t i = 0; i < hd_trace_ndrops(t); i++) {
		hd_trace_drop_at(t, i, &reason, &n);
		hd_trace_put_drop(w, reason, n);
	}
}

/* Names and places that belong to an address are sent when it first appears. */
static void copy_names(struct hd_trace *t, struct hd_trace_writer *w, struct hd_map *sent,
		       const struct hd_event *ev)
{
	const char *name = hd_trace_name(t, ev->addr), *file;
	const char *id = ev->op == HD_OP_MODULE ? hd_trace_build_id(t, ev->addr) : NULL;
	uint32_t line;

	if (id)
		hd_trace_put_build_id(w, ev->addr, id);
	if (name && !hd_map_get(sent, ev->addr << 1) && hd_map_set(sent, ev->addr << 1, 1))
		hd_trace_put_name(w, ev->addr, name);
	if (ev->pc && hd_trace_site(t, ev->pc, &file, &line) &&
	    !hd_map_get(sent, ev->pc << 1 | 1) && hd_map_set(sent, ev->pc << 1 | 1, 1))
		hd_trace_put_site(w, ev->pc, file, line);
}

static enum hd_err copy(struct hd_trace *t, struct hd_trace_writer *w, const struct hd_map *m,
			struct hd_compacted *done, struct hd_errbuf *eb)
{
	const struct hd_event *ev;
	struct hd_map sent = { 0 };
	enum hd_err err;
	size_t n;

	copy_tables(t, w);
	hd_trace_rewind(t);
	do {
		err = hd_trace_next(t, &ev, &n, eb);
		for (size_t i = 0; err == HD_OK && i < n; i++) {
			done->events_in++;
			if (!matters(m, &ev[i]))
				continue;
			done->events_out++;
			copy_names(t, w, &sent, &ev[i]);
			hd_trace_put(w, &ev[i]);
		}
	} while (err == HD_OK && n);
	hd_map_free(&sent);
	return err;
}

static enum hd_err open_copy(struct hd_trace *t, const char *path, struct hd_trace_writer **w,
			     struct hd_errbuf *eb)
{
	size_t nkeys = hd_trace_noptions(t);
	int argc = hd_trace_argc(t);
	const char **words = calloc((size_t)argc + 2 * nkeys + 1, sizeof(*words));
	struct hd_trace_meta meta = { .argc = argc, .argv = words, .nkeys = (int)nkeys };
	enum hd_err err;

	if (!words)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
	for (int i = 0; i < argc; i++)
		words[i] = hd_trace_argv(t, i);
	for (size_t i = 0; i < nkeys; i++)
		hd_trace_option_at(t, i, &words[(size_t)argc + i],
				   &words[(size_t)argc + nkeys + i]);
	meta.keys = words + argc;
	meta.values = words + argc + nkeys;
	err = hd_trace_create(w, path, &meta, eb);
	free(words);
	return err;
}

enum hd_err hd_trace_compact(struct hd_trace *t, const char *path, struct hd_compacted *done,
			     struct hd_errbuf *eb)
{
	struct hd_trace_end end;
	struct hd_trace_writer *w;
	struct hd_map m = { 0 };
	enum hd_err err = learn(t, &m, eb), finish;
	bool ended;

	*done = (struct hd_compacted){ 0 };
	if (err == HD_OK)
		err = open_copy(t, path, &w, eb);
	if (err != HD_OK) {
		hd_map_free(&m);
		return err;
	}
	ended = hd_trace_ended(t, &end.exited, &end.code, &end.start_time);
	err = copy(t, w, &m, done, eb);
	hd_map_free(&m);
	finish = hd_trace_finish(w, err == HD_OK && ended ? &end : NULL, err == HD_OK ? eb : NULL);
	return err != HD_OK ? err : finish;
}
