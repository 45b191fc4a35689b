#include "velodrome.h"

#include <stdint.h>
#include <string.h>

/* ---- which events conflict ---------------------------------------------------- */

static bool reads(const struct hd_event *ev)
{
	return ev->op == HD_OP_READ || ev->op == HD_OP_READ_RANGE || ev->op == HD_OP_ATOMIC_LOAD ||
	       ev->op == HD_OP_ATOMIC_CAS_FAIL;
}

static bool writes(const struct hd_event *ev)
{
	return ev->op == HD_OP_WRITE || ev->op == HD_OP_WRITE_RANGE ||
	       ev->op == HD_OP_ATOMIC_STORE || ev->op == HD_OP_ATOMIC_RMW;
}

static bool covers(const struct hd_event *ev, uint64_t byte)
{
	return byte >= ev->addr && byte - ev->addr < (ev->size ? ev->size : ev->value);
}

/* Was @byte freed or allocated between events @i and @j? */
static bool renewed(const struct velodrome *v, size_t i, size_t j, uint64_t byte)
{
	for (size_t k = i + 1; k < j; k++) {
		const struct hd_event *ev = &v->events[k];

		if ((ev->op == HD_OP_FREE || ev->op == HD_OP_ALLOC) && covers(ev, byte))
			return true;
	}
	return false;
}

static bool memory_conflict(const struct velodrome *v, size_t i, size_t j)
{
	const struct hd_event *a = &v->events[i], *b = &v->events[j];
	uint64_t len = b->size ? b->size : b->value;

	if (!(reads(a) || writes(a)) || !(reads(b) || writes(b)) || (reads(a) && reads(b)))
		return false;
	for (uint64_t byte = b->addr; byte < b->addr + len; byte++) {
		if (covers(a, byte) && !renewed(v, i, j, byte))
			return true;
	}
	return false;
}

static bool sync_conflict(const struct hd_event *a, const struct hd_event *b)
{
	if (a->addr != b->addr)
		return false;
	switch (a->op) {
	case HD_OP_RELEASE:
		return b->op == HD_OP_ACQUIRE && !(a->arg & b->arg & HD_LOCK_SHARED);
	case HD_OP_NOTIFY:
	case HD_OP_NOTIFY_ALL:
		return b->op == HD_OP_WAKE && b->value == a->thread;
	case HD_OP_BARRIER_ENTER:
		return b->op == HD_OP_BARRIER_LEAVE && a->value == b->value;
	case HD_OP_SEM_POST:
		return b->op == HD_OP_SEM_WAIT;
	case HD_OP_ONCE_END:
		return b->op == HD_OP_ONCE_PASS;
	case HD_OP_HB_RELEASE:
		return b->op == HD_OP_HB_ACQUIRE;
	}
	return false;
}

bool velodrome_conflict(const struct velodrome *v, size_t i, size_t j)
{
	const struct hd_event *a = &v->events[i], *b = &v->events[j];

	if (a->thread == b->thread)
		return false;
	/* A forked thread exists between its fork and its join, even if it does nothing. */
	if (a->op == HD_OP_FORK &&
	    (a->value == b->thread || (b->op == HD_OP_JOIN && a->value == b->value)))
		return true;
	if (b->op == HD_OP_JOIN && b->value == a->thread)
		return true;
	return memory_conflict(v, i, j) || sync_conflict(a, b);
}

/* ---- the graph -------------------------------------------------------------------- */

static bool reaches(const struct velodrome *v, size_t from, size_t to, bool *visited)
{
	if (from == to)
		return true;
	visited[from] = true;
	for (size_t next = 0; next < v->nnodes; next++) {
		if (v->edge[from][next] && !visited[next] && reaches(v, next, to, visited))
			return true;
	}
	return false;
}

static void add_edge(struct velodrome *v, size_t from, size_t to, size_t at)
{
	bool visited[2 * VELODROME_EVENTS] = { false };

	if (from == to || v->edge[from][to])
		return;
	if (v->first == VELODROME_NONE && reaches(v, to, from, visited))
		v->first = at;
	v->edge[from][to] = true;
}

void velodrome(struct velodrome *v, const struct hd_event *events, size_t n)
{
	/* By thread: the node of its last event or birth and of its open block, plus 1. */
	size_t last[256] = { 0 }, block[256] = { 0 }, depth[256] = { 0 };

	memset(v, 0, sizeof(*v));
	v->events = events;
	v->n = n;
	v->first = VELODROME_NONE;
	for (size_t j = 0; j < n; j++) {
		const struct hd_event *ev = &events[j];
		uint32_t t = ev->thread;

		if (ev->op == HD_OP_BEGIN && depth[t]++ == 0)
			block[t] = ++v->nnodes;
		v->in_block[j] = block[t] != 0;
		v->node[j] = block[t] ? block[t] - 1 : v->nnodes++;
		if (last[t])
			add_edge(v, last[t] - 1, v->node[j], j);
		last[t] = v->node[j] + 1;
		for (size_t i = 0; i < j; i++) {
			if (velodrome_conflict(v, i, j))
				add_edge(v, v->node[i], v->node[j], j);
		}
		if (ev->op == HD_OP_FORK) {
			last[ev->value] = ++v->nnodes;
			add_edge(v, v->node[j], last[ev->value] - 1, j);
		}
		if (ev->op == HD_OP_JOIN && last[ev->value])
			add_edge(v, last[ev->value] - 1, v->node[j], j);
		if ((ev->op == HD_OP_END && depth[t] && --depth[t] == 0) ||
		    ev->op == HD_OP_THREAD_END)
			block[t] = depth[t] = 0;
	}
}

/* ---- a cycle that somebody else found -------------------------------------------------- */

static bool follows(const struct velodrome *v, size_t a, size_t b)
{
	const struct hd_event *x = &v->events[a], *y = &v->events[b];

	if (x->thread == y->thread)
		return a < b || v->node[a] == v->node[b];
	return a < b && velodrome_conflict(v, a, b);
}

bool velodrome_is_cycle(const struct velodrome *v, const size_t *at, size_t n)
{
	if (n < 2 || v->node[at[0]] != v->node[at[n - 1]] || !v->in_block[at[0]])
		return false;
	if (n == 2)
		return v->events[at[0]].op == HD_OP_FORK && v->events[at[1]].op == HD_OP_JOIN &&
		       v->events[at[0]].value == v->events[at[1]].value;
	for (size_t i = 0; i + 1 < n; i++) {
		if (i && v->node[at[i]] == v->node[at[0]])
			return false;
		if (!follows(v, at[i], at[i + 1]))
			return false;
	}
	return true;
}
