/* SPDX-License-Identifier: BSD-2-Clause (it knows nothing of Valgrind, and tests use it) */
/*
 * How long an x86-64 instruction is, and where it goes: enough to find the blocks of a
 * function. Knows nothing of Valgrind, so that tests can compare it with a disassembler.
 */
#ifndef CR_X86_H
#define CR_X86_H

enum cr_insn_kind {
	CR_INSN_OTHER,
	CR_INSN_BRANCH,   /* to @target or to what follows */
	CR_INSN_JUMP,     /* to @target */
	CR_INSN_INDIRECT, /* to somewhere */
	CR_INSN_END,      /* a return, or what does not go on */
};

struct cr_insn {
	unsigned length;
	enum cr_insn_kind kind;
	unsigned long target;
	int others; /* a call, or what locks are made of: others may get to run by it */
};

/* Decode the instruction at @p, of which @room bytes may be read; its address is @pc. 0: cannot. */
int cr_x86_decode(const unsigned char *p, unsigned long room, unsigned long pc,
		  struct cr_insn *out);

#endif
