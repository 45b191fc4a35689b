/*
 * Members that are filled in together: stores in one block of code through one pointer, at
 * different offsets. Their values need not depend on each other.
 *
 * Not counted are constants (everything is cleared together once) and what adds to what was
 * there: counters side by side in a struct have nothing to do with each other.
 */
#ifndef CR_PAIRS_H
#define CR_PAIRS_H

#include <pub_tool_tooliface.h>

#include "cr.h"

struct cr_pairs;

/* For a block with @ntemps temporaries. */
struct cr_pairs *cr_pairs_new(Int ntemps);
void cr_pairs_free(struct cr_pairs *p);

/* Its statements, in order. */
void cr_pairs_temp(struct cr_pairs *p, IRTemp t, const IRExpr *x);
void cr_pairs_put(struct cr_pairs *p, Int offset, const IRExpr *data);
/* The address of an earlier store that belongs with this one, or NULL. */
IRExpr *cr_pairs_store(struct cr_pairs *p, IRExpr *a, const IRExpr *data, UInt size);

#endif
