#include "report_dot.h"

#include <inttypes.h>
#include <stdlib.h>

#include "block_names.h"
#include "common/array.h"
#include "common/map.h"
#include "explain.h"
#include "printable.h"
#include "trace/event_meaning.h"
#include "trace/trace_reader.h"

#define NODES 2000u /* the last ones; more are no picture any more */
#define NAMES 4096u /* of writes, as PLACE has them */

struct node {
	struct hd_event ev;
	uint64_t index;
	uint32_t before;   /* in its thread: its number + 1; 0: none */
	uint32_t from;	   /* whose write it read, or who let it go on */
	const char *how;   /* that is */
	uint32_t past;	   /* older: the newest write, which it did not read */
	bool older, shown; /* older: not the newest write */
};

struct graph {
	FILE *out;
	const struct hd_run *run;
	const struct hd_finding *f;
	struct hd_map users; /* address -> thread, and who else, and whether it is written */
	uint64_t total, seen;
	struct node *nodes;
	size_t n, room;
	/* All to a node's number + 1. */
	struct hd_map last_of, written, released, begun, ended;
	uint32_t named[NAMES];
	struct hd_map places; /* thread -> its PLACE + 1 */
	struct hd_event *place;
	size_t nplaces, place_room;
	bool ok;
};

/* ---- what belongs into it ------------------------------------------------------------ */

#define WRITTEN (UINT64_C(1) << 62)
#define SHARED	(UINT64_C(1) << 61)

static bool is_access(const struct hd_event *ev)
{
	return (ev->op == HD_OP_READ || ev->op == HD_OP_WRITE) && ev->size;
}

static bool is_read(const struct hd_event *ev)
{
	return ev->op == HD_OP_READ || ev->op == HD_OP_ATOMIC_LOAD || ev->op == HD_OP_ATOMIC_RMW ||
	       ev->op == HD_OP_ATOMIC_CAS_FAIL;
}

static bool is_write(const struct hd_event *ev)
{
	return ev->op == HD_OP_WRITE || ev->op == HD_OP_ATOMIC_STORE || ev->op == HD_OP_ATOMIC_RMW;
}

static bool note_user(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct graph *g = arg;
	uint64_t was = hd_map_get(&g->users, ev->addr + 1), is = was ? was : ev->thread;

	if (!is_access(ev))
		return true;
	if ((uint32_t)is != ev->thread)
		is |= SHARED;
	if (is_write(ev))
		is |= WRITTEN;
	g->ok = is == was || hd_map_set(&g->users, ev->addr + 1, is);
	return g->ok;
}

static bool is_of_interest(const struct graph *g, const struct hd_event *ev)
{
	uint64_t user;

	switch (hd_op_about(ev->op)) {
	case HD_ABOUT_THREAD:
		return ev->op == HD_OP_THREAD_BEGIN || ev->op == HD_OP_THREAD_END;
	case HD_ABOUT_CHILD:
	case HD_ABOUT_COND:
	case HD_ABOUT_BARRIER:
	case HD_ABOUT_SEM:
	case HD_ABOUT_ONCE:
	case HD_ABOUT_FENCE:
	case HD_ABOUT_FUTURE:
	case HD_ABOUT_PHASER:
		return true;
	case HD_ABOUT_LOCK:
		return ev->op == HD_OP_ACQUIRE_FAIL ||
		       ((ev->op == HD_OP_ACQUIRE || ev->op == HD_OP_RELEASE) &&
			!(ev->arg & HD_LOCK_AGAIN));
	case HD_ABOUT_ATOMIC:
		return ev->op != HD_OP_PLACE;
	case HD_ABOUT_MEMORY:
		user = hd_map_get(&g->users, ev->addr + 1);
		return is_access(ev) && (user & SHARED) && (user & WRITTEN);
	default:
		return false;
	}
}

static bool count(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct graph *g = arg;

	g->total += is_of_interest(g, ev);
	return true;
}

/* ---- who follows whom ----------------------------------------------------------------- */

static void link_to(struct node *n, uint64_t from, const char *how)
{
	n->from = (uint32_t)from;
	n->how = how;
}

static void set(struct graph *g, struct hd_map *m, uint64_t key)
{
	g->ok &= hd_map_set(m, key + 1, g->n);
}

static uint64_t get(const struct hd_map *m, uint64_t key)
{
	return hd_map_get(m, key + 1);
}

/* The operation's PLACE, which came before it in its thread; NULL: there is none. */
static struct hd_event *place_of(struct graph *g, uint32_t thread)
{
	size_t i = get(&g->places, thread);

	return i ? &g->place[i - 1] : NULL;
}

static void note_place(struct graph *g, const struct hd_event *ev)
{
	struct hd_event *p = place_of(g, ev->thread);

	if (!p) {
		g->ok &= HD_ROOM(g->place, g->place_room, g->nplaces + 1) &&
			 hd_map_set(&g->places, (uint64_t)ev->thread + 1, g->nplaces + 1);
		if (!g->ok)
			return;
		p = &g->place[g->nplaces++];
	}
	*p = *ev;
}

static void link_access(struct graph *g, struct node *n)
{
	struct hd_event *p =
		hd_op_about(n->ev.op) == HD_ABOUT_ATOMIC ? place_of(g, n->ev.thread) : NULL;
	bool placed = p && p->op && p->addr == n->ev.addr;

	if (is_read(&n->ev)) {
		uint64_t name = placed ? p->value : 0;

		n->older = name != 0;
		n->past = n->older ? (uint32_t)get(&g->written, n->ev.addr) : 0;
		link_to(n,
			!name	       ? get(&g->written, n->ev.addr)
			: name < NAMES ? g->named[name]
				       : 0,
			"rf");
	}
	if (is_write(&n->ev)) {
		if (placed && p->value2 && p->value2 < NAMES)
			g->named[p->value2] = (uint32_t)g->n;
		if (!placed || !p->arg) /* else a later one is in memory */
			set(g, &g->written, n->ev.addr);
	}
	if (p)
		p->op = 0;
}

static void link_sync(struct graph *g, struct node *n)
{
	const struct hd_event *ev = &n->ev;

	switch ((enum hd_op)ev->op) {
	case HD_OP_FORK:
		set(g, &g->begun, ev->value);
		break;
	case HD_OP_THREAD_BEGIN:
		link_to(n, get(&g->begun, ev->thread), "create");
		break;
	case HD_OP_THREAD_END:
		set(g, &g->ended, ev->thread);
		break;
	case HD_OP_JOIN:
		link_to(n, get(&g->ended, ev->value), "join");
		break;
	default:
		if (hd_op_way(ev->op) == HD_WAY_TAKES)
			link_to(n, get(&g->released, ev->addr),
				hd_op_about(ev->op) == HD_ABOUT_LOCK ? "lock" : "sync");
		if (hd_op_way(ev->op) == HD_WAY_GIVES)
			set(g, &g->released, ev->addr);
		break;
	}
}

static bool add(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct graph *g = arg;
	struct node *n;

	if (ev->op == HD_OP_PLACE)
		note_place(g, ev);
	if (!g->ok || !is_of_interest(g, ev))
		return g->ok;
	if (++g->seen + NODES <= g->total)
		return true;
	g->ok = HD_ROOM(g->nodes, g->room, g->n + 1);
	if (!g->ok)
		return false;
	n = &g->nodes[g->n++];
	*n = (struct node){ .ev = *ev,
			    .index = index,
			    .before = (uint32_t)get(&g->last_of, ev->thread) };
	set(g, &g->last_of, ev->thread);
	if (is_read(ev) || is_write(ev))
		link_access(g, n);
	else
		link_sync(g, n);
	return g->ok;
}

/* ---- as text ---------------------------------------------------------------------------- */

static void put_escaped(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putc('\\', out);
		putc((unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s, out);
	}
}

static void put_name(const struct graph *g, const struct hd_event *ev)
{
	char name[300];

	putc(' ', g->out);
	if (hd_event_label(g->run, ev, name, sizeof(name)))
		put_escaped(g->out, name);
	else
		fprintf(g->out, "0x%" PRIx64, ev->addr);
}

static void put_values(const struct graph *g, const struct node *n)
{
	const struct hd_event *ev = &n->ev;

	if (ev->op == HD_OP_ATOMIC_RMW)
		fprintf(g->out, ": %" PRIu64 " to %" PRIu64, ev->value, ev->value2);
	else if (is_write(ev))
		fprintf(g->out, " = %" PRIu64, ev->value);
	else if (is_read(ev))
		fprintf(g->out, ": %" PRIu64 "%s", ev->value,
			!n->older ? ""
			: n->from ? " (older)"
				  : " (as at the beginning)");
}

static bool is_marked(const struct graph *g, size_t i)
{
	const struct node *n = &g->nodes[i];
	const struct hd_finding *f = g->f;

	for (size_t k = 0; k < f->naccesses; k++) {
		if (f->accesses[k].index == n->index)
			return true;
	}
	/* What is no pair of accesses happened after the last thing that its thread did. */
	return !f->naccesses && n->ev.thread == f->moment.thread &&
	       get(&g->last_of, n->ev.thread) == i + 1;
}

static void put_node(const struct graph *g, size_t i)
{
	const struct node *n = &g->nodes[i];
	struct hd_frame at = { 0 };

	fprintf(g->out, "    n%zu [label=\"%s", i + 1, hd_op_info[n->ev.op].name);
	if (hd_op_info[n->ev.op].value == HD_U_THREAD && n->ev.value)
		fprintf(g->out, " T%" PRIu64, n->ev.value);
	if (n->ev.addr)
		put_name(g, &n->ev);
	put_values(g, n);
	if (hd_run_frame(g->run, n->ev.pc, &at) && at.file) {
		fputs("\\n", g->out);
		put_escaped(g->out, at.file);
		fprintf(g->out, ":%u", at.line);
	}
	fprintf(g->out, "\"%s];\n", is_marked(g, i) ? ", color=red, penwidth=2" : "");
}

static void put_thread(const struct graph *g, uint32_t thread)
{
	fprintf(g->out, "  subgraph cluster_T%u {\n    label=\"T%u\";\n", thread, thread);
	for (size_t i = 0; i < g->n; i++) {
		if (g->nodes[i].ev.thread == thread)
			put_node(g, i);
	}
	fputs("  }\n", g->out);
}

static void put_edges(const struct graph *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct node *n = &g->nodes[i];
		const char *color = !n->how	       ? ""
				    : n->how[0] == 'r' ? "darkgreen"
				    : n->how[0] == 'l' ? "blue"
						       : "gray40";

		if (n->before)
			fprintf(g->out, "  n%u -> n%zu [weight=8];\n", n->before, i + 1);
		if (n->from && n->how && g->nodes[n->from - 1].ev.thread != n->ev.thread)
			fprintf(g->out,
				"  n%u -> n%zu [color=%s, fontcolor=%s, label=\"%s\", style=%s, "
				"constraint=%s];\n",
				n->from, i + 1, color, color, n->how,
				n->older ? "dotted" : "dashed", n->older ? "false" : "true");
		if (n->past) /* in the order of the memory model it comes before that */
			fprintf(g->out,
				"  n%zu -> n%u [color=orangered, fontcolor=orangered, "
				"label=\"fr\", style=dotted, constraint=false];\n",
				i + 1, n->past);
	}
}

static void put_graph(const struct graph *g)
{
	fputs("digraph execution {\n  rankdir=TB;\n  node [shape=box, fontname=monospace, "
	      "fontsize=10];\n  edge [fontsize=9];\n  labelloc=t;\n  label=\"",
	      g->out);
	put_escaped(g->out, hd_kind_word(g->f->kind));
	if (g->total > g->n)
		fprintf(g->out, "\\n%" PRIu64 " earlier events are left out", g->total - g->n);
	fputs("\";\n", g->out);
	for (size_t t = 0; t < g->run->nthreads; t++) {
		if (get(&g->last_of, g->run->threads[t].id))
			put_thread(g, g->run->threads[t].id);
	}
	put_edges(g);
	fputs("}\n", g->out);
}

enum hd_err hd_report_dot(FILE *out, const struct hd_run *run, const struct hd_finding *f)
{
	struct graph *g = calloc(1, sizeof(*g));
	bool ok = g;

	if (!g)
		return HD_ERR_NOMEM;
	g->out = out;
	g->run = hd_finding_run(run, f);
	g->f = f;
	g->ok = true;
	hd_trace_each(g->run->trace, note_user, g);
	hd_trace_each(g->run->trace, count, g);
	hd_trace_each(g->run->trace, add, g);
	if (g->ok)
		put_graph(g);
	ok = g->ok;
	hd_map_free(&g->users);
	hd_map_free(&g->last_of);
	hd_map_free(&g->written);
	hd_map_free(&g->released);
	hd_map_free(&g->begun);
	hd_map_free(&g->ended);
	hd_map_free(&g->places);
	free(g->place);
	free(g->nodes);
	free(g);
	return !ok ? HD_ERR_NOMEM : ferror(out) ? HD_ERR_IO : HD_OK;
}
