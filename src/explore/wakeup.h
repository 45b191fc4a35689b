/*
 * Sequences of steps that are to be tried from a decision: a wake-up tree (Abdulla, Aronis, Jonsson,
 * Sagonas: JACM 2017), as the list of its leaves from left to right. Sequences that
 * begin alike stand next to each other.
 */
#ifndef HD_EXPLORE_WAKEUP_H
#define HD_EXPLORE_WAKEUP_H

#include "trace/execution.h"

/* What a thread does from one decision to the next. */
struct hd_xstep {
	uint32_t thread;
	uint32_t first_op, nops; /* in the sequence's ops */
};

struct hd_xsequence {
	struct hd_xstep *steps;
	size_t n, from; /* those before @from were made */
	struct hd_xop *ops;
	size_t nops;
};

struct hd_xwakeup {
	struct hd_xsequence *list;
	size_t n, cap;
};

static inline size_t hd_xsequence_length(const struct hd_xsequence *s)
{
	return s->n - s->from;
}

static inline const struct hd_xstep *hd_xsequence_step(const struct hd_xsequence *s, size_t i)
{
	return &s->steps[s->from + i];
}

/* Steps to come; those of a sequence in a tree. False: no memory. */
bool hd_xsequence_add(struct hd_xsequence *s, uint32_t thread, const struct hd_xop *ops, size_t n);
void hd_xsequence_free(struct hd_xsequence *s);

/* Put @s at place @at, and own it. False: no memory, and it is still the caller's. */
bool hd_xwakeup_insert(struct hd_xwakeup *w, size_t at, const struct hd_xsequence *s);

/* Move the sequences that begin with @thread to @to, without that step. False: no memory. */
bool hd_xwakeup_descend(struct hd_xwakeup *w, uint32_t thread, struct hd_xwakeup *to);

/* Does one of them begin with @thread? */
bool hd_xwakeup_begins(const struct hd_xwakeup *w, uint32_t thread);

void hd_xwakeup_free(struct hd_xwakeup *w);

#endif
