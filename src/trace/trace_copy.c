#include "trace_copy.h"

#include <signal.h>
#include <stdlib.h>

#include "common/map.h"
#include "trace_writer.h"

/* Tables are complete only after a whole pass. */
static enum hd_err read_through(struct hd_trace *t, struct hd_errbuf *eb)
{
	const struct hd_event *ev;
	enum hd_err err;
	size_t n;

	hd_trace_rewind(t);
	do {
		err = hd_trace_next(t, &ev, &n, eb);
	} while (err == HD_OK && n);
	return err;
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

static enum hd_err copy(struct hd_trace *t, struct hd_trace_writer *w, hd_keep_fn *keep, void *arg,
			struct hd_copied *done, struct hd_errbuf *eb)
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
			if (!keep(arg, &ev[i]))
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

enum hd_err hd_trace_copy(struct hd_trace *t, const char *path, hd_keep_fn *keep, void *arg,
			  struct hd_copied *done, struct hd_errbuf *eb)
{
	struct hd_trace_end end;
	struct hd_trace_writer *w;
	enum hd_err err = read_through(t, eb), finish;
	bool ended;

	*done = (struct hd_copied){ 0 };
	if (err == HD_OK)
		err = open_copy(t, path, &w, eb);
	if (err != HD_OK)
		return err;
	ended = hd_trace_ended(t, &end.exited, &end.code, &end.start_time);
	err = copy(t, w, keep, arg, done, eb);
	finish = hd_trace_finish(w, err == HD_OK && ended ? &end : NULL, err == HD_OK ? eb : NULL);
	return err != HD_OK ? err : finish;
}

static bool keep_all(void *arg, const struct hd_event *ev)
{
	return true;
}

/* Damage is where it ends; anything else is a reason not to write it. */
static enum hd_err up_to_damage(enum hd_err err)
{
	return err == HD_ERR_TRUNCATED || err == HD_ERR_CORRUPT ? HD_OK : err;
}

enum hd_err hd_trace_copy_readable(struct hd_trace *t, const char *path, struct hd_errbuf *eb)
{
	struct hd_trace_end end;
	struct hd_trace_writer *w;
	struct hd_copied done = { 0 };
	enum hd_err err = up_to_damage(read_through(t, eb)), finish;

	if (err == HD_OK)
		err = open_copy(t, path, &w, eb);
	if (err != HD_OK)
		return err;
	if (!hd_trace_ended(t, &end.exited, &end.code, &end.start_time))
		end = (struct hd_trace_end){ .exited = 0, .code = SIGKILL };
	err = up_to_damage(copy(t, w, keep_all, NULL, &done, eb));
	finish = hd_trace_finish(w, &end, err == HD_OK ? eb : NULL);
	return err != HD_OK ? err : finish;
}
