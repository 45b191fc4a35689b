#include "sym_x86.h"

#include <string.h>

/* What was read of an instruction. */
struct reading {
	const unsigned char *p;
	size_t n, at;
	bool small; /* operands of two bytes */
	bool wide;  /* of eight */
	bool lock;
	bool own; /* relative to a segment: the thread's own */
	bool failed;
	int map;     /* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a */
	bool vector; /* VEX or EVEX */
	unsigned op;
	/* ModRM: */
	bool has_memory, by_register, on_stack;
	bool rip;
	int reg;
	int32_t disp;
};

static unsigned byte(struct reading *r)
{
	if (r->at < r->n)
		return r->p[r->at++];
	r->failed = true;
	return 0;
}

static void skip(struct reading *r, size_t n)
{
	if (n > r->n - r->at)
		r->failed = true;
	else
		r->at += n;
}

static int32_t number(struct reading *r, unsigned bytes)
{
	int32_t value = 0;

	if (bytes == 1)
		return (int8_t)byte(r);
	if (r->n - r->at < 4) {
		r->failed = true;
		return 0;
	}
	memcpy(&value, r->p + r->at, 4);
	r->at += 4;
	return value;
}

static void read_prefixes(struct reading *r)
{
	for (;;) {
		unsigned b = byte(r);

		if (b == 0x66)
			r->small = true;
		else if (b == 0x64 || b == 0x65)
			r->own = true;
		else if (b == 0xf0)
			r->lock = true;
		else if (b != 0xf2 && b != 0xf3 && b != 0x2e && b != 0x36 && b != 0x3e &&
			 b != 0x26 && b != 0x67)
			break;
	}
	r->at--;
	if (!r->failed && (r->p[r->at] & 0xf0) == 0x40)
		r->wide = byte(r) & 8;
}

static void read_opcode(struct reading *r)
{
	r->op = byte(r);
	if (r->op == 0xc5) { /* VEX of two bytes */
		byte(r);
		r->map = 1;
	} else if (r->op == 0xc4) {
		r->map = (int)(byte(r) & 0x1f);
		byte(r);
	} else if (r->op == 0x62) { /* EVEX */
		r->map = (int)(byte(r) & 7);
		skip(r, 2);
	} else if (r->op == 0x0f) {
		r->op = byte(r);
		r->map = 1;
		if (r->op == 0x38 || r->op == 0x3a) {
			r->map = r->op == 0x38 ? 2 : 3;
			r->op = byte(r);
		}
		return;
	} else {
		return;
	}
	r->vector = true;
	r->op = byte(r);
}

static bool in(unsigned op, unsigned low, unsigned high)
{
	return op >= low && op <= high;
}

static bool has_modrm(const struct reading *r)
{
	unsigned op = r->op;

	if (r->map == 0)
		return (op < 0x40 && (op & 7) < 4) || op == 0x63 || op == 0x69 || op == 0x6b ||
		       in(op, 0x80, 0x8f) || op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 ||
		       in(op, 0xd0, 0xd3) || in(op, 0xd8, 0xdf) || op == 0xf6 || op == 0xf7 ||
		       op >= 0xfe;
	if (r->map == 1)
		return !(in(op, 0x05, 0x09) || op == 0x0b || op == 0x0e || in(op, 0x30, 0x37) ||
			 op == 0x77 || in(op, 0x80, 0x8f) || in(op, 0xa0, 0xa2) ||
			 in(op, 0xa8, 0xaa) || in(op, 0xc8, 0xcf));
	return true;
}

static void read_modrm(struct reading *r)
{
	unsigned m = byte(r), mod = m >> 6, rm = m & 7, base = rm;

	r->reg = (int)(m >> 3 & 7);
	if (mod == 3)
		return;
	r->has_memory = true;
	if (rm == 4)
		base = byte(r) & 7;
	if (mod == 0 && rm == 5)
		r->rip = true;
	else if (!(mod == 0 && base == 5))
		r->by_register = true;
	r->on_stack = r->by_register && (base == 4 || base == 5);
	if (mod == 1)
		r->disp = number(r, 1);
	else if (mod == 2 || !r->by_register)
		r->disp = number(r, 4);
}

/* Bytes of the operand behind ModRM. */
static size_t immediate(const struct reading *r)
{
	unsigned op = r->op;
	size_t full = r->small ? 2 : 4;

	if (r->map == 3)
		return 1;
	if (r->map == 1) {
		if (in(op, 0x80, 0x8f) && !r->vector)
			return 4;
		return in(op, 0x70, 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
		       in(op, 0xc4, 0xc6);
	}
	if (r->map)
		return 0;
	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? full : 0;
	if (in(op, 0xb8, 0xbf))
		return r->wide ? 8 : full;
	if (in(op, 0xa0, 0xa3))
		return 8;
	if (op == 0xf6 || op == 0xf7)
		return r->reg > 1 ? 0 : op == 0xf6 ? 1 : full;
	if (op == 0x68 || op == 0x69 || op == 0x81 || op == 0xa9 || op == 0xc7)
		return full;
	if (op == 0xe8 || op == 0xe9)
		return 4;
	if (op == 0xc2)
		return 2;
	if (op == 0xc8)
		return 3;
	return op == 0x6a || op == 0x6b || in(op, 0x70, 0x7f) || op == 0x80 || op == 0x83 ||
	       op == 0xa8 || in(op, 0xb0, 0xb7) || op == 0xc0 || op == 0xc1 || op == 0xc6 ||
	       op == 0xcd || in(op, 0xe0, 0xe7) || op == 0xeb;
}

static bool is_known(const struct reading *r)
{
	static const unsigned char none[] = { 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f,
					      0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x82,
					      0x9a, 0xce, 0xd4, 0xd5, 0xd6, 0xea };

	return !r->failed && r->map <= 3 &&
	       !(r->map == 0 && memchr(none, (int)r->op, sizeof(none)));
}

/* Instructions that name memory and do not touch it: lea, and hints. */
static bool only_names(const struct reading *r)
{
	return (r->map == 0 && r->op == 0x8d) ||
	       (r->map == 1 && !r->vector && (r->op == 0x0d || in(r->op, 0x18, 0x1f)));
}

static enum hd_x86_kind kind_of(const struct reading *r)
{
	if (r->map == 0 && r->op == 0xe8)
		return HD_X86_CALL;
	if (r->map == 0 && (r->op == 0xe9 || r->op == 0xeb))
		return HD_X86_JUMP;
	if (r->map == 0 && r->op == 0xff && (r->reg == 2 || r->reg == 3))
		return r->rip ? HD_X86_CALL_BY : HD_X86_CALL_REG;
	if (r->map == 0 && r->op == 0xff &&
	    (r->reg == 4 || r->reg == 5)) /* a jump: a call at the end */
		return r->rip ? HD_X86_CALL_BY : HD_X86_OTHER;
	if (r->map == 0 && (in(r->op, 0xa0, 0xa7) || in(r->op, 0xaa, 0xaf)))
		return r->op == 0xa8 || r->op == 0xa9 ? HD_X86_OTHER : HD_X86_ACCESS;
	if (!r->has_memory || r->own || r->on_stack || only_names(r))
		return HD_X86_OTHER;
	return r->by_register ? HD_X86_ACCESS : HD_X86_ACCESS_AT;
}

bool hd_x86_next(const unsigned char *code, size_t n, uint64_t addr, struct hd_x86 *out)
{
	struct reading r = { .p = code, .n = n };
	size_t behind;

	read_prefixes(&r);
	if (!r.failed)
		read_opcode(&r);
	if (!is_known(&r))
		return false;
	if (has_modrm(&r))
		read_modrm(&r);
	behind = r.at;
	skip(&r, immediate(&r));
	if (r.failed)
		return false;
	*out = (struct hd_x86){ .kind = kind_of(&r), .len = r.at };
	/* xchg with memory is one without the prefix, too. */
	out->atomic = (out->kind == HD_X86_ACCESS || out->kind == HD_X86_ACCESS_AT) &&
		      (r.lock || (r.map == 0 && (r.op == 0x86 || r.op == 0x87)));
	if (out->kind == HD_X86_CALL || (out->kind == HD_X86_JUMP && r.op == 0xe9)) {
		int32_t by;

		memcpy(&by, code + behind, 4);
		out->target = addr + r.at + (uint64_t)(int64_t)by;
	} else if (out->kind == HD_X86_JUMP) {
		out->target = addr + r.at + (uint64_t)(int64_t)(int8_t)code[behind];
	} else {
		out->target = (uint64_t)(int64_t)r.disp + (r.rip ? addr + r.at : 0);
	}
	return true;
}
