/*
 * Find every label that something carries: memory, registers, decisions.
 */
#ifndef CR_MARK_H
#define CR_MARK_H

#include "cr.h"

void cr_mark_labels(void);
/* A new thread's registers carry nothing. */
void cr_registers_unlabel(ThreadId tid);
/* Labels of what the caller of a function keeps in registers meanwhile; @sp is where the function's return address is. */
void cr_registers_kept(ThreadId tid, Addr sp, void (*take)(cr_label label));
/* The label of what a function returns, and another one. */
cr_label cr_returned(void);
void cr_return(cr_label label);

#endif
