#include "cr_spin.h"

#include <pub_tool_debuginfo.h>

#include "cr_loop.h"
#include "cr_x86.h"

#define BODY_MAX CR_LOOP_SMALL /* blocks of a loop that only waits */

/* ---- instructions ---------------------------------------------------------------------- */

#define REG(r) (1u << (r))
#define RSP 4u
#define RBP 5u
#define OF_CALLEE 0xfc7u /* what a call may change: rax, rcx, rdx, rsi, rdi, r8 to r11 */

/* What an instruction does, as far as it matters here; registers as sets. */
struct op {
	UInt writes, reads, address;
	Bool memory;  /* reads it */
	Bool copies;  /* flags stay as they were */
	Bool call;
	Bool of_stack; /* makes an address of the stack */
	ULong operand; /* in memory: the same for the same address, if registers are the same */
};

struct code {
	const UChar *p;
	UInt rex;
	Bool bytes; /* operands are of one byte */
	UInt mod, reg, rm; /* of ModRM */
	UInt address;
	ULong operand;
	Addr next; /* instruction */
};

static UInt byte_register(const struct code *c, UInt r)
{
	return c->bytes && !c->rex && r >= 4 && r < 8 ? r - 4 : r;
}

static void take_modrm(struct code *c)
{
	UInt m = *c->p++;

	c->mod = m >> 6;
	c->reg = byte_register(c, (m >> 3 & 7) | (c->rex & 4) << 1);
	c->rm = (m & 7) | (c->rex & 1) << 3;
	c->address = 0;
	c->operand = (ULong)(c->rex & 3) << 56 | (ULong)(c->mod << 3 | (m & 7)) << 48;
	if (c->mod == 3) {
		c->rm = byte_register(c, c->rm);
	} else if ((m & 7) == 4) {
		UInt sib = *c->p++, index = (sib >> 3 & 7) | (c->rex & 2) << 2;

		if (index != RSP)
			c->address |= REG(index);
		if (c->mod || (sib & 7) != 5)
			c->address |= REG((sib & 7) | (c->rex & 1) << 3);
		c->operand |= (ULong)sib << 40;
	} else if (c->mod || (m & 7) != 5) {
		c->address = REG(c->rm);
	} else {
		c->operand = c->next + (Addr)(Long) * (const Int *)c->p;
		return;
	}
	if (c->mod == 1)
		c->operand |= *c->p;
	else if (c->mod != 3 && (c->mod || !c->address))
		c->operand |= *(const UInt *)c->p;
}

/* The operand that may be memory is read. */
static void read_rm(const struct code *c, struct op *o)
{
	if (c->mod == 3) {
		o->reads |= REG(c->rm);
	} else {
		o->memory = True;
		o->address |= c->address;
		o->operand = c->operand;
	}
}

/* It is written, too: only a register may be. */
static Bool change_rm(const struct code *c, struct op *o)
{
	o->writes = REG(c->rm);
	o->reads |= REG(c->rm);
	return c->mod == 3;
}

static Bool two_bytes(struct code *c, struct op *o)
{
	UInt op = *c->p++;

	if (op >= 0x80 && op <= 0x8f) /* a branch */
		return True;
	c->bytes = op == 0xb6 || op == 0xbe || (op >= 0x90 && op <= 0x9f);
	take_modrm(c);
	if (op == 0x1f || (op == 0x1e && c->mod == 3)) /* nothing */
		return True;
	if (op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf) { /* extended */
		read_rm(c, o);
		o->writes = REG(c->reg);
		o->copies = True;
		return True;
	}
	if (op >= 0x40 && op <= 0x4f) { /* moved if */
		read_rm(c, o);
		o->reads |= REG(c->reg);
		o->writes = REG(c->reg);
		return True;
	}
	if (op >= 0x90 && op <= 0x9f) { /* what a comparison gave */
		o->writes = REG(c->rm);
		return c->mod == 3;
	}
	return False;
}

/* 0x00 .. 0x3f: eight operations in six forms each, of which the last only compares. */
static Bool arithmetic(struct code *c, UInt op, struct op *o)
{
	UInt form = op & 7;
	Bool compares = op >> 3 == 7;

	if (form > 5)
		return False;
	if (form >= 4) {
		o->reads = REG(0);
		o->writes = compares ? 0 : REG(0);
		return True;
	}
	take_modrm(c);
	o->reads = REG(c->reg);
	if (form >= 2 || compares) {
		read_rm(c, o);
		o->writes = compares ? 0 : REG(c->reg);
		return True;
	}
	if (!change_rm(c, o))
		return False;
	if (c->reg == c->rm && op >> 3 >= 5) /* from itself: 0 */
		o->reads = 0;
	return True;
}

static Bool with_constant(struct code *c, UInt op, struct op *o)
{
	Bool compares;

	take_modrm(c);
	compares = op <= 0x83 ? (c->reg & 7) == 7 : op >= 0xf6 && (c->reg & 7) < 2;
	if (op >= 0xf6 && (c->reg & 7) > 3)
		return False;
	if (compares) {
		read_rm(c, o);
		return True;
	}
	return change_rm(c, o);
}

static Bool is_library(Addr target)
{
	return VG_(DebugInfo_sect_kind)(NULL, target) == Vg_SectPLT;
}

static Bool call(const struct code *c, struct op *o)
{
	o->call = True;
	o->writes = OF_CALLEE;
	return is_library(c->next + (Addr)(Long) * (const Int *)c->p);
}

static Bool move(struct code *c, UInt op, struct op *o)
{
	take_modrm(c);
	o->copies = True;
	if (op == 0x88 || op == 0x89) {
		o->writes = REG(c->rm);
		o->reads = REG(c->reg);
		return c->mod == 3;
	}
	o->writes = REG(c->reg);
	if (op == 0x8d) {
		o->reads = c->address;
		o->of_stack = (c->address & (REG(RSP) | REG(RBP))) != 0;
		return True;
	}
	read_rm(c, o);
	return True;
}

static Bool one_byte(struct code *c, UInt op, struct op *o)
{
	c->bytes = !(op & 1);
	if (op < 0x40)
		return arithmetic(c, op, o);
	if ((op >= 0x70 && op <= 0x7f) || op == 0xeb || op == 0xe9 || op == 0x90)
		return True;
	if ((op >= 0x80 && op <= 0x83 && op != 0x82) || op == 0xc0 || op == 0xc1 || op == 0xd0 ||
	    op == 0xd1 || op == 0xf6 || op == 0xf7)
		return with_constant(c, op, o);
	if (op == 0x84 || op == 0x85) {
		take_modrm(c);
		o->reads = REG(c->reg);
		read_rm(c, o);
		return True;
	}
	if (op == 0x63 || (op >= 0x88 && op <= 0x8b) || op == 0x8d) {
		c->bytes = op == 0x88 || op == 0x8a;
		return move(c, op, o);
	}
	if (op == 0x98) { /* extended in place */
		o->reads = o->writes = REG(0);
		o->copies = True;
		return True;
	}
	if (op == 0xa8 || op == 0xa9) {
		o->reads = REG(0);
		return True;
	}
	if (op >= 0xb8 && op <= 0xbf) {
		o->writes = REG((op & 7) | (c->rex & 1) << 3);
		o->copies = True;
		return True;
	}
	return op == 0xe8 && call(c, o);
}

/* Of an instruction that cr_x86_decode() knows. False: it may do something else. */
static Bool understand(Addr pc, UInt length, struct op *o)
{
	struct code c = { .p = (const UChar *)pc, .next = pc + length };
	UInt op;

	*o = (struct op){ 0 };
	while (*c.p == 0x66 || *c.p == 0xf3 || *c.p == 0xf2)
		c.p++;
	if ((*c.p & 0xf0) == 0x40)
		c.rex = *c.p++;
	op = *c.p++;
	if (!(op == 0x0f ? two_bytes(&c, o) : one_byte(&c, op, o)))
		return False;
	return !(o->writes & REG(RSP));
}

/* ---- loops -------------------------------------------------------------------------------- */

struct search {
	const struct cr_graph *g;
	const struct cr_spin_block *blocks;
	const UInt *body; /* of a loop, its head first */
	UInt nbody;
	UInt variant[BODY_MAX]; /* registers that carry something from round to round, at the end */
};

static UInt place_in(const struct search *s, UInt node)
{
	UInt i = 0;

	while (i < s->nbody && s->body[i] != node)
		i++;
	return i;
}

/* Calls @take for the instructions of the body's block @i until that says no. */
static Bool each_op(struct search *s, UInt i, Bool (*take)(const struct op *, UInt *), UInt *arg)
{
	const struct cr_spin_block *b = &s->blocks[s->body[i]];

	for (Addr pc = b->start; pc <= b->last;) {
		struct cr_insn insn;
		struct op o;

		if (!cr_x86_decode((const UChar *)pc, 15, pc, &insn) ||
		    !understand(pc, insn.length, &o) || !take(&o, arg))
			return False;
		pc += insn.length;
	}
	return True;
}

#define CALLS REG(16)
#define OF_STACK REG(17)
#define LOADS REG(18)

static Bool sum_up(const struct op *o, UInt *all)
{
	*all |= o->writes | (o->call ? CALLS : 0) | (o->of_stack ? OF_STACK : 0) |
		(o->memory && !(o->address & REG(RSP)) ? LOADS : 0);
	return True;
}

/* What goes from one round to the next may be copied, but decides and finds nothing. */
static Bool carry(const struct op *o, UInt *variant)
{
	Bool carried = (o->reads & *variant) != 0;

	if (o->address & *variant || (carried && !o->copies))
		return False;
	*variant &= ~o->writes;
	if (carried || o->call)
		*variant |= o->writes;
	return True;
}

static Bool only_waits(struct search *s)
{
	UInt all = 0;

	for (UInt i = 0; i < s->nbody; i++) {
		if (!each_op(s, i, sum_up, &all))
			return False;
	}
	/* A function that is given an address of the stack may leave an answer there. */
	if (!(all & LOADS) || (all & CALLS && all & OF_STACK))
		return False;
	for (UInt i = 0; i < s->nbody; i++) {
		UInt variant = i ? 0 : all & 0xffff;

		for (UInt e = 0; i && e < s->g->edges; e++) {
			UInt from = place_in(s, s->g->from[e]);

			if (s->g->to[e] != s->body[i] || from == s->nbody)
				continue;
			if (from >= i)
				return False; /* a loop in the loop */
			variant |= s->variant[from];
		}
		if (!each_op(s, i, carry, &variant))
			return False;
		s->variant[i] = variant;
	}
	return True;
}

static void tell(struct search *s)
{
	for (UInt i = 0; i < s->nbody; i++)
		*s->blocks[s->body[i]].spin |= i ? CR_SPIN_IN : CR_SPIN_IN | CR_SPIN_HEAD;
	for (UInt e = 0; e < s->g->edges; e++) {
		if (s->g->to[e] < s->g->nodes && place_in(s, s->g->from[e]) < s->nbody &&
		    place_in(s, s->g->to[e]) == s->nbody)
			*s->blocks[s->g->to[e]].spin |= CR_SPIN_AFTER;
	}
}

/* ---- a first look before the loop -------------------------------------------------------- */

/* Compilers turn "while (!x) wait" into "if (!x) do wait while (!x)". */

#define OPERANDS 8u

struct operands {
	ULong of[OPERANDS];
	UInt n;
};

static void each_load(const struct cr_spin_block *b, void (*take)(void *, Addr, const struct op *),
		      void *arg)
{
	for (Addr pc = b->start; pc <= b->last;) {
		struct cr_insn insn;
		struct op o;

		if (!cr_x86_decode((const UChar *)pc, 15, pc, &insn))
			return;
		if (understand(pc, insn.length, &o) && o.memory)
			take(arg, pc, &o);
		pc += insn.length;
	}
}

static void note_operand(void *arg, Addr pc, const struct op *o)
{
	struct operands *all = arg;

	if (all->n < OPERANDS)
		all->of[all->n++] = o->operand;
}

struct look {
	const struct operands *all;
	Addr at;
};

static void find_look(void *arg, Addr pc, const struct op *o)
{
	struct look *l = arg;

	for (UInt i = 0; i < l->all->n; i++) {
		if (l->all->of[i] == o->operand)
			l->at = pc;
	}
}

/* Does a block that only pads lead from @node to the head? Or is it the head itself? */
static Bool leads_to_head(const struct search *s, UInt node)
{
	const struct cr_spin_block *b = &s->blocks[node];

	if (node == s->body[0])
		return True;
	for (UInt e = 0; e < s->g->edges; e++) {
		if (s->g->from[e] == node && s->g->to[e] == s->body[0])
			return b->start == b->last;
	}
	return False;
}

static void find_early(struct search *s)
{
	struct operands all = { .n = 0 };

	for (UInt i = 0; i < s->nbody; i++)
		each_load(&s->blocks[s->body[i]], note_operand, &all);
	for (UInt e = 0; e < s->g->edges; e++) {
		UInt from = s->g->from[e], to = s->g->to[e];
		struct look l = { .all = &all };

		if (to >= s->g->nodes || place_in(s, from) < s->nbody || !leads_to_head(s, to))
			continue;
		for (UInt k = 0; k < s->g->edges; k++) {
			UInt other = s->g->to[k];

			if (s->g->from[k] == from && other != to && other < s->g->nodes &&
			    *s->blocks[other].spin & CR_SPIN_AFTER)
				each_load(&s->blocks[from], find_look, &l);
		}
		if (l.at)
			*s->blocks[from].early = l.at;
	}
}

static void on_loop(void *arg, const UInt *body, UInt n)
{
	struct search *s = arg;

	s->body = body;
	s->nbody = n;
	if (n > BODY_MAX || !only_waits(s))
		return;
	tell(s);
	find_early(s);
}

void cr_spin_find(const struct cr_graph *g, const struct cr_spin_block *blocks)
{
	struct search s = { .g = g, .blocks = blocks };

	cr_loop_find(g, on_loop, &s);
}
