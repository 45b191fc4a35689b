/*
 * Machine instructions of x86-64, as far as compilers put them behind a call. Whatever is not listed here might
 * read the register: then the answer is no.
 */
#include "unused_result.h"

#include <stddef.h>

#define INSTRUCTIONS 48 /* looked at, on all ways together */

#define RAX 0u
#define RSP 4u

enum effect {
	PASSES, /* it neither reads nor writes rax */
	WRITES, /* it overwrites all of it, and does not read it */
	READS,	/* or it may */
};

struct instruction {
	const uint8_t *end; /* as far as it was read */
	uint8_t rex;
	bool wide_only; /* no prefix makes it one of 16 bits */
	int32_t pops;	/* so many bytes go from the stack */
	bool lost;	/* nobody knows how many */
};

/* Operands of an instruction that says them in a byte of their own. */
struct operands {
	unsigned reg, rm; /* rm: a register, if @direct */
	bool direct;
	bool reads_address; /* rax is in the address */
};

static struct operands read_operands(struct instruction *i)
{
	uint8_t modrm = *i->end++;
	unsigned mod = modrm >> 6, rm = modrm & 7;
	struct operands o = { .reg = (modrm >> 3 & 7) | (i->rex & 4) << 1,
			      .rm = rm | (i->rex & 1u) << 3,
			      .direct = mod == 3 };

	if (o.direct)
		return o;
	if (rm == 4) {
		uint8_t sib = *i->end++;
		unsigned base = (sib & 7) | (i->rex & 1u) << 3;
		unsigned index = (sib >> 3 & 7) | (i->rex & 2u) << 2;

		o.reads_address = index == RAX || (base == RAX && (mod || (sib & 7) != 5));
		if (!mod && (sib & 7) == 5)
			i->end += 4;
	} else if (rm == 5 && !mod) {
		i->end += 4;
	} else {
		o.reads_address = o.rm == RAX;
	}
	i->end += mod == 1 ? 1 : mod == 2 ? 4 : 0;
	return o;
}

static bool names(const struct operands *o, unsigned reg)
{
	return o->reg == reg || (o->direct && o->rm == reg);
}

static int32_t number_at(const uint8_t *p)
{
	return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
			 (uint32_t)p[3] << 24);
}

/* It writes one operand with something made of the other alone: @into_reg says which. */
static enum effect move(struct instruction *i, bool into_reg)
{
	struct operands o = read_operands(i);
	bool rm = o.direct && o.rm == RAX;

	i->lost = names(&o, RSP);
	if (o.reads_address || (into_reg ? rm : o.reg == RAX))
		return READS;
	if (!i->wide_only)
		return names(&o, RAX) ? READS : PASSES;
	return (into_reg ? o.reg == RAX : rm) ? WRITES : PASSES;
}

static enum effect compute(struct instruction *i, bool clears)
{
	struct operands o = read_operands(i);

	i->lost = names(&o, RSP);
	if (clears && o.direct && o.reg == RAX && o.rm == RAX && i->wide_only)
		return WRITES; /* xor %eax, %eax */
	return o.reads_address || names(&o, RAX) ? READS : PASSES;
}

/* With a number of @bytes, and one operand; @moves: that it is set to. */
static enum effect with_number(struct instruction *i, unsigned bytes, bool moves)
{
	struct operands o = read_operands(i);
	int32_t number = bytes == 1 ? (int8_t)*i->end : number_at(i->end);

	i->end += bytes;
	if (o.direct && o.rm == RSP) {
		unsigned how = o.reg & 7; /* 0: add, 5: subtract */

		i->pops = how ? -number : number;
		i->lost = bytes == 2 || moves || (how != 0 && how != 5);
	}
	if (o.reads_address)
		return READS;
	if (!o.direct || o.rm != RAX)
		return PASSES;
	return moves && i->wide_only && (o.reg & 7) == 0 ? WRITES : READS;
}

/* Of eight bits: registers 4 to 7 are others without a prefix, one of them in rax. */
static enum effect of_bytes(struct instruction *i, unsigned number)
{
	struct operands o = read_operands(i);
	bool high = !i->rex && names(&o, RSP);

	i->end += number;
	return o.reads_address || names(&o, RAX) || high ? READS : PASSES;
}

static bool reads_high_byte(const struct instruction *i)
{
	return !i->rex && (*i->end & 0xc7) == 0xc4;
}

static enum effect two_bytes(struct instruction *i)
{
	uint8_t code = *i->end++;

	switch (code) {
	case 0x1f: /* nop */
		read_operands(i);
		return PASSES;
	case 0x1e: /* endbr64, with its prefix */
		i->end++;
		return PASSES;
	case 0xb6: /* movzbl, movsbl */
	case 0xbe:
		return reads_high_byte(i) ? READS : move(i, true);
	case 0xb7: /* movzwl, movswl */
	case 0xbf:
		return move(i, true);
	case 0xa3: /* bt, imul */
	case 0xaf:
		return compute(i, false);
	default:
		break;
	}
	if (code >= 0x40 && code < 0x50) /* cmov */
		return compute(i, false);
	return code >= 0x90 && code < 0xa0 ? of_bytes(i, 0) : READS; /* set */
}

static enum effect one_byte(struct instruction *i, uint8_t code)
{
	unsigned low = (code & 7) | (i->rex & 1u) << 3;

	switch (code) {
	case 0x89:
	case 0x8b:
		return move(i, code == 0x8b);
	case 0x8d:
	case 0x63:
		return move(i, true);
	case 0x31:
	case 0x33:
		return compute(i, true);
	case 0x01:
	case 0x03:
	case 0x09:
	case 0x0b:
	case 0x21:
	case 0x23:
	case 0x29:
	case 0x2b:
	case 0x39:
	case 0x3b:
	case 0x85:
		return compute(i, false);
	case 0x83:
	case 0xc1:
		return with_number(i, 1, false);
	case 0x81:
		return with_number(i, i->wide_only ? 4 : 2, false);
	case 0xc7:
		return with_number(i, i->wide_only ? 4 : 2, true);
	case 0x88:
	case 0x8a:
	case 0x38:
	case 0x3a:
	case 0x84:
		return of_bytes(i, 0);
	case 0x80:
	case 0xc6:
		return of_bytes(i, 1);
	case 0x90:
		return PASSES;
	default:
		break;
	}
	if (code >= 0x50 && code < 0x60) { /* push, pop */
		bool pop = code >= 0x58;

		i->pops = pop ? 8 : -8;
		return low != RAX ? PASSES : pop ? WRITES : READS;
	}
	if (code >= 0xb8 && code < 0xc0) {
		i->end += i->rex & 8 ? 8 : i->wide_only ? 4 : 2;
		return low != RAX ? PASSES : i->wide_only ? WRITES : READS;
	}
	return READS;
}

/* If the instruction at @at jumps: to *@to, or (*@both) perhaps to the next one, which is returned. Else NULL. */
static const uint8_t *jump(const uint8_t *at, const uint8_t **to, bool *both)
{
	*both = true;
	if (at[0] >= 0x70 && at[0] < 0x80) {
		*to = at + 2 + (int8_t)at[1];
		return at + 2;
	}
	if (at[0] == 0x0f && at[1] >= 0x80 && at[1] < 0x90) {
		*to = at + 6 + number_at(at + 2);
		return at + 6;
	}
	*both = false;
	if (at[0] == 0xeb || at[0] == 0xe9) {
		*to = at[0] == 0xeb ? at + 2 + (int8_t)at[1] : at + 5 + number_at(at + 1);
		return at + 2;
	}
	return NULL;
}

/* A way into another library, which nobody knew when the caller was compiled: so all is as the ABI has it. */
static bool leaves_library(const uint8_t *at)
{
	if (at[0] == 0xf3 && at[1] == 0x0f && at[2] == 0x1e && at[3] == 0xfa)
		at += 4;
	at += *at == 0xf2;
	return at[0] == 0xff && at[1] == 0x25;
}

static struct instruction prefixes(const uint8_t *at)
{
	struct instruction i = { .end = at, .wide_only = true };

	while (*i.end == 0x64 || *i.end == 0x66 || *i.end == 0xf3 || *i.end == 0x2e) {
		i.wide_only &= *i.end != 0x66;
		i.end++;
	}
	if ((*i.end & 0xf0) == 0x40)
		i.rex = *i.end++;
	return i;
}

/* @sp: the stack pointer there, 0: unknown; @left: instructions that may still be looked at. */
static bool is_overwritten(const uint8_t *at, uintptr_t sp, unsigned *left)
{
	while (*left && (*left)--) {
		struct instruction i;
		const uint8_t *to, *next;
		enum effect effect;
		bool both;

		if (at[0] == 0xff && at[1] == 0x15) /* call, by a table that the loader fills */
			return true;
		if (at[0] == 0xe8) { /* call: what is in the same file may leave rax alone */
			to = at + 5 + number_at(at + 1);
			if (leaves_library(to))
				return true;
			at = to;
			sp = 0;
			continue;
		}
		if (at[0] == 0xc3 &&
		    sp) { /* ret: of a function without a result, or its caller looks */
			at = *(const uint8_t *const *)sp;
			sp += 8;
			continue;
		}
		next = jump(at, &to, &both);
		if (next) {
			if (both && !is_overwritten(next, sp, left))
				return false;
			at = to;
			continue;
		}
		i = prefixes(at);
		effect = *i.end == 0x0f ? (i.end++, two_bytes(&i)) : one_byte(&i, *i.end++);
		if (effect != PASSES)
			return effect == WRITES;
		at = i.end;
		sp = sp && !i.lost ? sp + (uintptr_t)(intptr_t)i.pops : 0;
	}
	return false;
}

bool hd_rt_is_result_unused(uintptr_t pc, const void *frame)
{
	unsigned left = INSTRUCTIONS;

	return is_overwritten((const uint8_t *)pc, (uintptr_t)frame + 16, &left);
}
