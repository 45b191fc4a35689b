#include "cr_touch.h"

#include "cr_access.h"
#include "cr_region.h"
#include "cr_shadow.h"
#include "cr_thread.h"
#include "cr_wait.h"

/* An access whose cells are looked at in line. */
struct probe {
	IRExpr *a;    /* the address, an atom */
	UInt size;    /* 1, 2, 4, 8; or 16 or 32, which have several cells, one after the other */
	IRTemp chunk;
	IRTemp cell;  /* the address of the first one's */
	IRExpr *bad;  /* I64: not 0 if a helper is needed */
};

static IRExpr *op(struct cr_ir *e, IROp o, IRExpr *x, IRExpr *y)
{
	return cr_rd(cr_assign(e, Ity_I64, cr_binop(o, x, y)));
}

static IRExpr *load(struct cr_ir *e, IRType type, IRExpr *at)
{
	return cr_rd(cr_assign(e, type, IRExpr_Load(Iend_LE, type, at)));
}

static IRExpr *plus(struct cr_ir *e, IRExpr *x, ULong n)
{
	return n ? op(e, Iop_Add64, x, cr_u64(n)) : x;
}

static IRExpr *is_not_zero(struct cr_ir *e, IRExpr *x)
{
	return cr_rd(cr_assign(e, Ity_I1, cr_binop(Iop_CmpNE64, x, cr_u64(0))));
}

static IRExpr *choose(struct cr_ir *e, IRType type, IRExpr *guard, IRExpr *yes, IRExpr *no)
{
	return cr_rd(cr_assign(e, type, IRExpr_ITE(guard, yes, no)));
}

static Bool is_simple(UInt size)
{
	return size <= 8 && !(size & (size - 1));
}

/* ---- cells ---------------------------------------------------------------------------- */

static void find_cell(struct cr_ir *e, IRExpr *a, UInt size, struct probe *p)
{
	IRExpr *entry = op(e, Iop_And64, op(e, Iop_Shr64, a, cr_u8(CR_CHUNK_BITS - 3)),
			   cr_u64((CR_CHUNKS - 1) << 3));
	IRExpr *in = op(e, Iop_And64, a, cr_u64((1u << CR_CHUNK_BITS) - 8));
	IRExpr *chunk = load(e, Ity_I64, plus(e, entry, (UWord)cr_chunks));

	p->a = a;
	p->size = size;
	p->chunk = chunk->Iex.RdTmp.tmp;
	p->cell = cr_assign(e, Ity_I64, cr_binop(Iop_Add64, chunk, op(e, Iop_Shl64, in, cr_u8(1))));
	p->bad = cr_u64(0);
}

/* The address of the @i-th cell's labels. */
static IRExpr *labels_at(struct cr_ir *e, const struct probe *p, UInt i)
{
	return plus(e, cr_rd(p->cell), i * sizeof(struct cr_cell) + 8);
}

/* The address of the label of the word at p->a. */
static IRExpr *label_at(struct cr_ir *e, const struct probe *p)
{
	IRExpr *high = op(e, Iop_And64, p->a, cr_u64(4));

	return plus(e, op(e, Iop_Add64, cr_rd(p->cell), high), 8);
}

static void is_bad(struct cr_ir *e, struct probe *p, IRExpr *x)
{
	p->bad = p->bad->tag == Iex_Const ? x : op(e, Iop_Or64, p->bad, x);
}

/* The bits of a tag that count: whose it is, and the access's own bytes. */
static IRExpr *tag_mask(struct cr_ir *e, const struct probe *p, Bool write)
{
	UInt bytes = p->size < 8 ? (1u << p->size) - 1 : 0xff;
	IRExpr *low, *own;

	if (p->size >= 8)
		return cr_u64(~0xffffull | bytes << (write ? 8 : 0));
	low = op(e, Iop_And64, p->a, cr_u64(7));
	own = op(e, Iop_Shl64, cr_u64(bytes << (write ? 8 : 0)),
		 cr_rd(cr_assign(e, Ity_I8, IRExpr_Unop(Iop_64to8, low))));
	return op(e, Iop_Or64, own, cr_u64(~0xffffull));
}

/* Not in the tags, or not aligned: bad. Past the end of a chunk there are cells whose tags are 0. */
static void test_tags(struct cr_ir *e, struct probe *p, Bool write)
{
	IRExpr *now = load(e, Ity_I64, cr_u64((UWord)&cr_now)), *differ = NULL;
	UInt align = p->size < 8 ? p->size : 8;

	for (UInt i = 0; i == 0 || i < p->size / 8; i++) {
		IRExpr *tag = load(e, Ity_I64, plus(e, cr_rd(p->cell), i * sizeof(struct cr_cell)));
		IRExpr *x = op(e, Iop_Xor64, tag, now);

		differ = differ ? op(e, Iop_Or64, differ, x) : x;
	}
	is_bad(e, p, op(e, Iop_And64, differ, tag_mask(e, p, write)));
	if (align > 1)
		is_bad(e, p, op(e, Iop_And64, p->a, cr_u64(align - 1)));
}

static IRExpr *top_is_clear(struct cr_ir *e, IRExpr *x, UInt top)
{
	return op(e, Iop_Xor64, op(e, Iop_Shr64, x, cr_u8((UChar)top)), cr_u64(1));
}

/*
 * The label of what is read, if there is only one; otherwise that is bad. So is none at all
 * if @some is asked for: labels have CR_TAG.
 */
static IRExpr *test_labels(struct cr_ir *e, struct probe *p, Bool some)
{
	IRExpr *first, *label;

	if (p->size < 8) {
		label = load(e, Ity_I32, label_at(e, p));
		first = cr_rd(cr_assign(e, Ity_I64, IRExpr_Unop(Iop_32Uto64, label)));
		if (some)
			is_bad(e, p, top_is_clear(e, first, 31));
		return label;
	}
	first = load(e, Ity_I64, labels_at(e, p, 0));
	for (UInt i = 1; i < p->size / 8; i++)
		is_bad(e, p, op(e, Iop_Xor64, first, load(e, Ity_I64, labels_at(e, p, i))));
	/* Do its halves differ? */
	is_bad(e, p, op(e, Iop_Shl64,
			op(e, Iop_Xor64, first, op(e, Iop_Shr64, first, cr_u8(32))), cr_u8(32)));
	if (some)
		is_bad(e, p, top_is_clear(e, first, 63));
	return cr_rd(cr_assign(e, Ity_I32, IRExpr_Unop(Iop_64to32, first)));
}

/* ---- reads ----------------------------------------------------------------------------- */

/* @label, or what the helper says if @guard, or if that is NULL. */
static IRTemp or_helper(struct cr_ir *e, IRExpr *guard, void *f, IRExpr *a, UInt size,
			IRExpr *label)
{
	IRTemp r = newIRTemp(e->out->tyenv, Ity_I64);
	IRDirty *d = unsafeIRDirty_1_N(r, 2, "cr_on_read", VG_(fnptr_to_fnentry)(f),
				       mkIRExprVec_2(a, cr_u64(cr_at(e->next_pc, size))));
	IRExpr *said;

	if (guard)
		d->guard = guard;
	addStmtToIRSB(e->out, IRStmt_Dirty(d));
	said = cr_rd(cr_assign(e, Ity_I32, IRExpr_Unop(Iop_64to32, cr_rd(r))));
	if (guard)
		said = choose(e, Ity_I32, guard, said, label);
	return said->Iex.RdTmp.tmp;
}

static IRTemp by_helper(struct cr_ir *e, void *f, IRExpr *a, UInt size)
{
	return or_helper(e, NULL, f, a, size, NULL);
}

static void *helper_of(struct cr_ir *e, Bool stack)
{
	if (e->code != CR_CODE_FULL)
		return cr_on_plain_read;
	if (cr_options.paper)
		return cr_region_read;
	if (stack)
		return cr_on_read_known;
	return e->wanted && e->begins ? (void *)cr_on_read_new : (void *)cr_on_read;
}

static void read_full(struct cr_ir *e, IRExpr *a, UInt size, Bool stack, struct cr_set *to)
{
	void *f = helper_of(e, stack);
	struct probe p;
	IRExpr *label = NULL, *guard;
	IRDirty *d;

	find_cell(e, a, size, &p);
	test_tags(e, &p, False);
	if (e->wanted)
		label = test_labels(e, &p, f == (void *)cr_on_read_new);
	guard = is_not_zero(e, p.bad);
	if (label) {
		cr_set_add(e, to, or_helper(e, guard, f, a, size, label));
		return;
	}
	d = unsafeIRDirty_0_N(2, "cr_on_read", VG_(fnptr_to_fnentry)(f),
			      mkIRExprVec_2(a, cr_u64(cr_at(e->next_pc, size))));
	d->guard = guard;
	addStmtToIRSB(e->out, IRStmt_Dirty(d));
}

/* Labels alone. */
static void read_plain(struct cr_ir *e, IRExpr *a, UInt size, struct cr_set *to)
{
	struct probe p;
	IRExpr *label;

	find_cell(e, a, size, &p);
	label = test_labels(e, &p, False);
	if (size < 8)
		cr_set_add(e, to, label->Iex.RdTmp.tmp);
	else
		cr_set_add(e, to, or_helper(e, is_not_zero(e, p.bad), cr_on_plain_read, a, size,
					    label));
}

void cr_emit_read(struct cr_ir *e, IRExpr *a, UInt size, Bool stack, struct cr_set *to)
{
	Bool full = e->code == CR_CODE_FULL;

	if (full && cr_options.paper) /* every access counts */
		cr_set_add(e, to, by_helper(e, cr_region_read, a, size));
	else if (e->waits && !stack)
		cr_set_add(e, to, by_helper(e, cr_on_wait_read, a, size));
	else if (full && (is_simple(size) || size == 16 || size == 32))
		read_full(e, a, size, stack, to);
	else if (!full && is_simple(size))
		read_plain(e, a, size, to);
	else if (full || size % 8) /* ten bytes of an x87 value, and their like */
		cr_set_add(e, to, by_helper(e, helper_of(e, stack), a, size));
	else
		for (UInt o = 0; o < size; o += 8)
			read_plain(e, plus(e, a, o), 8, to);
}

void cr_emit_guarded_read(struct cr_ir *e, IRExpr *a, UInt size, IRExpr *guard, struct cr_set *to)
{
	void *f = e->code == CR_CODE_FULL && !cr_options.paper ? (void *)cr_on_read
							       : helper_of(e, False);

	cr_set_add(e, to, or_helper(e, cr_rd(cr_assign(e, Ity_I1, guard)), f, a, size, cr_u32(0)));
}

/* ---- writes ---------------------------------------------------------------------------- */

static ULong scratch[8]; /* where labels go that the helper has stored, or that are kept nowhere */

/* What the index of an entry of an array comes from. */
static IRExpr *index_label(struct cr_ir *e, IRExpr *a)
{
	struct cr_set s = *cr_set_of(e, e->code == CR_CODE_FULL ? cr_index_of(e, a) : NULL);

	return cr_set_label(e, &s);
}

static void call_write(struct cr_ir *e, IRExpr *guard, void *f, IRExpr *a, UInt size, IRExpr *label)
{
	Bool full = f == (void *)cr_on_write;
	IRExpr *data = full && e->data ? cr_set_label(e, e->data) : label;
	IRExpr *wide =
		cr_rd(cr_assign(e, Ity_I64, cr_binop(Iop_32HLto64, index_label(e, a), data)));
	ULong at = cr_at(e->next_pc, size | (full ? e->stores : 0));
	IRDirty *d = unsafeIRDirty_0_N(3, "cr_on_write", VG_(fnptr_to_fnentry)(f),
				       mkIRExprVec_3(a, cr_u64(at), wide));

	if (guard)
		d->guard = guard;
	addStmtToIRSB(e->out, IRStmt_Dirty(d));
}

static void *write_helper(const struct cr_ir *e)
{
	if (e->code != CR_CODE_FULL)
		return cr_on_plain_write;
	return cr_options.paper ? (void *)cr_region_write : (void *)cr_on_write;
}

/* A part of a word, whose rest keeps its label: for a helper, unless nothing changes. */
static void write_part(struct cr_ir *e, const struct probe *p, IRExpr *label)
{
	IRExpr *old = load(e, Ity_I32, label_at(e, p));

	call_write(e, cr_rd(cr_assign(e, Ity_I1, cr_binop(Iop_CmpNE32, old, label))),
		   cr_on_plain_write, p->a, p->size, label);
}

/* Labels of whole words, unless @guard. */
static void store_labels(struct cr_ir *e, const struct probe *p, IRExpr *guard, IRExpr *label)
{
	IRExpr *pair = cr_u64(0);
	IRExpr *to = choose(e, Ity_I64, guard, cr_u64((UWord)scratch),
			    p->size == 4 ? label_at(e, p) : labels_at(e, p, 0));

	if (p->size == 4) {
		addStmtToIRSB(e->out, IRStmt_Store(Iend_LE, to, label));
		return;
	}
	if (label->tag != Iex_Const)
		pair = op(e, Iop_32HLto64, label, label);
	for (UInt i = 0; i < p->size / 8; i++)
		addStmtToIRSB(e->out, IRStmt_Store(Iend_LE, plus(e, to, i * sizeof(struct cr_cell)),
						   pair));
}

static void write_full(struct cr_ir *e, IRExpr *a, UInt size, IRExpr *label)
{
	struct probe p;
	IRExpr *guard;

	find_cell(e, a, size, &p);
	test_tags(e, &p, True);
	guard = is_not_zero(e, p.bad);
	call_write(e, guard, cr_on_write, a, size, label);
	if (size >= 4)
		store_labels(e, &p, guard, label);
	else
		write_part(e, &p, label);
}

/* Labels alone, and never to the chunk of zeros. */
static void write_plain(struct cr_ir *e, IRExpr *a, UInt size, IRExpr *label)
{
	struct probe p;

	find_cell(e, a, size, &p);
	if (size >= 4)
		store_labels(e, &p,
			     cr_rd(cr_assign(e, Ity_I1,
					     cr_binop(Iop_CmpEQ64, cr_rd(p.chunk),
						      cr_u64((UWord)&cr_no_chunk)))),
			     label);
	else
		write_part(e, &p, label);
}

void cr_emit_write(struct cr_ir *e, IRExpr *a, UInt size, struct cr_set *of)
{
	IRExpr *label = cr_set_label(e, of);
	Bool full = e->code == CR_CODE_FULL;

	if (full && !cr_options.paper && (is_simple(size) || size == 16 || size == 32))
		write_full(e, a, size, label);
	else if (!full && is_simple(size))
		write_plain(e, a, size, label);
	else if (full || size % 8)
		call_write(e, NULL, write_helper(e), a, size, label);
	else
		for (UInt o = 0; o < size; o += 8)
			write_plain(e, plus(e, a, o), 8, label);
}

void cr_emit_guarded_write(struct cr_ir *e, IRExpr *a, UInt size, IRExpr *guard,
			   struct cr_set *of)
{
	IRExpr *label = cr_set_label(e, of);

	call_write(e, cr_rd(cr_assign(e, Ity_I1, guard)), write_helper(e), a, size, label);
}
