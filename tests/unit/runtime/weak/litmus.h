/*
 * Litmus tests: small programs of atomic operations, as words. Threads are apart by `|`, operations by
 * spaces:
 *
 *   Wx1r   store 1 to x            Rxa    load x
 *   Ax1b   fetch_add 1             Xx2l   exchange for 2
 *   Cx01sr compare_exchange_strong of 0 for 1, with its two orders
 *   Kx01sr ... weak                Fs     fence
 *   !      something elsewhere (a plain access of the thread's own)
 *
 * The last letter is the order: relaxed, acquire, l: release, b: both, seq_cst.
 *
 * An execution is a text: for every operation that reads, in program order, the name of the write
 * that it reads from; then, for every location, its writes in modification order. An outcome is the values
 * that were read and, after a slash, the last ones of x, y and z.
 */
#ifndef LITMUS_H
#define LITMUS_H

#include <stdbool.h>
#include <stddef.h>

#define LITMUS_THREADS 4
#define LITMUS_OPS     8 /* of a thread */
#define LITMUS_LOCS    3

struct litmus_op {
	char kind; /* its letter */
	int loc;
	int value, expected;
	int order, fail_order; /* __ATOMIC_* */
};

struct litmus {
	int nthreads, nops[LITMUS_THREADS];
	struct litmus_op ops[LITMUS_THREADS][LITMUS_OPS];
};

struct litmus_set {
	char **texts;
	size_t n, room;
	size_t *places, nplaces; /* of texts, by hash; numbers from 1 */
};

void litmus_parse(struct litmus *t, const char *words);
bool litmus_add(struct litmus_set *s, const char *text); /* false: it was there */
void litmus_sort(struct litmus_set *s);			 /* nothing can be added after it */
void litmus_free(struct litmus_set *s);

static inline bool litmus_reads(const struct litmus_op *o)
{
	return o->kind != 'W' && o->kind != 'F' && o->kind != '!';
}

/* All executions: by the axioms, and as the model builds them. Each text ends with its outcome. */
void litmus_by_axioms(const struct litmus *t, struct litmus_set *out);
void litmus_by_model(const struct litmus *t, bool tso, struct litmus_set *out);
/* The same of TSO, by a machine with store buffers. */
void litmus_by_buffers(const struct litmus *t, struct litmus_set *out);

#endif
