/*
 * Loops that only wait: they read the same memory in every round, write none, and nothing but
 * what they read decides how long they go on. So another thread's write ends them, and
 * what that thread did before comes before what follows the loop.
 *
 * Found in the machine code of a function, instruction by instruction: what is not known to be
 * harmless makes a loop an ordinary one.
 */
#ifndef CR_SPIN_H
#define CR_SPIN_H

#include "cr.h"
#include "cr_postdom.h"

enum cr_spin {
	CR_SPIN_IN = 1,    /* the block is in such a loop: what it reads may be a flag */
	CR_SPIN_HEAD = 2,  /* a round begins here */
	CR_SPIN_AFTER = 4, /* the loop was left */
};

struct cr_spin_block {
	Addr start, last; /* last: address of its last instruction */
	UInt *spin;       /* where the answer goes: of enum cr_spin */
	Addr *early;      /* ... and an instruction that looks whether to wait at all */
};

/* The blocks of a function, in the order of @g; the first is where it begins. */
void cr_spin_find(const struct cr_graph *g, const struct cr_spin_block *blocks);

#endif
