/*
 * A decision procedure for clauses of which some variables say "this comes before that": learning
 * from conflicts as SAT solvers do, with a graph that knows what orders are possible.
 *
 * The first variables are "this step is executed", one for each node of the graph; a step that is
 * executed has its thread's steps before it executed. The others are *ties*: one that is true
 * puts an edge into the graph, one that is false says nothing. So whatever follows from clauses
 * and edges holds for every order of the steps.
 *
 * Literals are 2 * variable, plus 1 for "not".
 */
#ifndef HD_PREDICT_ORDER_SOLVER_H
#define HD_PREDICT_ORDER_SOLVER_H

#include "order_graph.h"

#define HD_NO_CLAUSE 0u
#define HD_YES(var)  (2 * (uint32_t)(var))
#define HD_NOT(var)  (2 * (uint32_t)(var) + 1)

struct hd_watch {
	uint32_t clause, other; /* other: a literal of the clause; if it is true, all is well */
};

struct hd_watches {
	struct hd_watch *list;
	uint32_t n, room;
};

struct hd_tie {
	uint32_t from, to; /* HD_NO_NODE: it has no edge */
};

struct hd_order_solver {
	struct hd_order_graph graph;
	uint32_t nvars;
	size_t vars_room;
	int8_t *value; /* 1, -1, 0: not known */
	uint32_t *level, *reason;
	double *weight; /* how often it was met in conflicts lately */
	double bump;
	bool *met;
	struct hd_tie *ties;
	struct hd_watches *watches; /* of each literal: clauses in which it is looked at */
	uint32_t *trail;     /* literals that are true, in the order in which they became so */
	size_t ntrail, next; /* next: the first whose consequences are not drawn */
	size_t *level_start, *level_edges; /* of each level */
	size_t nlevels, levels_room;
	uint32_t *clauses; /* length, literals; a clause is the place of its length */
	size_t nclauses, clauses_room;
	uint32_t *conflict; /* literals, all false */
	size_t nconflict, conflict_room;
	uint32_t *learned;
	size_t learned_room;
	uint64_t conflicts, decisions;
	bool contradiction; /* there is no solution */
	bool no_memory;
};

/* The graph is the caller's to fill in, before anything else happens. */
bool hd_os_init(struct hd_order_solver *s, uint32_t nodes);
void hd_os_free(struct hd_order_solver *s);

/* A new tie; HD_NO_NODE for one without an edge. UINT32_MAX: out of memory. */
uint32_t hd_os_tie(struct hd_order_solver *s, uint32_t from, uint32_t to);

/*
 * A clause that holds in every solution. At any time; it may be false at the moment, which
 * hd_os_settle() will find out. HD_NO_CLAUSE: it needs no watching, or there is no memory.
 */
uint32_t hd_os_clause(struct hd_order_solver *s, const uint32_t *literals, uint32_t n);

static inline int hd_os_value(const struct hd_order_solver *s, uint32_t literal)
{
	int8_t v = s->value[literal >> 1];

	return literal & 1 ? -v : v;
}

/*
 * Draw all consequences; learn from conflicts and go back until there is none. False: there is
 * no solution (contradiction), or no memory. *@back: a decision was taken back.
 */
bool hd_os_settle(struct hd_order_solver *s, bool *back);

/* Try @literal, which is not known: after hd_os_settle(). */
void hd_os_decide(struct hd_order_solver *s, uint32_t literal);

/* @clause is not true: make its only open literal true, or, without any, note the conflict. */
bool hd_os_force(struct hd_order_solver *s, uint32_t clause);

/* Take all decisions back, and keep what was learned. */
void hd_os_restart(struct hd_order_solver *s);

#endif
