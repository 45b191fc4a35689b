/*
 * The control flow of the program's functions, found when code of one is first translated:
 * where the ways of each branch meet again.
 */
#ifndef CR_FLOW_H
#define CR_FLOW_H

#include "cr.h"

/*
 * Is there a branch at @pc? @join is where its ways meet, 0: only where the function ends; @loop tells
 * the loops of a function apart, 0: it is in none; @closes says whether it decides, at the beginning or end of a round, if a loop has another.
 */
Bool cr_flow_branch(Addr pc, Addr *join, UInt *loop, Bool *closes);
/* Does the branch at @pc decide whether the loop around it is left? */
Bool cr_flow_leaves(Addr pc);
/* ... or is entered at all, or whether its next round begins at once? */
Bool cr_flow_ends_round(Addr pc);
/* Does it decide whether the loop is left, or whether it is entered at all, and may others run in it, so that it may wait for them? */
Bool cr_flow_waits(Addr pc);
/* Does it leave that loop, or not enter it, if it goes @way? */
Bool cr_flow_goes_out(Addr pc, UInt way);
/* Where the code of the loop begins that cr_flow_waits() is about. */
Addr cr_flow_waits_in(Addr pc);
/* Does a round of a loop begin at @pc? Its code is from @first to @last. */
Bool cr_flow_round(Addr pc, Addr *first, Addr *last);
/* What meets at @pc: branches that say so by these addresses, 0: none. */
void cr_flow_joins(Addr pc, Addr join[2]);
/* Is there a branch that decides whether, or how often, @pc is executed? */
Bool cr_flow_inside(Addr pc);
/* The branch at @branch went @way (1: where it jumps to). Is @pc sure to be executed then, and only by that? */
Bool cr_flow_decides(Addr branch, UInt way, Addr pc);
/* Does the branch at @pc, if it is taken, go to @target? */
Bool cr_flow_jumps_to(Addr pc, Addr target);
/* Of enum cr_spin: is @pc in a loop that only waits, or where a round begins or ends? */
UInt cr_flow_spin(Addr pc);
/* Code was unmapped: what comes in its place is another's. */
void cr_flow_forget(void);

#endif
