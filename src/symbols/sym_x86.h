/*
 * Walks over machine code of x86-64, instruction by instruction: just enough to tell what a function
 * calls and whether it touches memory that is not its own stack.
 */
#ifndef HD_SYM_X86_H
#define HD_SYM_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_x86_kind {
	HD_X86_OTHER,	  /* no access, or one to the stack or the thread's own variables */
	HD_X86_ACCESS,	  /* memory by way of a register */
	HD_X86_ACCESS_AT, /* memory at @target */
	HD_X86_CALL,	  /* of @target */
	HD_X86_CALL_BY,	  /* by the pointer at @target */
	HD_X86_CALL_REG,  /* of whatever a register, or memory by way of one, says */
	HD_X86_JUMP,	  /* to @target */
};

struct hd_x86 {
	enum hd_x86_kind kind;
	uint64_t target;
	size_t len;
	bool atomic; /* an access that nobody can come into: compilers make a call of it, people write it */
};

/* The instruction at @code, which is loaded at @addr. False: it is none that is known. */
bool hd_x86_next(const unsigned char *code, size_t n, uint64_t addr, struct hd_x86 *out);

#endif
