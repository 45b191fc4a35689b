#include "cr_loop.h"

struct search {
	const struct cr_graph *g;
	UInt *out, *next_out;  /* edges that leave a node, as lists */
	UInt *in, *next_in;    /* edges that lead to it */
	UInt *order;           /* how late a search in depth left the node; 0: not seen */
	UInt *body, nbody;
	UInt *mark;            /* of the last loop that a node was put into */
	UInt loops;
	UInt budget;           /* edges that may still be looked at */
};

/* Number the nodes in the order in which a search in depth leaves them, from 1. */
static void number(struct search *s, UInt *stack)
{
	UInt depth = 1, n = 0;

	stack[0] = 0;
	s->mark[0] = 1;
	while (depth) {
		UInt node = stack[depth - 1], e = s->out[node], to;

		if (e == CR_NO_NODE) {
			s->order[node] = ++n;
			depth--;
			continue;
		}
		s->out[node] = s->next_out[e];
		to = s->g->to[e];
		if (to < s->g->nodes && !s->mark[to]) {
			s->mark[to] = 1;
			stack[depth++] = to;
		}
	}
}

/* An edge back: to where the way to its beginning has come through. */
static Bool goes_back(const struct search *s, UInt e)
{
	return s->order[s->g->from[e]] && s->order[s->g->to[e]] >= s->order[s->g->from[e]];
}

static void add(struct search *s, UInt node)
{
	if (!s->order[node] || s->mark[node] == s->loops)
		return;
	s->mark[node] = s->loops;
	s->body[s->nbody++] = node;
}

/* The loop of @head; False: it is none, or the head can be avoided. */
static Bool find_body(struct search *s, UInt head)
{
	Bool any = False;

	s->nbody = 0;
	s->loops++;
	add(s, head);
	for (UInt e = s->in[head]; e != CR_NO_NODE; e = s->next_in[e]) {
		if (!goes_back(s, e))
			continue;
		any = True;
		add(s, s->g->from[e]);
	}
	for (UInt i = 1; i < s->nbody; i++) {
		if (!s->body[i])
			return False;
		for (UInt e = s->in[s->body[i]]; e != CR_NO_NODE; e = s->next_in[e]) {
			if (!s->budget)
				return False;
			s->budget--;
			add(s, s->g->from[e]);
		}
	}
	return any;
}

static void sort_body(struct search *s)
{
	for (UInt i = 2; i < s->nbody; i++) {
		UInt node = s->body[i], k = i;

		for (; k > 1 && s->order[s->body[k - 1]] < s->order[node]; k--)
			s->body[k] = s->body[k - 1];
		s->body[k] = node;
	}
}

static void make_lists(struct search *s)
{
	for (UInt i = 0; i <= s->g->nodes; i++)
		s->out[i] = s->in[i] = CR_NO_NODE;
	for (UInt e = 0; e < s->g->edges; e++) {
		s->next_out[e] = s->out[s->g->from[e]];
		s->out[s->g->from[e]] = e;
		s->next_in[e] = s->in[s->g->to[e]];
		s->in[s->g->to[e]] = e;
	}
}

void cr_loop_find(const struct cr_graph *g, cr_loop_take take, void *arg)
{
	UInt n = g->nodes + 1;
	UInt *work = VG_(calloc)("cr.loop", 5 * n + 2 * g->edges, sizeof(UInt));
	struct search s = { .g = g, .out = work, .in = work + n, .order = work + 2 * n,
			    .body = work + 3 * n, .mark = work + 4 * n, .next_out = work + 5 * n,
			    .next_in = work + 5 * n + g->edges, .loops = 1,
			    .budget = CR_LOOP_BUDGET };

	make_lists(&s);
	number(&s, s.body);
	for (UInt head = 0; head < g->nodes; head++) {
		if (s.order[head] && find_body(&s, head)) {
			if (s.nbody <= CR_LOOP_SMALL)
				sort_body(&s);
			take(arg, s.body, s.nbody);
		}
	}
	VG_(free)(work);
}
