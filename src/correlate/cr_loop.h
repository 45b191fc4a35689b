/*
 * The loops of a function: for each of its heads all nodes from which the head is come back to
 * without going through it. Loops that can be entered elsewhere than at their head are left out.
 */
#ifndef CR_LOOP_H
#define CR_LOOP_H

#include "cr.h"
#include "cr_postdom.h"

#define CR_LOOP_SMALL 24u
#define CR_LOOP_BUDGET (1u << 17) /* edges of all loops of a function; larger loops are left out */

/*
 * A loop: its @n nodes, head first; if there are CR_LOOP_SMALL at most, in an order in which each comes
 * after those it is reached from.
 */
typedef void (*cr_loop_take)(void *arg, const UInt *body, UInt n);

/* Calls @take for every loop of @g, in which node 0 is where the function begins. */
void cr_loop_find(const struct cr_graph *g, cr_loop_take take, void *arg);

#endif
