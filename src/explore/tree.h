/*
 * The path that is being explored: a node for every decision of the last execution, with
 * what remains to be tried there.
 */
#ifndef HD_EXPLORE_TREE_H
#define HD_EXPLORE_TREE_H

#include "trace/execution.h"
#include "wakeup.h"

/* A choice at a node. */
struct hd_xchoice {
	uint32_t thread;
	bool wanted;	    /* to be tried */
	bool done;	    /* was tried, or is being tried */
	bool asleep;	    /* need not be tried: happens in an execution that was seen */
	uint32_t since;	    /* as in struct hd_xsleeper */
	struct hd_xop *ops; /* what it does (when done or asleep) */
	size_t nops;
};

/* Is it still to be tried? */
static inline bool hd_xchoice_is_left(const struct hd_xchoice *c)
{
	return c->wanted && !c->done && !c->asleep;
}

struct hd_xtreenode {
	struct hd_xchoice
		*choices; /* by thread number; those that can be made, then other sleepers */
	size_t nenabled, nchoices;
	size_t chosen;
	uint32_t current;
	uint32_t why;
	uint32_t preemptions;	  /* before this decision */
	struct hd_xwakeup wakeup; /* how to go on with choices that are wanted, if that is known */
	bool again; /* what is tried after the present choice may yet show that more is wanted */
};

/*
 * Somebody who may run first at a decision that is not ours to make: one of these threads, the first that is
 * there. @forced: if none of them is, anybody.
 */
struct hd_xwant {
	size_t node;
	bool forced;
	size_t nthreads;
	uint32_t *threads;
};

struct hd_xwants {
	struct hd_xwant *list; /* no two are the same */
	size_t n, room;
};

struct hd_xtree {
	bool sleep;	/* leave out what was tried in another order */
	bool sequences; /* races are reversed by whole sequences, not by first steps */
	bool by_graph; /* of operations that the memory model has, only who reads from whom matters */
	bool equal;    /* there are threads that are equal: sequences are as symmetry.h has them */
	bool strayed;	  /* a sequence could not be followed, or not be asked for */
	uint64_t awaited; /* as in struct hd_xlog */
	bool anew;	  /* so it begins again, without them */
	struct hd_xtreenode *nodes;
	size_t n, cap;
	/*
	 * A part of a search (split.h): the decisions before @base are made, and what else is wanted at them is
	 * told to others. @fresh: what is wanted at the last of them is tried first.
	 */
	size_t base;
	bool fresh;
	struct hd_xwants wants;
};

/* Note what is wanted at a decision before the base. The threads are copied. False: no memory. */
bool hd_xwants_add(struct hd_xwants *w, const struct hd_xwant *want);
void hd_xwants_free(struct hd_xwants *w);

/*
 * Grow the path by the decisions of @log from the @from-th on; the node before it, if any, was
 * executed with a new choice, whose operations are taken from the log. What is left of its sequences
 * goes to the nodes that they lead through. False: no memory.
 */
bool hd_xtree_extend(struct hd_xtree *t, const struct hd_xlog *log, size_t from, size_t until);

/* A new node at the end, with nothing in it; NULL: no memory. */
struct hd_xtreenode *hd_xtree_push(struct hd_xtree *t);

/* Drop the nodes from @n on. */
void hd_xtree_cut(struct hd_xtree *t, size_t n);

/* One that can be made; NULL: there is none of this thread. */
struct hd_xchoice *hd_xtree_choice(struct hd_xtreenode *node, uint32_t thread);

/* The choice of @n that comes next, or nenabled. */
size_t hd_xtree_next(const struct hd_xtreenode *n);

/* The request that tries the node's choice @choice next. False: no memory. */
bool hd_xtree_request(const struct hd_xtree *t, size_t node, size_t choice, struct hd_xasked *out);
void hd_xasked_free(struct hd_xasked *asked);

void hd_xtree_free(struct hd_xtree *t);

#endif
