#include "cr_instr.h"

#include "cr_access.h"
#include "cr_call.h"
#include "cr_flow.h"
#include "cr_format.h"
#include "cr_ir.h"
#include "cr_label.h"
#include "cr_pairs.h"
#include "cr_place.h"
#include "cr_region.h"
#include "cr_spin.h"
#include "cr_touch.h"
#include "cr_wait.h"

/* ---- statements ------------------------------------------------------------------------- */

/* What is looked up in a table that nobody writes is made of the index. */
static void add_index(struct cr_ir *e, IRExpr *a, struct cr_set *r)
{
	IRExpr *index = cr_scaled_in(e, a), *label;
	struct cr_set by = index ? *cr_set_of(e, index) : (struct cr_set){ 0 };
	IRTemp used, any, found;
	IRDirty *d;

	if (!by.n)
		return;
	label = cr_set_label(e, &by);
	used = cr_assign(e, Ity_I32, cr_binop(Iop_And32, label, cr_u32((UInt)CR_USED_LABELS)));
	any = cr_assign(e, Ity_I1, cr_binop(Iop_CmpNE32, cr_rd(used), cr_u32(0)));
	found = newIRTemp(e->out->tyenv, Ity_I64);
	d = unsafeIRDirty_1_N(
		found, 2, "cr_on_lookup", VG_(fnptr_to_fnentry)(cr_on_lookup),
		mkIRExprVec_2(a, cr_rd(cr_assign(e, Ity_I64, IRExpr_Unop(Iop_32Uto64, label)))));
	d->guard = cr_rd(any);
	addStmtToIRSB(e->out, IRStmt_Dirty(d));
	label = cr_rd(cr_assign(e, Ity_I32, IRExpr_Unop(Iop_64to32, cr_rd(found))));
	cr_set_add(e, r, cr_assign(e, Ity_I32, IRExpr_ITE(cr_rd(any), label, cr_u32(0))));
}

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
		if (e->wanted)
			add_index(e, x->Iex.Load.addr, &r);
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
	if (e->control == IRTemp_INVALID)
		e->control = cr_assign(e, Ity_I32,
				       IRExpr_Load(Iend_LE, Ity_I32, cr_u64((UWord)&cr_control)));
	cr_set_add(e, r, e->control);
}

/*
 * What a function saves for its caller, and restores before it returns, is not made by what decided that it does so
 * here.
 */
static Bool is_push(Addr pc)
{
	const UChar *code = (const UChar *)pc;

	code += *code == 0x41;
	return (*code & 0xf8) == 0x50;
}

static Bool is_pop(Addr pc)
{
	const UChar *code = (const UChar *)pc;

	code += *code == 0x41;
	return (*code & 0xf8) == 0x58;
}

/* Where arguments are passed. */
#define ARGUMENTS 6u
static const Int argument_at[ARGUMENTS] = { CR_AT(guest_RDI), CR_AT(guest_RSI), CR_AT(guest_RDX),
					    CR_AT(guest_RCX), CR_AT(guest_R8),	CR_AT(guest_R9) };

static void note_argument(struct cr_ir *e, Int offset)
{
	for (UInt i = 0; i < ARGUMENTS; i++)
		e->arguments |= (offset == argument_at[i]) << i;
}

static void on_put(struct cr_ir *e, const IRStmt *s)
{
	IRExpr *data = s->Ist.Put.data;
	UInt size = sizeofIRType(typeOfIRExpr(e->in->tyenv, data));
	struct cr_set r;

	note_argument(e, s->Ist.Put.offset);
	if (!cr_is_tracked(s->Ist.Put.offset, size))
		return;
	r = *cr_set_of(e, data);
	if (e->inside && !cr_is_flags(s->Ist.Put.offset) && !cr_is_sp(e, data) && !is_pop(e->pc))
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
		addStmtToIRSB(e->out,
			      IRStmt_Dirty(unsafeIRDirty_0_N(2, "cr_on_together",
							     VG_(fnptr_to_fnentry)(cr_on_together),
							     mkIRExprVec_2(before, a))));
}

static void on_store(struct cr_ir *e, IRExpr *a, IRExpr *value, IRExpr *guard)
{
	UInt size = sizeofIRType(typeOfIRExpr(e->in->tyenv, value));
	struct cr_set r = *cr_set_of(e, value), data;

	if (!guard)
		on_together(e, a, value, size);
	e->stores = r.n ? 0 : CR_AT_CONSTANT;
	if (cr_options.address_deps)
		cr_set_join(e, &r, cr_set_of(e, a));
	data = r;
	if (e->inside && !is_push(e->pc)) {
		e->stores |= CR_AT_DECIDED;
		e->data = &data;
		add_control(e, &r);
	}
	if (!guard)
		cr_emit_write(e, a, size, &r);
	e->data = NULL;
	e->stores = 0;
	if (!guard)
		return;
	cr_set_join(e, &r, cr_set_of(e, guard));
	cr_emit_guarded_write(e, a, size, guard, &r);
}

static void on_load_guarded(struct cr_ir *e, const IRLoadG *l)
{
	IRType wide, narrow;
	struct cr_set r = { 0 };

	typeOfIRLoadGOp(l->cvt, &wide, &narrow);
	cr_emit_guarded_read(e, l->addr, sizeofIRType(narrow), l->guard, &r);
	cr_set_join(e, &r, cr_set_of(e, l->alt));
	cr_set_join(e, &r, cr_set_of(e, l->guard));
	e->set[l->dst] = r;
}

static void on_cas(IRSB *out, const IRCAS *c, Addr next_pc)
{
	UInt size = sizeofIRType(typeOfIRExpr(out->tyenv, c->dataLo)) * (c->dataHi ? 2 : 1);
	IRTemp r = newIRTemp(out->tyenv, Ity_I64);
	void *f = cr_options.paper ? (void *)cr_region_atomic : (void *)cr_on_atomic;

	addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_1_N(
				   r, 2, "cr_on_atomic", VG_(fnptr_to_fnentry)(f),
				   mkIRExprVec_2(c->addr, cr_u64(cr_at(next_pc, size))))));
}

/* What a helper of the core gives comes from all that it is given. */
static void on_dirty(struct cr_ir *e, const IRDirty *d)
{
	struct cr_set r = { 0 };

	e->wanted = True;
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

/* What two things are compared for @guard; NULL: none. */
static const IRExpr *comparison(const struct cr_ir *e, const IRExpr *guard)
{
	const IRExpr *x = guard;

	while (x && x->tag == Iex_RdTmp) {
		x = e->made_of[x->Iex.RdTmp.tmp];
		if (x && x->tag == Iex_Unop)
			x = x->Iex.Unop.arg;
	}
	return x && x->tag == Iex_Binop ? x : NULL;
}

/* Does it ask which of two is more? Then it is not whether anything has changed. */
static Bool is_ordering(const struct cr_ir *e, const IRExpr *guard)
{
	const IRExpr *x = comparison(e, guard);

	if (!x)
		return False;
	switch (x->Iex.Binop.op) {
	case Iop_CmpLT32S:
	case Iop_CmpLE32S:
	case Iop_CmpLT32U:
	case Iop_CmpLE32U:
	case Iop_CmpLT64S:
	case Iop_CmpLE64S:
	case Iop_CmpLT64U:
	case Iop_CmpLE64U:
		return True;
	default:
		return False;
	}
}

static Bool is_of_constant(const struct cr_ir *e, const IRExpr *guard)
{
	const IRExpr *x = comparison(e, guard);

	return x && (x->Iex.Binop.arg1->tag == Iex_Const || x->Iex.Binop.arg2->tag == Iex_Const);
}

/* What a branch is decided by, beside the way that it goes: bits of CR_WAY. */
static UInt kind_of(const struct cr_ir *e, const IRExpr *guard)
{
	return (is_ordering(e, guard) ? CR_WAY_ORDERING : 0) |
	       (is_of_constant(e, guard) ? CR_WAY_CONSTANT : 0);
}

static void on_exit(struct cr_ir *e, const IRStmt *s)
{
	struct cr_set r = *cr_set_of(e, s->Ist.Exit.guard);
	IRExpr *label;
	IRTemp some, way, wide;
	IRExpr *taken;
	IRDirty *d;
	Addr join;
	Bool closes;
	UInt loop, kind;
	ULong waits;

	/* What libc decides for itself would stick to the registers that it saves for the program. */
	if (!r.n || e->code != CR_CODE_FULL || s->Ist.Exit.jk != Ijk_Boring ||
	    !cr_flow_branch(e->pc, &join, &loop, &closes))
		return;
	waits = cr_flow_waits(e->pc);
	label = cr_set_label(e, &r);
	some = cr_assign(e, Ity_I1, cr_binop(Iop_CmpNE32, label, cr_u32(0)));
	/* The translator may have turned the condition round. */
	taken = cr_flow_jumps_to(e->pc, (Addr)s->Ist.Exit.dst->Ico.U64)
			? s->Ist.Exit.guard
			: cr_rd(cr_assign(e, Ity_I1, IRExpr_Unop(Iop_Not1, s->Ist.Exit.guard)));
	way = cr_assign(e, Ity_I32, IRExpr_Unop(Iop_1Uto32, taken));
	kind = kind_of(e, s->Ist.Exit.guard);
	if (kind)
		way = cr_assign(e, Ity_I32, cr_binop(Iop_Or32, cr_rd(way), cr_u32(kind)));
	wide = cr_assign(e, Ity_I64, cr_binop(Iop_32HLto64, cr_rd(way), label));
	d = unsafeIRDirty_0_N(3, "cr_on_branch",
			      VG_(fnptr_to_fnentry)(closes ? cr_on_closing : cr_on_branch),
			      mkIRExprVec_3(cr_u64(join), cr_rd(wide),
					    cr_u64(e->pc | (ULong)loop << 48 | waits << 63)));
	d->guard = cr_rd(some);
	addStmtToIRSB(e->out, IRStmt_Dirty(d));
}

/* With --flag-loops. */
static void on_waiting(struct cr_ir *e)
{
	UInt spin = cr_flow_spin(e->pc);

	e->waits = (spin & CR_SPIN_IN) != 0;
	if (spin & CR_SPIN_AFTER)
		addStmtToIRSB(e->out,
			      IRStmt_Dirty(unsafeIRDirty_0_N(1, "cr_on_wait_end",
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
	IRTemp open = cr_assign(e, Ity_I32,
				IRExpr_Load(Iend_LE, Ity_I32, cr_u64((UWord)&cr_open_branches)));

	d->guard = cr_rd(cr_assign(e, Ity_I1, cr_binop(Iop_CmpNE32, cr_rd(open), cr_u32(0))));
	addStmtToIRSB(e->out, IRStmt_Dirty(d));
	e->control = IRTemp_INVALID;
}

static void on_instruction(struct cr_ir *e, const IRStmt *s)
{
	Addr first, last, join[2];

	e->pc = s->Ist.IMark.addr;
	e->next_pc = e->pc + s->Ist.IMark.len;
	e->inside = cr_flow_inside(e->pc);
	if (cr_options.flag_loops && e->code == CR_CODE_FULL)
		on_waiting(e);
	cr_flow_joins(e->pc, join);
	for (UInt i = 0; i < 2; i++) {
		if (join[i])
			if_open(e, unsafeIRDirty_0_N(1, "cr_on_join",
						     VG_(fnptr_to_fnentry)(cr_on_join),
						     mkIRExprVec_1(cr_u64(join[i]))));
	}
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

/* The labels of two arguments, from @i on, as one argument of a helper; of what is none, 0. */
static IRExpr *two_labels(struct cr_ir *e, UInt i, UInt n)
{
	struct cr_set h = { 0 }, l = { 0 };
	IRExpr *label;

	if (i >= n)
		return cr_u64(0);
	cr_get_slots(e, argument_at[i], 8, &h);
	if (i + 1 < n)
		cr_get_slots(e, argument_at[i + 1], 8, &l);
	label = cr_set_label(e, &h);
	return cr_rd(cr_assign(e, Ity_I64, cr_binop(Iop_32HLto64, label, cr_set_label(e, &l))));
}

static IRExpr *argument(struct cr_ir *e, UInt i)
{
	return cr_rd(cr_assign(e, Ity_I64, IRExpr_Get(argument_at[i], Ity_I64)));
}

/* Where a function of libc begins that prints its arguments by a format. */
static void on_format(struct cr_ir *e)
{
	UInt at = cr_format_of(e->pc);
	IRExpr *sp;

	if (!at)
		return;
	sp = cr_rd(cr_assign(e, Ity_I64, IRExpr_Get(CR_AT(guest_RSP), Ity_I64)));
	addStmtToIRSB(e->out, IRStmt_Dirty(unsafeIRDirty_0_N(
				      2, "cr_on_format", VG_(fnptr_to_fnentry)(cr_on_format),
				      mkIRExprVec_2(sp, cr_u64(cr_at(e->next_pc, at))))));
	addStmtToIRSB(e->out,
		      IRStmt_Dirty(unsafeIRDirty_0_N(
			      0, "cr_on_printed", VG_(fnptr_to_fnentry)(cr_on_printed),
			      mkIRExprVec_6(argument(e, 0), argument(e, 1), argument(e, 2),
					    argument(e, 3), argument(e, 4), argument(e, 5)))));
}

/*
 * What a function is called with is used together. How many arguments that are is not known: those that are written right before the
 * call, from the first on. What is in the other registers was for something else.
 */
static void on_arguments(struct cr_ir *e)
{
	UInt n = 0;
	IRExpr *first, *next, *last;
	IRTemp any, all, used;
	IRDirty *d;

	while (n < ARGUMENTS && e->arguments >> n & 1)
		n++;
	if (n < 2)
		return;
	first = two_labels(e, 0, n);
	next = two_labels(e, 2, n);
	last = two_labels(e, 4, n);
	any = cr_assign(e, Ity_I64, cr_binop(Iop_Or64, first, next));
	all = cr_assign(e, Ity_I64, cr_binop(Iop_Or64, cr_rd(any), last));
	used = cr_assign(e, Ity_I64, cr_binop(Iop_And64, cr_rd(all), cr_u64(CR_USED_LABELS)));
	d = unsafeIRDirty_0_N(3, "cr_on_arguments", VG_(fnptr_to_fnentry)(cr_on_arguments),
			      mkIRExprVec_3(first, next, last));
	d->guard = cr_rd(cr_assign(e, Ity_I1, cr_binop(Iop_CmpNE64, cr_rd(used), cr_u64(0))));
	addStmtToIRSB(e->out, IRStmt_Dirty(d));
}

/* Calls and returns, at the end of a block. */
static void on_end(IRSB *out, const VexGuestLayout *layout, Addr next_pc, enum cr_code code)
{
	void *on_call = code == CR_CODE_FULL ? (void *)cr_on_full_call : (void *)cr_on_call;
	IRTemp sp;

	if (out->jumpkind != Ijk_Call && out->jumpkind != Ijk_Ret)
		return;
	sp = newIRTemp(out->tyenv, Ity_I64);
	addStmtToIRSB(out, IRStmt_WrTmp(sp, IRExpr_Get(layout->offset_SP, Ity_I64)));
	if (out->jumpkind == Ijk_Call)
		addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(
					   2, "cr_on_call", VG_(fnptr_to_fnentry)(on_call),
					   mkIRExprVec_2(cr_rd(sp), cr_u64(next_pc)))));
	else
		addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(
					   1, "cr_on_return", VG_(fnptr_to_fnentry)(cr_on_return),
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
	on_end(out, layout, next_pc, CR_CODE_PLAIN);
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
	e = cr_ir_new(in, layout, extents->base[0]);
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
			if (e->pc == extents->base[0] && !cr_options.paper)
				on_format(e);
			continue;
		}
		before(e, s);
		addStmtToIRSB(out, s);
	}
	if (e->joins && out->jumpkind == Ijk_Call)
		on_arguments(e);
	on_end(out, layout, e->next_pc, e->code);
	cr_pairs_free(pairs);
	cr_ir_free(e);
	return out;
}
