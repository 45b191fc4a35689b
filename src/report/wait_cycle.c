#include "wait_cycle.h"

#include <stdlib.h>

/* Does holding @h make a thread in @st wait? Readers do not keep readers out. */
bool hd_blocks(const struct hd_holding *h, const struct hd_finding_thread *st)
{
	if (st->state < HD_TS_MUTEX || st->state == HD_TS_JOIN || h->addr != st->addr || !st->addr)
		return false;
	if (st->state == HD_TS_RWLOCK_READ)
		return !(h->mode & HD_LOCK_SHARED);
	return true;
}

ptrdiff_t hd_next_blocker(const struct hd_finding *f, const struct hd_finding_thread *st,
			  size_t *cursor)
{
	uint32_t thread = 0;

	if (st->state == HD_TS_JOIN) {
		if (*cursor == 0 && st->addr <= UINT32_MAX)
			thread = (uint32_t)st->addr;
		*cursor = 1;
	} else {
		while (*cursor < f->waiting.nheld && !thread) {
			if (hd_blocks(&f->waiting.held[*cursor], st))
				thread = f->waiting.held[*cursor].thread;
			++*cursor;
		}
	}
	for (size_t i = 0; thread && i < f->waiting.nthreads; i++) {
		if (f->waiting.threads[i].thread == thread)
			return (ptrdiff_t)i;
	}
	return -1;
}

struct walk {
	size_t *path, *cursor;
	unsigned char *state; /* 0: not visited, 1: on the path, 2: done */
};

bool hd_more_blockers(const struct hd_finding *f, const struct hd_finding_thread *st, size_t cursor)
{
	return st->state == HD_TS_JOIN ? cursor == 0 : cursor < f->waiting.nheld;
}

/* Depth-first from @start; the length of the path when it closed on path[*from], else 0. */
static size_t walk_from(const struct hd_finding *f, struct walk *w, size_t start, size_t *from)
{
	size_t depth = 1;

	w->path[0] = start;
	w->cursor[0] = 0;
	w->state[start] = 1;
	while (depth) {
		size_t here = w->path[depth - 1];
		ptrdiff_t next;

		if (!hd_more_blockers(f, &f->waiting.threads[here], w->cursor[depth - 1])) {
			w->state[here] = 2;
			depth--;
			continue;
		}
		next = hd_next_blocker(f, &f->waiting.threads[here], &w->cursor[depth - 1]);
		if (next < 0 || w->state[next] == 2)
			continue;
		if (w->state[next] == 1) {
			for (*from = 0; w->path[*from] != (size_t)next;)
				++*from;
			return depth;
		}
		w->state[next] = 1;
		w->path[depth] = (size_t)next;
		w->cursor[depth++] = 0;
	}
	return 0;
}

/* Keep path[from .. depth - 1] as the finding's cycle. */
static enum hd_err keep_cycle(struct hd_finding *f, const struct walk *w, size_t from, size_t depth)
{
	f->waiting.cycle = calloc(depth - from, sizeof(*f->waiting.cycle));
	if (!f->waiting.cycle)
		return HD_ERR_NOMEM;
	for (; from < depth; from++) {
		f->waiting.cycle[f->waiting.ncycle++] = w->path[from];
		f->waiting.threads[w->path[from]].in_cycle = true;
	}
	return HD_OK;
}

enum hd_err hd_find_cycle(struct hd_finding *f)
{
	size_t n = f->waiting.nthreads, depth = 0, from = 0;
	struct walk w = { .path = calloc(n + 1, sizeof(size_t)),
			  .cursor = calloc(n + 1, sizeof(size_t)),
			  .state = calloc(n + 1, 1) };
	enum hd_err err = w.path && w.cursor && w.state ? HD_OK : HD_ERR_NOMEM;

	for (size_t i = 0; i < n && !depth && !err; i++) {
		if (!w.state[i])
			depth = walk_from(f, &w, i, &from);
	}
	if (depth)
		err = keep_cycle(f, &w, from, depth);
	free(w.path);
	free(w.cursor);
	free(w.state);
	return err;
}
