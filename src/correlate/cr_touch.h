/*
 * Accesses in translated code: a quick test in line, of whether this thread made the same access
 * before in this epoch and what is there has one label; a helper (cr_access.h) where that fails.
 */
#ifndef CR_TOUCH_H
#define CR_TOUCH_H

#include "cr_ir.h"

/* @size bytes at @a are read; adds the labels to @to. On the stack no units begin. */
void cr_emit_read(struct cr_ir *e, IRExpr *a, UInt size, Bool stack, struct cr_set *to);
/* @size bytes at @a are written with a value of label @of. */
void cr_emit_write(struct cr_ir *e, IRExpr *a, UInt size, struct cr_set *of);

/* The same where @guard, an I1, says whether the access happens. */
void cr_emit_guarded_read(struct cr_ir *e, IRExpr *a, UInt size, IRExpr *guard, struct cr_set *to);
void cr_emit_guarded_write(struct cr_ir *e, IRExpr *a, UInt size, IRExpr *guard,
			   struct cr_set *of);

#endif
