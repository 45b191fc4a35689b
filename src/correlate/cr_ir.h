/*
 * Labels in translated code: for every temporary a small set of temporaries that hold labels,
 * summed up only where the value goes to a register or to memory; and shadow registers.
 */
#ifndef CR_IR_H
#define CR_IR_H

#include <pub_tool_machine.h>
#include <pub_tool_tooliface.h>

#include <stddef.h>

#include <libvex_guest_amd64.h>

#include "cr.h"
#include "cr_place.h"

/* Where a register is in the state of a thread. */
#define CR_AT(field) ((Int)offsetof(VexGuestAMD64State, field))

#define CR_SET 4u

struct cr_set {
	UInt n;
	IRTemp t[CR_SET]; /* sorted; of type I32 */
};

#define CR_SLOTS_OF_STATE 160u /* eight bytes each */
#define CR_SUMS		  16u

struct cr_pairs;

struct cr_ir {
	IRSB *in, *out;
	const VexGuestLayout *layout;
	enum cr_code code;
	Bool joins;	    /* is it looked at what is made of two values? */
	Bool begins;	    /* do values from nowhere begin units? */
	struct cr_set *set; /* by temporary of in */
	UChar *needed;	    /* does its label go anywhere? */
	UChar *sp;	    /* is it the stack pointer plus a constant? */
	IRExpr **made_of;   /* what it is, NULL: not known here */
	UInt ntemps;
	struct cr_set slot[CR_SLOTS_OF_STATE];
	UChar known[CR_SLOTS_OF_STATE];
	struct {
		struct cr_set of;
		IRTemp sum;
	} sums[CR_SUMS];
	UInt nsums;
	IRTemp control; /* the control label, if it was loaded */
	Bool inside;	/* does the current instruction depend on a decision? */
	Bool wanted;	/* does the label of the current value go anywhere? */
	UInt stores;	/* CR_AT_CONSTANT, CR_AT_DECIDED: of what it stores */
	struct cr_set
		*data; /* ... and what that is made of, without what decided it; NULL: all of it */
	Bool waits;    /* is the current instruction in a loop that only waits? */
	Addr pc, next_pc;
	UInt arguments; /* registers that arguments are passed in and that this block has written: bits */
	struct cr_pairs *pairs;
};

struct cr_ir *cr_ir_new(IRSB *in, const VexGuestLayout *layout, Addr pc);
void cr_ir_free(struct cr_ir *e);
/* Another thread runs now, or labels have a new life: forget what translated code has united. */
void cr_ir_forget(void);
/* Fill in @needed. */
void cr_ir_needs(struct cr_ir *e);

/* ---- sets --------------------------------------------------------------------------- */

void cr_set_add(struct cr_ir *e, struct cr_set *s, IRTemp t);
void cr_set_join(struct cr_ir *e, struct cr_set *into, const struct cr_set *from);
const struct cr_set *cr_set_of(struct cr_ir *e, const IRExpr *atom);
void cr_set_of_expr(struct cr_ir *e, IRExpr *x, struct cr_set *r);
/* The sum, an atom; @s becomes that alone. */
IRExpr *cr_set_label(struct cr_ir *e, struct cr_set *s);

/* ---- registers ------------------------------------------------------------------------- */

Bool cr_is_tracked(Int offset, UInt size);
Bool cr_is_flags(Int offset);
void cr_get_slots(struct cr_ir *e, Int offset, UInt size, struct cr_set *r);
void cr_put_slots(struct cr_ir *e, Int offset, UInt size, struct cr_set *r);
void cr_put_indexed(struct cr_ir *e, const IRPutI *p);

/*
 * The index in the address @atom that is stored to: what is multiplied there. If nothing is, as in text, in libc's
 * functions, and where a pointer to the entry was made before, it may be any part of it.
 */
IRExpr *cr_index_of(const struct cr_ir *e, IRExpr *atom);

/* The same of an address that is loaded from, if something is multiplied there; NULL: nothing is. */
IRExpr *cr_scaled_in(const struct cr_ir *e, IRExpr *atom);

/* Is @atom the stack pointer plus a constant? */
Bool cr_is_sp(const struct cr_ir *e, const IRExpr *atom);
void cr_note_sp(struct cr_ir *e, IRTemp t, const IRExpr *x);

/* ---- shorthand ---------------------------------------------------------------------------- */

static inline IRExpr *cr_u64(ULong n)
{
	return IRExpr_Const(IRConst_U64(n));
}

static inline IRExpr *cr_u32(UInt n)
{
	return IRExpr_Const(IRConst_U32(n));
}

static inline IRExpr *cr_u8(UChar n)
{
	return IRExpr_Const(IRConst_U8(n));
}

static inline IRExpr *cr_rd(IRTemp t)
{
	return IRExpr_RdTmp(t);
}

static inline IRExpr *cr_binop(IROp op, IRExpr *a, IRExpr *b)
{
	return IRExpr_Binop(op, a, b);
}

static inline IRTemp cr_assign(struct cr_ir *e, IRType type, IRExpr *x)
{
	IRTemp t = newIRTemp(e->out->tyenv, type);

	addStmtToIRSB(e->out, IRStmt_WrTmp(t, x));
	return t;
}

#endif
