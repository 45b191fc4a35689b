#include "cr_pairs.h"

#include <stddef.h>

#include <libvex_guest_amd64.h>

#define REGISTERS 160
#define PLACES 32      /* in memory, of one block */
#define REACH 256      /* bytes between members */

/* A value: some unknown one, plus a constant. Root 0 is not known at all. */
struct value {
	UInt root;
	Long offset;
};

/* What is known to be in memory; and what was stored there by this block. */
struct place {
	struct value at, content;
	Bool loaded;
};

struct store {
	struct value at;
	IRExpr *address;
};

struct cr_pairs {
	struct value *temp;
	struct value reg[REGISTERS];
	struct place place[PLACES];
	struct store store[PLACES];
	UInt nplaces, nstores, roots;
};

struct cr_pairs *cr_pairs_new(Int ntemps)
{
	struct cr_pairs *p = VG_(calloc)("cr.pairs", 1, sizeof(*p));

	p->temp = VG_(calloc)("cr.pairs", (SizeT)ntemps + 1, sizeof(*p->temp));
	return p;
}

void cr_pairs_free(struct cr_pairs *p)
{
	VG_(free)(p->temp);
	VG_(free)(p);
}

static struct value unknown(struct cr_pairs *p)
{
	return (struct value){ ++p->roots, 0 };
}

static Bool is_same(struct value a, struct value b)
{
	return a.root && a.root == b.root && a.offset == b.offset;
}

static struct value value_of(const struct cr_pairs *p, const IRExpr *x)
{
	return x->tag == Iex_RdTmp ? p->temp[x->Iex.RdTmp.tmp] : (struct value){ 0, 0 };
}

static struct place *place_at(struct cr_pairs *p, struct value at)
{
	struct place *new;

	for (UInt i = 0; i < p->nplaces; i++) {
		if (is_same(p->place[i].at, at))
			return &p->place[i];
	}
	if (!at.root || p->nplaces == PLACES)
		return NULL;
	new = &p->place[p->nplaces++];
	*new = (struct place){ .at = at, .content = unknown(p) };
	return new;
}

static struct value from_memory(struct cr_pairs *p, const IRExpr *address)
{
	struct place *place = place_at(p, value_of(p, address));

	if (!place)
		return unknown(p);
	place->loaded = True;
	return place->content;
}

static struct value from_register(struct cr_pairs *p, Int offset)
{
	if (offset % 8 || offset / 8 >= REGISTERS)
		return unknown(p);
	if (!p->reg[offset / 8].root)
		p->reg[offset / 8] = unknown(p);
	return p->reg[offset / 8];
}

void cr_pairs_temp(struct cr_pairs *p, IRTemp t, const IRExpr *x)
{
	struct value v = unknown(p);
	IROp op = x->tag == Iex_Binop ? x->Iex.Binop.op : Iop_INVALID;

	if (x->tag == Iex_Get && x->Iex.Get.ty == Ity_I64) {
		v = from_register(p, x->Iex.Get.offset);
	} else if (x->tag == Iex_RdTmp) {
		v = value_of(p, x);
	} else if (x->tag == Iex_Load) {
		v = from_memory(p, x->Iex.Load.addr);
	} else if ((op == Iop_Add64 || op == Iop_Sub64) && x->Iex.Binop.arg2->tag == Iex_Const &&
		   value_of(p, x->Iex.Binop.arg1).root) {
		Long by = (Long)x->Iex.Binop.arg2->Iex.Const.con->Ico.U64;

		v = value_of(p, x->Iex.Binop.arg1);
		v.offset += op == Iop_Add64 ? by : -by;
	}
	p->temp[t] = v;
}

void cr_pairs_put(struct cr_pairs *p, Int offset, const IRExpr *data)
{
	if (offset / 8 < REGISTERS)
		p->reg[offset / 8] = offset % 8 ? unknown(p) : value_of(p, data);
}

/* Locals, which have nothing to do with each other; rbp may be just any pointer, though. */
static Bool is_frame(const struct cr_pairs *p, struct value v)
{
	return v.root == p->reg[offsetof(VexGuestAMD64State, guest_RSP) / 8].root ||
	       (v.root == p->reg[offsetof(VexGuestAMD64State, guest_RBP) / 8].root && v.offset < 0);
}

IRExpr *cr_pairs_store(struct cr_pairs *p, IRExpr *a, const IRExpr *data, UInt size)
{
	struct value at = value_of(p, a);
	struct place *place = place_at(p, at);
	Bool adds = place && place->loaded, constant = data->tag == Iex_Const;
	IRExpr *before = NULL;

	if (place)
		place->content = value_of(p, data);
	if (!at.root || adds || constant || size < 4 || is_frame(p, at))
		return NULL;
	for (UInt i = p->nstores; i > 0 && !before; i--) {
		const struct store *s = &p->store[i - 1];
		Long apart = s->at.offset - at.offset;

		if (s->at.root == at.root && apart && apart < REACH && apart > -REACH)
			before = s->address;
	}
	if (p->nstores < PLACES)
		p->store[p->nstores++] = (struct store){ at, a };
	return before;
}
