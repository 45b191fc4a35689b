/*
 * Find every label that something carries: memory, registers, decisions.
 */
#ifndef CR_MARK_H
#define CR_MARK_H

#include "cr.h"

void cr_mark_labels(void);
/* A new thread's registers carry nothing. */
void cr_registers_unlabel(ThreadId tid);

#endif
