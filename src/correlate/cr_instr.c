#include "cr_instr.h"

#include "cr_access.h"
#include "cr_call.h"
#include "cr_flow.h"
#include "cr_ir.h"
#include "cr_label.h"
#include "cr_pairs.h"
#include "cr_place.h"
#include "cr_shadow.h"
#include "cr_spin.h"
#include "cr_wait.h"

UInt cr_unlabelled = 0x7fffffff;

/* ---- accesses ------------------------------------------------------------------------- */

/* Where the granule's cell is, and whether the helper is needed. */
struct probe {
	IRExpr *a;    /* the address, an atom */
	IRTemp cell;  /* its address */
	IRTemp chunk;
	IRTemp slow;  /* I1 */
};

static void find_cell(struct cr_ir *e, IRExpr *a, struct probe *p)
{
	IRTemp n = cr_assign(e, Ity_I64,
			     cr_binop(Iop_And64,
				      cr_rd(cr_assign(e, Ity_I64,
						      cr_binop(Iop_Shr64, a,
							       cr_u8(CR_CHUNK_BITS)))),
				      cr_u64(CR_CHUNKS - 1)));
	IRTemp entry = cr_assign(e, Ity_I64, cr_binop(Iop_Shl64, cr_rd(n), cr_u8(3)));
	IRTemp where = cr_assign(e, Ity_I64, cr_binop(Iop_Add64, cr_rd(entry),
						      cr_u64((UWord)cr_chunks)));
	IRTemp in = cr_assign(e, Ity_I64, cr_binop(Iop_And64, a,
						   cr_u64((1u << CR_CHUNK_BITS) - 8)));
	IRTemp offset = cr_assign(e, Ity_I64, cr_binop(Iop_Shl64, cr_rd(in), cr_u8(1)));

	p->a = a;
	p->chunk = cr_assign(e, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, cr_rd(where)));
	p->cell = cr_assign(e, Ity_I64, cr_binop(Iop_Add64, cr_rd(p->chunk), cr_rd(offset)));
}

/* The bytes of the access in the tag's mask. */
static IRExpr *mask_of(struct cr_ir *e, IRExpr *a, UInt size, Bool write)
{
	ULong bits = ((1ull << size) - 1) << (write ? 8 : 0);
	IRTemp low;

	if (size == 8)
		return cr_u64(bits);
	low = cr_assign(e, Ity_I64, cr_binop(Iop_And64, a, cr_u64(7)));
	return cr_rd(cr_assign(e, Ity_I64,
			       cr_binop(Iop_Shl64, cr_u64(bits),
					cr_rd(cr_assign(e, Ity_I8,
							IRExpr_Unop(Iop_64to8, cr_rd(low)))))));
}

static void compare_tag(struct cr_ir *e, UInt size, Bool write, struct probe *p)
{
	IRTemp tag = cr_assign(e, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, cr_rd(p->cell)));
	IRTemp now = cr_assign(e, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, cr_u64((UWord)&cr_now)));
	IRTemp x = cr_assign(e, Ity_I64, cr_binop(Iop_Xor64, cr_rd(tag), cr_rd(now)));
	IRTemp m = cr_assign(e, Ity_I64, cr_binop(Iop_Or64, mask_of(e, p->a, size, write),
						  cr_u64(~0xffffull)));
	IRTemp bad = cr_assign(e, Ity_I64, cr_binop(Iop_And64, cr_rd(x), cr_rd(m)));

	if (size > 1) {
		IRTemp odd = cr_assign(e, Ity_I64, cr_binop(Iop_And64, p->a, cr_u64(size - 1)));

		bad = cr_assign(e, Ity_I64, cr_binop(Iop_Or64, cr_rd(bad), cr_rd(odd)));
	}
	p->slow = cr_assign(e, Ity_I1, cr_binop(Iop_CmpNE64, cr_rd(bad), cr_u64(0)));
}

/* The address of the label of the word at p->a. */
static IRExpr *label_address(struct cr_ir *e, const struct probe *p)
{
	IRTemp high = cr_assign(e, Ity_I64, cr_binop(Iop_And64, p->a, cr_u64(4)));
	IRTemp at = cr_assign(e, Ity_I64, cr_binop(Iop_Add64, cr_rd(p->cell), cr_rd(high)));

	return cr_rd(cr_assign(e, Ity_I64, cr_binop(Iop_Add64, cr_rd(at), cr_u64(8))));
}

static IRTemp load32(struct cr_ir *e, IRExpr *at)
{
	return cr_assign(e, Ity_I32, IRExpr_Load(Iend_LE, Ity_I32, at));
}

static IRTemp add_offset(struct cr_ir *e, IRTemp t, UInt offset)
{
	return cr_assign(e, Ity_I64, cr_binop(Iop_Add64, cr_rd(t), cr_u64(offset)));
}

/* @label, or what the helper says if @guard. */
static IRTemp or_helper(struct cr_ir *e, IRTemp guard, const HChar *name, void *f, IRExpr *a,
			ULong at, IRTemp label)
{
	IRTemp r = newIRTemp(e->out->tyenv, Ity_I64);
	IRDirty *d = unsafeIRDirty_1_N(r, 2, name, VG_(fnptr_to_fnentry)(f),
				       mkIRExprVec_2(a, cr_u64(at)));
	IRTemp narrow;

	d->guard = cr_rd(guard);
	addStmtToIRSB(e->out, IRStmt_Dirty(d));
	narrow = cr_assign(e, Ity_I32, IRExpr_Unop(Iop_64to32, cr_rd(r)));
	return cr_assign(e, Ity_I32, IRExpr_ITE(cr_rd(guard), cr_rd(narrow), cr_rd(label)));
}

/* @label, or a new source if @any is no label. */
static IRTemp or_unlabelled(struct cr_ir *e, IRTemp any, IRTemp label, IRExpr *a, ULong at)
{
	IRTemp limit = load32(e, cr_u64((UWord)&cr_unlabelled));
	IRTemp none = cr_assign(e, Ity_I1, cr_binop(Iop_CmpEQ32, cr_rd(any), cr_rd(limit)));

	return or_helper(e, none, "cr_on_unlabelled", cr_on_unlabelled, a, at, label);
}

/* One granule's part of a read; adds its labels to @to. */
static void read_piece(struct cr_ir *e, IRExpr *a, UInt size, Bool known, struct cr_set *to)
{
	ULong at = cr_at(e->next_pc, size);
	IRTemp first, second = IRTemp_INVALID;
	struct probe p;

	find_cell(e, a, &p);
	if (e->code == CR_CODE_FULL)
		compare_tag(e, size, False, &p);
	if (size == 8) {
		first = load32(e, cr_rd(add_offset(e, p.cell, 8)));
		second = load32(e, cr_rd(add_offset(e, p.cell, 12)));
	} else {
		first = load32(e, label_address(e, &p));
	}
	if (e->code == CR_CODE_FULL) {
		void *f = known ? (void *)cr_on_read_known : (void *)cr_on_read;

		first = or_helper(e, p.slow, known ? "cr_on_read_known" : "cr_on_read", f, a, at,
				  first);
		/* The helper's answer is for both words, and it may have changed the second. */
		if (second != IRTemp_INVALID)
			second = cr_assign(e, Ity_I32,
					   IRExpr_ITE(cr_rd(p.slow), cr_u32(0), cr_rd(second)));
	}
	if (e->code == CR_CODE_FULL && !known && e->wanted) {
		IRTemp any = first;

		if (second != IRTemp_INVALID)
			any = cr_assign(e, Ity_I32,
					cr_binop(Iop_Or32, cr_rd(first), cr_rd(second)));
		first = or_unlabelled(e, any, first, a, at);
	}
	cr_set_add(e, to, first);
	if (second != IRTemp_INVALID)
		cr_set_add(e, to, second);
}

/* By the helper alone. */
static IRTemp read_by(struct cr_ir *e, const HChar *name, void *f, IRExpr *a, UInt size)
{
	IRTemp zero = cr_assign(e, Ity_I32, cr_u32(0));
	IRTemp yes = cr_assign(e, Ity_I1, cr_binop(Iop_CmpEQ32, cr_rd(zero), cr_u32(0)));

	return or_helper(e, yes, name, f, a, cr_at(e->next_pc, size), zero);
}

void cr_emit_read(struct cr_ir *e, IRExpr *a, UInt size, Bool known, struct cr_set *to)
{
	if (e->waits && !known) {
		cr_set_add(e, to, read_by(e, "cr_on_wait_read", cr_on_wait_read, a, size));
		return;
	}
	if (size <= 8 && !(size & (size - 1))) {
		read_piece(e, a, size, known, to);
		return;
	}
	if (size % 8) { /* ten bytes of an x87 value, and their like */
		Bool full = e->code == CR_CODE_FULL;
		IRTemp label = read_by(e, "cr_on_read",
				       full ? (void *)cr_on_read : (void *)cr_on_plain_read, a,
				       size);

		if (full && !known)
			label = or_unlabelled(e, label, label, a, cr_at(e->next_pc, size));
		cr_set_add(e, to, label);
		return;
	}
	for (UInt o = 0; o < size; o += 8)
		read_piece(e, o ? cr_rd(cr_assign(e, Ity_I64,
						  cr_binop(Iop_Add64, a, cr_u64(o)))) : a,
			   8, known, to);
}

static UInt scratch[4]; /* where labels go that the helper has stored */

static IRTemp not_slow_or(struct cr_ir *e, const struct probe *p, IRExpr *at)
{
	if (e->code != CR_CODE_FULL) { /* never write to the chunk of zeros */
		IRTemp none = cr_assign(e, Ity_I1, cr_binop(Iop_CmpEQ64, cr_rd(p->chunk),
							    cr_u64((UWord)&cr_no_chunk)));

		return cr_assign(e, Ity_I64,
				 IRExpr_ITE(cr_rd(none), cr_u64((UWord)scratch), at));
	}
	return cr_assign(e, Ity_I64, IRExpr_ITE(cr_rd(p->slow), cr_u64((UWord)scratch), at));
}

static void call_write(struct cr_ir *e, IRTemp guard, const HChar *name, void *f, IRExpr *a,
		       ULong at, IRExpr *label)
{
	IRTemp wide = cr_assign(e, Ity_I64, IRExpr_Unop(Iop_32Uto64, label));
	IRDirty *d = unsafeIRDirty_0_N(3, name, VG_(fnptr_to_fnentry)(f),
				       mkIRExprVec_3(a, cr_u64(at), cr_rd(wide)));

	if (guard != IRTemp_INVALID)
		d->guard = cr_rd(guard);
	addStmtToIRSB(e->out, IRStmt_Dirty(d));
}

/* A part of a word: the rest keeps its label, and the sum is for a helper. */
static void write_part(struct cr_ir *e, const struct probe *p, ULong at, IRExpr *label)
{
	IRTemp old = load32(e, label_address(e, p));
	IRTemp differ = cr_assign(e, Ity_I1, cr_binop(Iop_CmpNE32, cr_rd(old), label));

	call_write(e, differ, "cr_on_plain_write", cr_on_plain_write, p->a, at, label);
}

static void write_piece(struct cr_ir *e, IRExpr *a, UInt size, IRExpr *label)
{
	ULong at = cr_at(e->next_pc, size);
	Bool none = label->tag == Iex_Const;
	struct probe p;
	IRTemp to;

	find_cell(e, a, &p);
	if (e->code == CR_CODE_FULL) {
		compare_tag(e, size, True, &p);
		call_write(e, p.slow, "cr_on_write", cr_on_write, a, at, label);
	}
	if (size < 4) {
		if (!none)
			write_part(e, &p, at, label);
		return;
	}
	if (size == 4) {
		to = not_slow_or(e, &p, label_address(e, &p));
		addStmtToIRSB(e->out, IRStmt_Store(Iend_LE, cr_rd(to), label));
		return;
	}
	to = not_slow_or(e, &p, cr_rd(add_offset(e, p.cell, 8)));
	addStmtToIRSB(e->out, IRStmt_Store(Iend_LE, cr_rd(to), label));
	addStmtToIRSB(e->out, IRStmt_Store(Iend_LE, cr_rd(add_offset(e, to, 4)), label));
}

void cr_emit_write(struct cr_ir *e, IRExpr *a, UInt size, struct cr_set *of)
{
	IRExpr *label = cr_set_label(e, of);

	if (size <= 8 && !(size & (size - 1))) {
		write_piece(e, a, size, label);
		return;
	}
	if (size % 8) {
		Bool full = e->code == CR_CODE_FULL;

		call_write(e, IRTemp_INVALID, "cr_on_write",
			   full ? (void *)cr_on_write : (void *)cr_on_plain_write, a,
			   cr_at(e->next_pc, size), label);
		return;
	}
	for (UInt o = 0; o < size; o += 8)
		write_piece(e, o ? cr_rd(cr_assign(e, Ity_I64,
						   cr_binop(Iop_Add64, a, cr_u64(o)))) : a,
			    8, label);
}

/* ---- statements ------------------------------------------------------------------------- */

static void on_write_temp(struct cr_ir *e, const IRStmt *s)
{
	IRTemp t = s->Ist.WrTmp.tmp;
	IRExpr *x = s->Ist.WrTmp.data;
	struct cr_set r = { 0 };

	e->wanted = e->needed[t];
	if (x->tag == Iex_Load) {
		Bool known = cr_is_sp(e, x->Iex.Load.addr);

		if (e->code == CR_CODE_FULL || e->wanted)
			cr_emit_read(e, x->Iex.Load.addr, sizeofIRType(x->Iex.Load.ty), known, &r);
		if (cr_options.address_deps)
			cr_set_join(e, &r, cr_set_of(e, x->Iex.Load.addr));
	} else if (e->wanted) {
		cr_set_of_expr(e, x, &r);
	}
	e->set[t] = r;
	cr_note_sp(e, t, x);
}

/* Values that are made under a decision depend on it. */
static void add_control(struct cr_ir *e, struct cr_set *r)
{
	if (!e->inside)
		return;
	if (e->control == IRTemp_INVALID)
		e->control = load32(e, cr_u64((UWord)&cr_control));
	cr_set_add(e, r, e->control);
}

static void on_put(struct cr_ir *e, const IRStmt *s)
{
	IRExpr *data = s->Ist.Put.data;
	UInt size = sizeofIRType(typeOfIRExpr(e->in->tyenv, data));
	struct cr_set r;

	if (!cr_is_tracked(s->Ist.Put.offset, size))
		return;
	r = *cr_set_of(e, data);
	if (!cr_is_flags(s->Ist.Put.offset) && !cr_is_sp(e, data))
		add_control(e, &r);
	cr_put_slots(e, s->Ist.Put.offset, size, &r);
	if (!e->inside && data->tag == Iex_RdTmp)
		e->set[data->Iex.RdTmp.tmp] = r; /* in its short form from now on */
}

/* Written together, through one pointer and with values that are not constant. */
static void on_together(struct cr_ir *e, IRExpr *a, IRExpr *data, UInt size)
{
	IRExpr *before = cr_pairs_store(e->pairs, a, data, size);

	if (before && e->code == CR_CODE_FULL)
		addStmtToIRSB(e->out, IRStmt_Dirty(unsafeIRDirty_0_N(
					      2, "cr_on_together",
					      VG_(fnptr_to_fnentry)(cr_on_together),
					      mkIRExprVec_2(before, a))));
}

static void on_store(struct cr_ir *e, IRExpr *a, IRExpr *data, IRExpr *guard)
{
	UInt size = sizeofIRType(typeOfIRExpr(e->in->tyenv, data));
	struct cr_set r = *cr_set_of(e, data);

	if (!guard)
		on_together(e, a, data, size);

	if (cr_options.address_deps)
		cr_set_join(e, &r, cr_set_of(e, a));
	add_control(e, &r);
	if (!guard) {
		cr_emit_write(e, a, size, &r);
		return;
	}
	cr_set_join(e, &r, cr_set_of(e, guard));
	IRExpr *label = cr_set_label(e, &r);
	IRTemp g = cr_assign(e, Ity_I1, guard);

	call_write(e, g, "cr_on_write",
		   e->code == CR_CODE_FULL ? (void *)cr_on_write : (void *)cr_on_plain_write, a,
		   cr_at(e->next_pc, size), label);
}

static void on_load_guarded(struct cr_ir *e, const IRLoadG *l)
{
	IRType wide, narrow;
	IRTemp zero = cr_assign(e, Ity_I32, cr_u32(0)), g = cr_assign(e, Ity_I1, l->guard);
	struct cr_set r = { 0 };

	typeOfIRLoadGOp(l->cvt, &wide, &narrow);
	cr_set_add(e, &r, or_helper(e, g, "cr_on_read",
				    e->code == CR_CODE_FULL ? (void *)cr_on_read
							    : (void *)cr_on_plain_read,
				    l->addr, cr_at(e->next_pc, sizeofIRType(narrow)), zero));
	cr_set_join(e, &r, cr_set_of(e, l->alt));
	cr_set_join(e, &r, cr_set_of(e, l->guard));
	e->set[l->dst] = r;
}

static void on_cas(IRSB *out, const IRCAS *c, Addr next_pc)
{
	UInt size = sizeofIRType(typeOfIRExpr(out->tyenv, c->dataLo)) * (c->dataHi ? 2 : 1);
	IRTemp r = newIRTemp(out->tyenv, Ity_I64);

	addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_1_N(
				      r, 2, "cr_on_atomic", VG_(fnptr_to_fnentry)(cr_on_atomic),
				      mkIRExprVec_2(c->addr, cr_u64(cr_at(next_pc, size))))));
}

/* What a helper of the core gives comes from all that it is given. */
static void on_dirty(struct cr_ir *e, const IRDirty *d)
{
	struct cr_set r = { 0 };

	for (UInt i = 0; d->args[i]; i++) {
		if (d->args[i]->tag != Iex_VECRET && d->args[i]->tag != Iex_GSPTR)
			cr_set_join(e, &r, cr_set_of(e, d->args[i]));
	}
	for (Int i = 0; i < d->nFxState; i++) {
		if (d->fxState[i].fx != Ifx_Write)
			cr_get_slots(e, d->fxState[i].offset, d->fxState[i].size, &r);
	}
	if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
		cr_emit_read(e, d->mAddr, d->mSize > 32 ? 32 : d->mSize, False, &r);
	if (d->tmp != IRTemp_INVALID)
		e->set[d->tmp] = r;
	for (Int i = 0; i < d->nFxState; i++) {
		if (d->fxState[i].fx != Ifx_Read)
			cr_put_slots(e, d->fxState[i].offset, d->fxState[i].size, &r);
	}
	if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
		cr_emit_write(e, d->mAddr, d->mSize > 32 ? 32 : d->mSize, &r);
}

static void on_exit(struct cr_ir *e, const IRStmt *s)
{
	struct cr_set r = *cr_set_of(e, s->Ist.Exit.guard);
	IRExpr *label;
	IRTemp some, wide;
	IRDirty *d;
	Addr join;
	Bool closes;
	UInt loop;

	if (!r.n || s->Ist.Exit.jk != Ijk_Boring ||
	    !cr_flow_branch(e->pc, &join, &loop, &closes))
		return;
	label = cr_set_label(e, &r);
	some = cr_assign(e, Ity_I1, cr_binop(Iop_CmpNE32, label, cr_u32(0)));
	wide = cr_assign(e, Ity_I64, IRExpr_Unop(Iop_32Uto64, label));
	d = unsafeIRDirty_0_N(3, "cr_on_branch",
			      VG_(fnptr_to_fnentry)(closes ? cr_on_closing : cr_on_branch),
			      mkIRExprVec_3(cr_u64(join), cr_rd(wide),
					    cr_u64(e->pc | (ULong)loop << 48)));
	d->guard = cr_rd(some);
	addStmtToIRSB(e->out, IRStmt_Dirty(d));
}

/* With --flag-loops. */
static void on_waiting(struct cr_ir *e)
{
	UInt spin = cr_flow_spin(e->pc);

	e->waits = (spin & CR_SPIN_IN) != 0;
	if (spin & CR_SPIN_AFTER)
		addStmtToIRSB(e->out, IRStmt_Dirty(unsafeIRDirty_0_N(
					      1, "cr_on_wait_end",
					      VG_(fnptr_to_fnentry)(cr_on_wait_end),
					      mkIRExprVec_1(cr_u64(e->pc)))));
	if (spin & CR_SPIN_HEAD)
		addStmtToIRSB(e->out, IRStmt_Dirty(unsafeIRDirty_0_N(
					      1, "cr_on_wait_round",
					      VG_(fnptr_to_fnentry)(cr_on_wait_round),
					      mkIRExprVec_1(cr_u64(e->pc)))));
}

/* Called if decisions of the running function are open; changes what the control label is. */
static void if_open(struct cr_ir *e, IRDirty *d)
{
	IRTemp open = load32(e, cr_u64((UWord)&cr_open_branches));

	d->guard = cr_rd(cr_assign(e, Ity_I1, cr_binop(Iop_CmpNE32, cr_rd(open), cr_u32(0))));
	addStmtToIRSB(e->out, IRStmt_Dirty(d));
	e->control = IRTemp_INVALID;
}

static void on_instruction(struct cr_ir *e, const IRStmt *s)
{
	Addr first, last;

	e->pc = s->Ist.IMark.addr;
	e->next_pc = e->pc + s->Ist.IMark.len;
	e->inside = cr_flow_inside(e->pc);
	if (cr_options.flag_loops && e->code == CR_CODE_FULL)
		on_waiting(e);
	if (cr_flow_is_join(e->pc))
		if_open(e, unsafeIRDirty_0_N(1, "cr_on_join", VG_(fnptr_to_fnentry)(cr_on_join),
					     mkIRExprVec_1(cr_u64(e->pc))));
	if (cr_flow_round(e->pc, &first, &last))
		if_open(e, unsafeIRDirty_0_N(2, "cr_on_round", VG_(fnptr_to_fnentry)(cr_on_round),
					     mkIRExprVec_2(cr_u64(first), cr_u64(last))));
}

/* Before the statement: accesses are looked at where they have not happened yet. */
static void before(struct cr_ir *e, const IRStmt *s)
{
	switch (s->tag) {
	case Ist_Exit:
		on_exit(e, s);
		break;
	case Ist_Put:
		on_put(e, s);
		cr_pairs_put(e->pairs, s->Ist.Put.offset, s->Ist.Put.data);
		break;
	case Ist_PutI:
		cr_put_indexed(e, s->Ist.PutI.details);
		break;
	case Ist_Store:
		on_store(e, s->Ist.Store.addr, s->Ist.Store.data, NULL);
		break;
	case Ist_StoreG:
		on_store(e, s->Ist.StoreG.details->addr, s->Ist.StoreG.details->data,
			 s->Ist.StoreG.details->guard);
		break;
	case Ist_LoadG:
		on_load_guarded(e, s->Ist.LoadG.details);
		break;
	case Ist_WrTmp:
		on_write_temp(e, s);
		cr_pairs_temp(e->pairs, s->Ist.WrTmp.tmp, s->Ist.WrTmp.data);
		break;
	case Ist_CAS:
		if (e->code == CR_CODE_FULL)
			on_cas(e->out, s->Ist.CAS.details, e->next_pc);
		break;
	case Ist_Dirty:
		on_dirty(e, s->Ist.Dirty.details);
		break;
	default:
		break;
	}
}

/* Calls and returns, at the end of a block. */
static void on_end(IRSB *out, const VexGuestLayout *layout, Addr next_pc)
{
	IRTemp sp;

	if (out->jumpkind != Ijk_Call && out->jumpkind != Ijk_Ret)
		return;
	sp = newIRTemp(out->tyenv, Ity_I64);
	addStmtToIRSB(out, IRStmt_WrTmp(sp, IRExpr_Get(layout->offset_SP, Ity_I64)));
	if (out->jumpkind == Ijk_Call)
		addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(
					      2, "cr_on_call", VG_(fnptr_to_fnentry)(cr_on_call),
					      mkIRExprVec_2(cr_rd(sp), cr_u64(next_pc)))));
	else
		addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(
					      1, "cr_on_return",
					      VG_(fnptr_to_fnentry)(cr_on_return),
					      mkIRExprVec_1(cr_rd(sp)))));
}

/* While there is one thread: calls, and which variables are atomic. */
static IRSB *instrument_lightly(IRSB *in, const VexGuestLayout *layout)
{
	IRSB *out = deepCopyIRSBExceptStmts(in);
	Addr next_pc = 0;

	for (Int i = 0; i < in->stmts_used; i++) {
		IRStmt *s = in->stmts[i];

		if (!s || s->tag == Ist_NoOp)
			continue;
		if (s->tag == Ist_IMark)
			next_pc = s->Ist.IMark.addr + s->Ist.IMark.len;
		if (s->tag == Ist_CAS && cr_code_at(next_pc - 1) == CR_CODE_FULL)
			on_cas(out, s->Ist.CAS.details, next_pc);
		addStmtToIRSB(out, s);
	}
	on_end(out, layout, next_pc);
	return out;
}

IRSB *cr_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
		    const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word,
		    IRType host_word)
{
	struct cr_ir *e;
	struct cr_pairs *pairs;
	IRSB *out;

	if (!cr_watching)
		return instrument_lightly(in, layout);
	e = cr_ir_new(in, layout, cr_code_at(extents->base[0]));
	pairs = cr_pairs_new(in->tyenv->types_used);
	out = e->out;
	e->pairs = pairs;
	cr_ir_needs(e);
	for (Int i = 0; i < in->stmts_used; i++) {
		IRStmt *s = in->stmts[i];

		if (!s || s->tag == Ist_NoOp)
			continue;
		if (s->tag == Ist_IMark) {
			addStmtToIRSB(out, s);
			on_instruction(e, s);
			continue;
		}
		before(e, s);
		addStmtToIRSB(out, s);
	}
	on_end(out, layout, e->next_pc);
	cr_pairs_free(pairs);
	cr_ir_free(e);
	return out;
}
