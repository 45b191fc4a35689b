#include "cr_ir.h"

#include <stddef.h>

#include <libvex_guest_amd64.h>

#include "cr_gap.h"
#include "cr_label.h"

struct cr_ir *cr_ir_new(IRSB *in, const VexGuestLayout *layout, Addr pc)
{
	struct cr_ir *e = VG_(calloc)("cr.ir", 1, sizeof(*e));
	enum cr_code code = cr_code_at(pc);

	e->in = in;
	e->out = deepCopyIRSBExceptStmts(in);
	e->layout = layout;
	e->code = code;
	e->joins = code == CR_CODE_FULL && !cr_is_libc(pc);
	e->begins = cr_threads_count() > 1;
	e->ntemps = in->tyenv->types_used;
	e->set = VG_(calloc)("cr.ir", e->ntemps + 1, sizeof(*e->set));
	e->needed = VG_(calloc)("cr.ir", e->ntemps + 1, 1);
	e->sp = VG_(calloc)("cr.ir", e->ntemps + 1, 1);
	e->made_of = VG_(calloc)("cr.ir", e->ntemps + 1, sizeof(*e->made_of));
	e->control = IRTemp_INVALID;
	return e;
}

void cr_ir_free(struct cr_ir *e)
{
	VG_(free)(e->set);
	VG_(free)(e->needed);
	VG_(free)(e->sp);
	VG_(free)(e->made_of);
	VG_(free)(e);
}

/* ---- sets ------------------------------------------------------------------------------ */

/*
 * The last union that was made at each place in translated code, or at one of a few: what it was of, and the sum. They
 * are those of the thread that runs.
 */
#define MADE 1024u

static struct made {
	ULong of;
	cr_label sum;
} made[MADE];

void cr_ir_forget(void)
{
	VG_(memset)(made, 0, sizeof(made));
}

static cr_label unite(UWord of, struct made *at)
{
	at->sum = cr_label_union((cr_label)(of >> 32), (cr_label)of);
	at->of = cr_options.paper ? 0 : of; /* there it is more than a sum */
	return at->sum;
}

static VG_REGPARM(2) void cr_on_union(UWord of, UWord at)
{
	unite(of, (struct made *)at);
}

/* In code whose accesses count: a value is made of both. */
static VG_REGPARM(2) void cr_on_full_union(UWord of, UWord at)
{
	cr_label sum = unite(of, (struct made *)at);

	if (cr_label_idle(sum))
		return;
	cr_gap_joined(sum, 0);
	if (cr_label_count(sum) == CR_SOURCES) /* and some of them may be left out */
		cr_gap_met((cr_label)(of >> 32), (cr_label)of);
}

/*
 * Both have the tag's bit or are 0: only if both are labels and differ is their exclusive
 * or positive, and only then is a helper needed, unless these two were united here before; otherwise "or" gives the sum.
 */
static IRTemp sum_of(struct cr_ir *e, IRTemp a, IRTemp b)
{
	static UInt places;
	struct made *at = &made[places++ % MADE];
	IRExpr *there = cr_u64((UWord)at), *sum_there = cr_u64((UWord)&at->sum);
	IRTemp x = cr_assign(e, Ity_I32, cr_binop(Iop_Xor32, cr_rd(a), cr_rd(b)));
	IRTemp o = cr_assign(e, Ity_I32, cr_binop(Iop_Or32, cr_rd(a), cr_rd(b)));
	IRTemp two = cr_assign(e, Ity_I1, cr_binop(Iop_CmpLT32S, cr_u32(0), cr_rd(x)));
	IRTemp of = cr_assign(e, Ity_I64, cr_binop(Iop_32HLto64, cr_rd(a), cr_rd(b)));
	IRTemp last = cr_assign(e, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, there));
	IRTemp differ = cr_assign(e, Ity_I64, cr_binop(Iop_Xor64, cr_rd(of), cr_rd(last)));
	IRTemp new = cr_assign(e, Ity_I64, IRExpr_ITE(cr_rd(two), cr_rd(differ), cr_u64(0)));
	void *f = e->joins ? (void *)cr_on_full_union : (void *)cr_on_union;
	IRDirty *d = unsafeIRDirty_0_N(2, "cr_on_union", VG_(fnptr_to_fnentry)(f),
				       mkIRExprVec_2(cr_rd(of), there));
	IRTemp sum;

	d->guard = cr_rd(cr_assign(e, Ity_I1, cr_binop(Iop_CmpNE64, cr_rd(new), cr_u64(0))));
	d->mFx = Ifx_Modify;
	d->mAddr = there;
	d->mSize = sizeof(*at);
	addStmtToIRSB(e->out, IRStmt_Dirty(d));
	sum = cr_assign(e, Ity_I32, IRExpr_Load(Iend_LE, Ity_I32, sum_there));
	return cr_assign(e, Ity_I32, IRExpr_ITE(cr_rd(two), cr_rd(sum), cr_rd(o)));
}

static Bool same_set(const struct cr_set *a, const struct cr_set *b)
{
	return a->n == b->n && !VG_(memcmp)(a->t, b->t, a->n * sizeof(a->t[0]));
}

static IRTemp sum_up(struct cr_ir *e, const struct cr_set *s)
{
	IRTemp r = s->t[0];

	for (UInt i = 0; i < e->nsums; i++) {
		if (same_set(&e->sums[i].of, s))
			return e->sums[i].sum;
	}
	for (UInt i = 1; i < s->n; i++)
		r = sum_of(e, r, s->t[i]);
	if (s->n > 1 && e->nsums < CR_SUMS) {
		e->sums[e->nsums].of = *s;
		e->sums[e->nsums++].sum = r;
	}
	return r;
}

IRExpr *cr_set_label(struct cr_ir *e, struct cr_set *s)
{
	IRTemp t;

	if (!s->n)
		return cr_u32(0);
	t = sum_up(e, s);
	s->n = 1;
	s->t[0] = t;
	return cr_rd(t);
}

void cr_set_add(struct cr_ir *e, struct cr_set *s, IRTemp t)
{
	UInt i;

	for (i = 0; i < s->n; i++) {
		if (s->t[i] == t)
			return;
	}
	if (s->n == CR_SET)
		cr_set_label(e, s);
	for (i = s->n++; i > 0 && s->t[i - 1] > t; i--)
		s->t[i] = s->t[i - 1];
	s->t[i] = t;
}

void cr_set_join(struct cr_ir *e, struct cr_set *into, const struct cr_set *from)
{
	for (UInt i = 0; i < from->n; i++)
		cr_set_add(e, into, from->t[i]);
}

const struct cr_set *cr_set_of(struct cr_ir *e, const IRExpr *atom)
{
	static const struct cr_set none;

	return atom && atom->tag == Iex_RdTmp ? &e->set[atom->Iex.RdTmp.tmp] : &none;
}

/* Is the first operand how to round? All of floating point depends on that, and means nothing. */
static Bool has_rounding(IROp op)
{
	IRType result, first, second = Ity_INVALID, third = Ity_INVALID, fourth = Ity_INVALID;

	typeOfPrimop(op, &result, &first, &second, &third, &fourth);
	return first == Ity_I32 &&
	       (second == Ity_F64 || second == Ity_F32 || (result == Ity_F64 && second == Ity_I64));
}

/* The atoms that an expression computes with: calls @take for each. */
static void each_operand(const IRExpr *x, void (*take)(struct cr_ir *, const IRExpr *, void *),
			 struct cr_ir *e, void *arg)
{
	switch (x->tag) {
	case Iex_RdTmp:
		take(e, x, arg);
		break;
	case Iex_Unop:
		take(e, x->Iex.Unop.arg, arg);
		break;
	case Iex_Binop:
		if (!has_rounding(x->Iex.Binop.op))
			take(e, x->Iex.Binop.arg1, arg);
		take(e, x->Iex.Binop.arg2, arg);
		break;
	case Iex_Triop:
		if (!has_rounding(x->Iex.Triop.details->op))
			take(e, x->Iex.Triop.details->arg1, arg);
		take(e, x->Iex.Triop.details->arg2, arg);
		take(e, x->Iex.Triop.details->arg3, arg);
		break;
	case Iex_Qop:
		if (!has_rounding(x->Iex.Qop.details->op))
			take(e, x->Iex.Qop.details->arg1, arg);
		take(e, x->Iex.Qop.details->arg2, arg);
		take(e, x->Iex.Qop.details->arg3, arg);
		take(e, x->Iex.Qop.details->arg4, arg);
		break;
	case Iex_ITE:
		take(e, x->Iex.ITE.cond, arg);
		take(e, x->Iex.ITE.iftrue, arg);
		take(e, x->Iex.ITE.iffalse, arg);
		break;
	case Iex_CCall:
		for (UInt i = 0; x->Iex.CCall.args[i]; i++) {
			if (!(x->Iex.CCall.cee->mcx_mask & (1u << i)))
				take(e, x->Iex.CCall.args[i], arg);
		}
		break;
	case Iex_GetI:
	case Iex_Get:
	case Iex_Load:
	default:
		break;
	}
}

static void join_operand(struct cr_ir *e, const IRExpr *atom, void *arg)
{
	cr_set_join(e, arg, cr_set_of(e, atom));
}

static void get_indexed(struct cr_ir *e, const IRExpr *x, struct cr_set *r)
{
	const IRRegArray *d = x->Iex.GetI.descr;
	IRTemp wide;

	if (sizeofIRType(d->elemTy) != 8)
		return;
	wide = cr_assign(
		e, Ity_I64,
		IRExpr_GetI(mkIRRegArray(d->base + e->layout->total_sizeB, Ity_I64, d->nElems),
			    x->Iex.GetI.ix, x->Iex.GetI.bias));
	cr_set_add(e, r, cr_assign(e, Ity_I32, IRExpr_Unop(Iop_64to32, cr_rd(wide))));
}

/* A value and itself give a constant: "xor eax, eax". */
static Bool is_clearing(const IRExpr *x)
{
	IROp op = x->tag == Iex_Binop ? x->Iex.Binop.op : Iop_INVALID;

	return (op == Iop_Xor64 || op == Iop_Xor32 || op == Iop_XorV128 || op == Iop_Sub64 ||
		op == Iop_Sub32) &&
	       x->Iex.Binop.arg1->tag == Iex_RdTmp && x->Iex.Binop.arg2->tag == Iex_RdTmp &&
	       x->Iex.Binop.arg1->Iex.RdTmp.tmp == x->Iex.Binop.arg2->Iex.RdTmp.tmp;
}

void cr_set_of_expr(struct cr_ir *e, IRExpr *x, struct cr_set *r)
{
	if (x->tag == Iex_Get)
		cr_get_slots(e, x->Iex.Get.offset, sizeofIRType(x->Iex.Get.ty), r);
	else if (x->tag == Iex_GetI)
		get_indexed(e, x, r);
	else if (!is_clearing(x))
		each_operand(x, join_operand, e, r);
}

/* ---- which labels go anywhere --------------------------------------------------------------- */

static void need(struct cr_ir *e, const IRExpr *atom, void *arg)
{
	if (atom && atom->tag == Iex_RdTmp)
		e->needed[atom->Iex.RdTmp.tmp] = 1;
}

static void need_dirty(struct cr_ir *e, const IRDirty *d)
{
	for (UInt i = 0; d->args[i]; i++)
		need(e, d->args[i], NULL);
}

static void need_statement(struct cr_ir *e, const IRStmt *s)
{
	switch (s->tag) {
	case Ist_Put:
		if (cr_is_tracked(s->Ist.Put.offset,
				  sizeofIRType(typeOfIRExpr(e->in->tyenv, s->Ist.Put.data))))
			need(e, s->Ist.Put.data, NULL);
		break;
	case Ist_PutI:
		need(e, s->Ist.PutI.details->data, NULL);
		break;
	case Ist_Store:
		need(e, s->Ist.Store.data, NULL);
		if (e->code == CR_CODE_FULL)
			need(e, cr_index_of(e, s->Ist.Store.addr), NULL);
		if (cr_options.address_deps)
			need(e, s->Ist.Store.addr, NULL);
		break;
	case Ist_StoreG:
		need(e, s->Ist.StoreG.details->data, NULL);
		need(e, s->Ist.StoreG.details->guard, NULL);
		break;
	case Ist_LoadG:
		need(e, s->Ist.LoadG.details->alt, NULL);
		need(e, s->Ist.LoadG.details->guard, NULL);
		break;
	case Ist_Exit:
		need(e, s->Ist.Exit.guard, NULL);
		break;
	case Ist_Dirty:
		need_dirty(e, s->Ist.Dirty.details);
		break;
	case Ist_WrTmp:
		if (!e->needed[s->Ist.WrTmp.tmp])
			break;
		each_operand(s->Ist.WrTmp.data, need, e, NULL);
		if (s->Ist.WrTmp.data->tag != Iex_Load)
			break;
		need(e, cr_scaled_in(e, s->Ist.WrTmp.data->Iex.Load.addr), NULL);
		if (cr_options.address_deps)
			need(e, s->Ist.WrTmp.data->Iex.Load.addr, NULL);
		break;
	default:
		break;
	}
}

void cr_ir_needs(struct cr_ir *e)
{
	for (Int i = 0; i < e->in->stmts_used; i++) {
		const IRStmt *s = e->in->stmts[i];

		if (s && s->tag == Ist_WrTmp)
			e->made_of[s->Ist.WrTmp.tmp] = s->Ist.WrTmp.data;
	}
	for (Int i = e->in->stmts_used - 1; i >= 0; i--)
		need_statement(e, e->in->stmts[i]);
}

/* ---- registers -------------------------------------------------------------------------------- */

/* Not the stack and instruction pointers, nor what only says how flags are to be computed. */
static Bool is_slot(Int offset)
{
	if (offset >= CR_AT(guest_RAX) && offset <= CR_AT(guest_R15))
		return offset != CR_AT(guest_RSP);
	if (offset == CR_AT(guest_CC_DEP1) || offset == CR_AT(guest_CC_DEP2))
		return True;
	if (offset >= CR_AT(guest_YMM0) && offset < CR_AT(guest_YMM0) + 16 * 32)
		return True;
	return offset >= CR_AT(guest_FPREG) && offset < CR_AT(guest_FPREG) + 64;
}

Bool cr_is_flags(Int offset)
{
	return offset == CR_AT(guest_CC_DEP1) || offset == CR_AT(guest_CC_DEP2);
}

Bool cr_is_tracked(Int offset, UInt size)
{
	for (Int o = offset & ~7; o < offset + (Int)size; o += 8) {
		if (is_slot(o))
			return True;
	}
	return False;
}

void cr_get_slots(struct cr_ir *e, Int offset, UInt size, struct cr_set *r)
{
	for (Int o = offset & ~7; o < offset + (Int)size; o += 8) {
		UInt k = (UInt)o / 8;
		IRTemp wide;

		if (!is_slot(o) || k >= CR_SLOTS_OF_STATE)
			continue;
		if (!e->known[k]) {
			wide = cr_assign(e, Ity_I64,
					 IRExpr_Get(e->layout->total_sizeB + o, Ity_I64));
			e->slot[k].n = 1;
			e->slot[k].t[0] =
				cr_assign(e, Ity_I32, IRExpr_Unop(Iop_64to32, cr_rd(wide)));
			e->known[k] = 1;
		}
		cr_set_join(e, r, &e->slot[k]);
	}
}

/*
 * Is only a part of the slot written, while the rest keeps its value? A byte that is loaded into the low end
 * of a general register is all that is used of it: compilers do not care what is above.
 */
static Bool is_part(Int slot, Int offset, UInt size)
{
	if (slot <= CR_AT(guest_R15) && offset == slot)
		return False;
	return offset > slot || offset + (Int)size < slot + 8;
}

void cr_put_slots(struct cr_ir *e, Int offset, UInt size, struct cr_set *r)
{
	for (Int o = offset & ~7; o < offset + (Int)size; o += 8) {
		UInt k = (UInt)o / 8;
		struct cr_set all = *r;
		IRExpr *label;

		if (!is_slot(o) || k >= CR_SLOTS_OF_STATE)
			continue;
		if (is_part(o, offset, size))
			cr_get_slots(e, o, 8, &all);
		if (e->known[k] && same_set(&e->slot[k], &all))
			continue;
		label = cr_set_label(e, &all);
		addStmtToIRSB(
			e->out,
			IRStmt_Put(e->layout->total_sizeB + o,
				   label->tag == Iex_Const
					   ? cr_u64(0)
					   : cr_rd(cr_assign(e, Ity_I64,
							     IRExpr_Unop(Iop_32Uto64, label)))));
		e->slot[k] = all;
		e->known[k] = 1;
		if (!is_part(o, offset, size))
			*r = all;
	}
}

void cr_put_indexed(struct cr_ir *e, const IRPutI *p)
{
	struct cr_set r = *cr_set_of(e, p->data);
	IRExpr *label;

	if (sizeofIRType(p->descr->elemTy) != 8)
		return;
	label = cr_set_label(e, &r);
	addStmtToIRSB(
		e->out,
		IRStmt_PutI(mkIRPutI(
			mkIRRegArray(p->descr->base + e->layout->total_sizeB, Ity_I64,
				     p->descr->nElems),
			p->ix, p->bias,
			label->tag == Iex_Const
				? cr_u64(0)
				: cr_rd(cr_assign(e, Ity_I64, IRExpr_Unop(Iop_32Uto64, label))))));
	for (Int i = 0; i < p->descr->nElems; i++)
		e->known[(p->descr->base + 8 * i) / 8] = 0;
}

static const IRExpr *made_of(const struct cr_ir *e, const IRExpr *atom, IROp op)
{
	const IRExpr *x = atom->tag == Iex_RdTmp ? e->made_of[atom->Iex.RdTmp.tmp] : NULL;

	return x && x->tag == Iex_Binop && x->Iex.Binop.op == op ? x : NULL;
}

/* What is multiplied in the address @atom; NULL: nothing is. */
static IRExpr *index_in(const struct cr_ir *e, const IRExpr *atom)
{
	const IRExpr *sum = made_of(e, atom, Iop_Add64), *scaled = made_of(e, atom, Iop_Shl64);
	IRExpr *found;

	if (!scaled)
		scaled = made_of(e, atom, Iop_Mul64);
	if (scaled)
		return scaled->Iex.Binop.arg1;
	if (!sum)
		return NULL;
	found = index_in(e, sum->Iex.Binop.arg1);
	return found ? found : index_in(e, sum->Iex.Binop.arg2);
}

IRExpr *cr_scaled_in(const struct cr_ir *e, IRExpr *atom)
{
	return e->code == CR_CODE_FULL && e->joins && !cr_options.paper ? index_in(e, atom) : NULL;
}

IRExpr *cr_index_of(const struct cr_ir *e, IRExpr *atom)
{
	IRExpr *found = index_in(e, atom);

	return found ? found : atom;
}

Bool cr_is_sp(const struct cr_ir *e, const IRExpr *atom)
{
	return atom->tag == Iex_RdTmp && e->sp[atom->Iex.RdTmp.tmp];
}

void cr_note_sp(struct cr_ir *e, IRTemp t, const IRExpr *x)
{
	if (x->tag == Iex_Get)
		e->sp[t] = x->Iex.Get.offset == CR_AT(guest_RSP);
	else if (x->tag == Iex_RdTmp)
		e->sp[t] = cr_is_sp(e, x);
	else if (x->tag == Iex_Binop &&
		 (x->Iex.Binop.op == Iop_Add64 || x->Iex.Binop.op == Iop_Sub64) &&
		 x->Iex.Binop.arg2->tag == Iex_Const)
		e->sp[t] = cr_is_sp(e, x->Iex.Binop.arg1);
}
