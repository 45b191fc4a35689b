/* SPDX-License-Identifier: BSD-2-Clause (it knows nothing of Valgrind, and tests use it) */
#include "cr_x86.h"

struct state {
	const unsigned char *p;
	unsigned long room, pc;
	unsigned at; /* bytes looked at */
	int operand16, address32, locked, wide, bad;
};

static unsigned next_byte(struct state *s)
{
	if (s->at >= s->room || s->at >= 15) {
		s->bad = 1;
		return 0;
	}
	return s->p[s->at++];
}

static void skip(struct state *s, unsigned n)
{
	s->at += n;
	if (s->at > s->room || s->at > 15)
		s->bad = 1;
}

/* The ModRM byte, and what follows it up to immediates; returns it. */
static unsigned skip_modrm(struct state *s)
{
	unsigned m = next_byte(s), mod = m >> 6, rm = m & 7;

	if (mod == 3)
		return m;
	if (rm == 4) {
		unsigned base = next_byte(s) & 7;

		if (mod == 0 && base == 5)
			skip(s, 4);
	} else if (mod == 0 && rm == 5) {
		skip(s, 4);
	}
	skip(s, mod == 1 ? 1 : mod == 2 ? 4 : 0);
	return m;
}

static unsigned imm_size(const struct state *s)
{
	return s->operand16 ? 2 : 4;
}

static void jump(struct state *s, struct cr_insn *out, enum cr_insn_kind kind, unsigned size)
{
	long offset = 0;

	if (s->at + size > s->room) {
		s->bad = 1;
		return;
	}
	for (unsigned i = 0; i < size; i++)
		offset |= (long)s->p[s->at + i] << (8 * i);
	if (size == 1)
		offset = (signed char)offset;
	else
		offset = (int)offset;
	skip(s, size);
	out->kind = kind;
	out->target = s->pc + s->at + (unsigned long)offset;
}

/* 0x00 .. 0x3f: eight operations in six forms each. */
static void arithmetic(struct state *s, unsigned op)
{
	if ((op & 7) < 4)
		skip_modrm(s);
	else if ((op & 7) == 4)
		skip(s, 1);
	else if ((op & 7) == 5)
		skip(s, imm_size(s));
	else
		s->bad = 1;
}

static void two_byte(struct state *s, unsigned op, struct cr_insn *out)
{
	if (op >= 0x80 && op <= 0x8f) {
		jump(s, out, CR_INSN_BRANCH, 4);
		return;
	}
	if (op == 0x38 || op == 0x3a) {
		next_byte(s);
		skip_modrm(s);
		skip(s, op == 0x3a);
		return;
	}
	if (op == 0x0b) {
		out->kind = CR_INSN_END;
		return;
	}
	if ((op >= 0x05 && op <= 0x09) || op == 0x0e || (op >= 0x30 && op <= 0x37) ||
	    op == 0x77 || (op >= 0xa0 && op <= 0xa2) || (op >= 0xa8 && op <= 0xaa) ||
	    (op >= 0xc8 && op <= 0xcf))
		return;
	skip_modrm(s);
	if ((op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
	    op == 0xc4 || op == 0xc5 || op == 0xc6 || op == 0x0f)
		skip(s, 1);
}

/* After a VEX or EVEX prefix. */
static void vector(struct state *s, unsigned map)
{
	unsigned op = next_byte(s);

	if (map == 1 && op == 0x77)
		return;
	skip_modrm(s);
	if (map == 3 || (map == 1 && ((op >= 0x70 && op <= 0x73) || op == 0xc2 ||
				      (op >= 0xc4 && op <= 0xc6))))
		skip(s, 1);
}

static void group(struct state *s, unsigned op, struct cr_insn *out)
{
	unsigned m = skip_modrm(s), reg = m >> 3 & 7;

	if (op == 0xf6 && reg < 2)
		skip(s, 1);
	else if (op == 0xf7 && reg < 2)
		skip(s, imm_size(s));
	else if (op == 0xff && (reg == 4 || reg == 5))
		out->kind = CR_INSN_INDIRECT;
	else if (op == 0xff && (reg == 2 || reg == 3))
		out->others = 1;
}

/* 0x80 and above, but for prefixes. */
static void upper(struct state *s, unsigned op, struct cr_insn *out)
{
	switch (op) {
	case 0x80: case 0x83: case 0xc0: case 0xc1: case 0xc6:
		skip_modrm(s);
		skip(s, 1);
		break;
	case 0x81: case 0xc7:
		skip_modrm(s);
		skip(s, imm_size(s));
		break;
	case 0xa0: case 0xa1: case 0xa2: case 0xa3:
		skip(s, s->address32 ? 4 : 8);
		break;
	case 0xa8: case 0xcd: case 0xe4: case 0xe5: case 0xe6: case 0xe7:
		skip(s, 1);
		break;
	case 0xa9:
		skip(s, imm_size(s));
		break;
	case 0xc2: case 0xca:
		skip(s, 2);
		out->kind = CR_INSN_END;
		break;
	case 0xc3: case 0xcb: case 0xcf: case 0xf4:
		out->kind = CR_INSN_END;
		break;
	case 0xc8:
		skip(s, 3);
		break;
	case 0xe0: case 0xe1: case 0xe2: case 0xe3:
		jump(s, out, CR_INSN_BRANCH, 1);
		break;
	case 0xe8:
		out->others = 1;
		skip(s, 4);
		break;
	case 0xe9:
		jump(s, out, CR_INSN_JUMP, 4);
		break;
	case 0xeb:
		jump(s, out, CR_INSN_JUMP, 1);
		break;
	case 0xf6: case 0xf7: case 0xff:
		group(s, op, out);
		break;
	case 0x82: case 0x9a: case 0xce: case 0xd4: case 0xd5: case 0xd6: case 0xea:
		s->bad = 1;
		break;
	default:
		if (op <= 0x8f || (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf) ||
		    op == 0xfe)
			skip_modrm(s);
		else if (op >= 0xb0 && op <= 0xb7)
			skip(s, 1);
		else if (op >= 0xb8 && op <= 0xbf)
			skip(s, s->wide ? 8 : imm_size(s));
		break;
	}
}

static void one_byte(struct state *s, unsigned op, struct cr_insn *out)
{
	if (op >= 0x80) {
		upper(s, op, out);
	} else if (op < 0x40) {
		arithmetic(s, op);
	} else if (op >= 0x70) {
		jump(s, out, CR_INSN_BRANCH, 1);
	} else if (op == 0x63) {
		skip_modrm(s);
	} else if (op == 0x68) {
		skip(s, imm_size(s));
	} else if (op == 0x69) {
		skip_modrm(s);
		skip(s, imm_size(s));
	} else if (op == 0x6a) {
		skip(s, 1);
	} else if (op == 0x6b) {
		skip_modrm(s);
		skip(s, 1);
	} else if (op >= 0x60 && op <= 0x62) {
		s->bad = 1;
	}
}

static unsigned prefixes(struct state *s)
{
	for (;;) {
		unsigned op = next_byte(s);

		switch (op) {
		case 0x66:
			s->operand16 = 1;
			break;
		case 0x67:
			s->address32 = 1;
			break;
		case 0xf0:
			s->locked = 1;
			break;
		case 0xf2: case 0xf3: case 0x2e: case 0x36: case 0x3e: case 0x26:
		case 0x64: case 0x65:
			break;
		default:
			return op;
		}
		if (s->bad)
			return 0;
	}
}

int cr_x86_decode(const unsigned char *p, unsigned long room, unsigned long pc,
		  struct cr_insn *out)
{
	struct state s = { .p = p, .room = room, .pc = pc };
	unsigned op = prefixes(&s);

	*out = (struct cr_insn){ .kind = CR_INSN_OTHER };
	if ((op & 0xf0) == 0x40) { /* REX */
		s.wide = op >> 3 & 1;
		if (s.wide)
			s.operand16 = 0;
		op = next_byte(&s);
	}
	if (op == 0xc5) {
		skip(&s, 1);
		vector(&s, 1);
	} else if (op == 0xc4) {
		unsigned map = next_byte(&s) & 31;

		skip(&s, 1);
		vector(&s, map);
	} else if (op == 0x62) {
		unsigned map = next_byte(&s) & 7;

		skip(&s, 2);
		vector(&s, map);
	} else if (op == 0x0f) {
		two_byte(&s, next_byte(&s), out);
	} else {
		one_byte(&s, op, out);
	}
	if (s.locked || op == 0x86 || op == 0x87) /* xchg locks by itself */
		out->others = 1;
	out->length = s.at;
	return !s.bad;
}
