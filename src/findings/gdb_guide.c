#include "gdb_guide.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/path.h"
#include "marks.h"
#include "trace/trace_reader.h"
#include "trace_symbols.h"

struct guide {
	struct hd_trace *trace;
	struct hd_symbols *symbols;
	struct hd_marks marks;
	size_t next_mark;
	uint64_t event, choices;
	uint64_t *pcs; /* of the events since the last decision */
	size_t npcs, pcs_cap;
	FILE *out;
};

/* The accesses of the first finding in the run itself that has any. */
static enum hd_err marks_in(struct hd_trace *t, struct hd_marks *m, struct hd_errbuf *eb)
{
	struct hd_run run;
	enum hd_err err = hd_run_gather(&run, t, eb);

	for (size_t i = 0; !err && !m->n && i < run.nfindings; i++) {
		hd_marks_free(m);
		err = hd_marks_of(m, &run.findings[i]);
	}
	hd_run_free(&run);
	hd_trace_rewind(t);
	return err;
}

static void put_place(struct guide *g, uint64_t pc)
{
	struct hd_frame frame;

	if (!pc)
		fputs("its end\n", g->out); /* the only thing that is done nowhere in the program */
	else if (!g->symbols || !hd_symbols_code(g->symbols, pc, &frame, 1) || !frame.function)
		fprintf(g->out, "0x%" PRIx64 "\n", pc);
	else if (!frame.file)
		fprintf(g->out, "%s\n", frame.function);
	else
		fprintf(g->out, "%s:%u in %s\n", hd_base_name(frame.file), frame.line,
			frame.function);
}

/* How many of the events since the last decision were made at @pc, the last of them included. */
static unsigned nth_at(const struct guide *g, uint64_t pc)
{
	unsigned n = 0;

	for (size_t i = 0; i < g->npcs; i++)
		n += g->pcs[i] == pc;
	return n;
}

static bool remember(struct guide *g, uint64_t pc)
{
	if (!HD_ROOM(g->pcs, g->pcs_cap, g->npcs + 1))
		return false;
	g->pcs[g->npcs++] = pc;
	return true;
}

/* By the program: what the run found, and told of at the same place, executes no instruction. */
static bool is_done(const struct hd_event *ev)
{
	return ev->op < HD_OP_FINDING && ev->op != HD_OP_INIT;
}

static bool take(struct guide *g, const struct hd_event *ev)
{
	const struct hd_mark *mark = &g->marks.mark[g->next_mark];

	if (ev->op == HD_OP_CHOICE) {
		g->choices++;
		g->npcs = 0;
		if (!(ev->arg & (HD_CHOICE_WAKE | HD_CHOICE_READ)) && ev->value &&
		    ev->value != ev->thread) {
			fprintf(g->out, "switch T%u T%" PRIu64 " ", ev->thread, ev->value);
			put_place(g, ev->pc);
		}
	} else if (ev->pc && is_done(ev) && !remember(g, ev->pc)) {
		return false;
	}
	if (g->next_mark < g->marks.n && mark->event == g->event) {
		fprintf(g->out, "mark %s T%u %" PRIu64 " 0x%" PRIx64 " %u %s ", mark->role,
			ev->thread, g->choices, ev->pc, nth_at(g, ev->pc), hd_op_info[ev->op].name);
		put_place(g, ev->pc);
		while (g->next_mark < g->marks.n && g->marks.mark[g->next_mark].event <= g->event)
			g->next_mark++;
	}
	g->event++;
	return true;
}

static enum hd_err walk(struct guide *g, struct hd_errbuf *eb)
{
	const struct hd_event *ev;
	enum hd_err err;
	size_t n;

	do {
		err = hd_trace_next(g->trace, &ev, &n, eb);
		for (size_t i = 0; i < n; i++) {
			if (!take(g, &ev[i]))
				return hd_fail(eb, HD_ERR_NOMEM, "out of memory");
		}
	} while (!err && n);
	return err;
}

enum hd_err hd_gdb_guide(const char *path, FILE *out, struct hd_errbuf *eb)
{
	struct guide g = { .out = out };
	struct hd_name_source names;
	enum hd_err err;

	if (hd_trace_open(&g.trace, path, NULL) != HD_OK)
		return HD_OK; /* a schedule as text */
	err = hd_marks_load(&g.marks, path);
	if (!err && !g.marks.n)
		err = marks_in(g.trace, &g.marks, eb);
	if (!err)
		err = hd_trace_symbols(g.trace, &g.symbols, &names, eb);
	if (!err)
		err = walk(&g, eb);
	free(g.pcs);
	hd_marks_free(&g.marks);
	hd_symbols_free(g.symbols);
	hd_trace_close(g.trace);
	return err;
}
