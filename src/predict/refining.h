/*
 * What refine.c and faults.c share: an order in the making.
 */
#ifndef HD_PREDICT_REFINING_H
#define HD_PREDICT_REFINING_H

#include "order_solver.h"
#include "scene.h"
#include "sources.h"
#include "triples.h"

#define HD_FAULTS 16 /* that are looked at before the order is played again */

/* What a read, or a try that failed, has to choose from. */
struct hd_choice {
	uint32_t first, n; /* sources */
	uint32_t clause;
	bool made;
};

struct hd_refining {
	const struct hd_scene *s;
	struct hd_order_solver os;
	struct hd_triples ties, clauses;
	struct hd_choice *choices; /* of each read */
	struct hd_source *sources;
	size_t nsources, sources_room;
	uint32_t *literals; /* of the clause in the making */
	size_t nliterals, literals_room;
	uint32_t faults[HD_FAULTS]; /* clauses that the order in hand breaks */
	size_t nfaults;
	bool again; /* something was decided by a new clause alone */
	bool stop;  /* and something taken back, or in conflict */
	bool no_memory;
	/* The state of the play: */
	uint32_t *last;	       /* node that wrote each location last */
	uint32_t *holder;      /* section + 1 that holds each lock, first of a list */
	uint32_t *next_holder; /* of each section */
	uint32_t *permits;     /* of each semaphore */
	uint32_t *held_at;     /* of each thread, open scenes: section + 1 that it begins inside */
	uint32_t *next_held;
};

static inline bool hd_is_executed(const struct hd_refining *r, uint32_t node)
{
	return r->os.value[node] > 0;
}

static inline bool hd_is_before(const struct hd_refining *r, uint32_t a, uint32_t b)
{
	return r->os.graph.place[a] < r->os.graph.place[b];
}

/* Is one of the literals of @clause true? */
bool hd_clause_holds(const struct hd_refining *r, uint32_t clause);

/* Add a literal to the clause in the making; then make it. */
void hd_clause_literal(struct hd_refining *r, uint32_t literal);
uint32_t hd_clause_make(struct hd_refining *r);

/*
 * Play what is executed in the order in hand, and note the clauses that it breaks in faults.
 * With again, something follows from new clauses alone, and faults are not all.
 */
void hd_faults_find(struct hd_refining *r);

#endif
