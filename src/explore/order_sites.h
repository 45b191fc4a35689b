/*
 * Atomic operations in the source of a program, as runs show them, and other orders for them (--suggest-orders).
 *
 * What stands once in the source may be several instructions. So a site is a line and column, with all that were
 * met there.
 */
#ifndef HD_EXPLORE_ORDER_SITES_H
#define HD_EXPLORE_ORDER_SITES_H

#include "campaign/trial.h"
#include "refinement.h"

struct hd_order_site {
	enum hd_op op;	 /* a compare-exchange that fails is a read-modify-write */
	unsigned was;	 /* the order's parts (common/memory_order.h) */
	bool compares;	 /* it is a compare-exchange */
	bool only_fails; /* and no more is known of it than the order of that */
	struct hd_places pcs;
	char *file, *function, *object; /* NULL: unknown */
	uint32_t line, column;
	size_t seen; /* the number of the run that it was last met in */
};

/* What is tried at a site. */
struct hd_order_change {
	bool changes;	/* the order: */
	unsigned to;	/* parts that it gets, or that it is left with */
	unsigned fence; /* parts of a fence before it; 0: none */
};

struct hd_order_sites {
	struct hd_order_site *list;
	size_t n, room;
	size_t runs;
	bool no_memory;
};

/* The sites of a run, which is number ->runs from now on. *@grown: a changed site has more instructions than before. */
bool hd_order_sites_look(struct hd_order_sites *s, struct hd_trial *t,
			 const struct hd_order_change *tried, size_t ntried, bool *grown);
/* As the runtime is told; @weaker: orders are left with parts, else they get them. NULL: no memory. */
char *hd_order_sites_text(const struct hd_order_sites *s, const struct hd_order_change *tried,
			  bool weaker);
/* The parts that mean something there. */
unsigned hd_order_site_parts(const struct hd_order_site *s);
const char *hd_order_site_word(const struct hd_order_site *s);
void hd_order_sites_free(struct hd_order_sites *s);

#endif
