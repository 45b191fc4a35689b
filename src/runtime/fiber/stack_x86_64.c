/*
 * Stacks on x86-64: callee-saved registers and floating-point control words go on the old one.
 */
#include "stack_switch.h"

#ifndef __x86_64__
#error "heddle's fibers exist for x86-64 only: another machine needs its own stack_<machine>.c"
#endif

__asm__(".text\n"
	".p2align 4\n"
	".hidden hd_rt_switch_stack\n"
	".globl hd_rt_switch_stack\n"
	".type hd_rt_switch_stack, @function\n"
	"hd_rt_switch_stack:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbp, 0\n"
	"	pushq %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbx, 0\n"
	"	pushq %r12\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %r12, 0\n"
	"	pushq %r13\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %r13, 0\n"
	"	pushq %r14\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %r14, 0\n"
	"	pushq %r15\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %r15, 0\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movl (%rsp), %eax\n"
	"	movzwl 4(%rsp), %ecx\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	cmpl %eax, (%rsp)\n" /* mostly the same; to load them takes long */
	"	jne 1f\n"
	"	cmpw %cx, 4(%rsp)\n"
	"	je 2f\n"
	"1:	ldmxcsr (%rsp)\n"
	"	fldcw 4(%rsp)\n"
	"2:	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r15\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r14\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r13\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r12\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size hd_rt_switch_stack, .-hd_rt_switch_stack\n"
	/* Where a new fiber starts: the entry is in %r12; nothing lies above for an unwinder. */
	".p2align 4\n"
	".hidden hd_rt_fiber_start\n"
	".globl hd_rt_fiber_start\n"
	".type hd_rt_fiber_start, @function\n"
	"hd_rt_fiber_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined %rip\n"
	"	xorl %ebp, %ebp\n"
	"	callq *%r12\n"
	"	ud2\n"
	"	.cfi_endproc\n"
	".size hd_rt_fiber_start, .-hd_rt_fiber_start\n"
	/* The frame pointer keeps the way back: an unwinder finds it, too. */
	".p2align 4\n"
	".hidden hd_rt_call_on\n"
	".globl hd_rt_call_on\n"
	".type hd_rt_call_on, @function\n"
	"hd_rt_call_on:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbp, 0\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	movq %rdi, %rsp\n"
	"	andq $-16, %rsp\n"
	"	movq %rdx, %rdi\n"
	"	callq *%rsi\n"
	"	movq %rbp, %rsp\n"
	"	popq %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size hd_rt_call_on, .-hd_rt_call_on\n");

extern char hd_rt_fiber_start[] __attribute__((visibility("hidden")));

void *hd_rt_stack_prepare(uintptr_t top, void (*entry)(void))
{
	uintptr_t *sp = (uintptr_t *)(top & ~(uintptr_t)15);
	uint32_t mxcsr;
	uint16_t fpucw;

	__asm__("stmxcsr %0" : "=m"(mxcsr));
	__asm__("fnstcw %0" : "=m"(fpucw));
	*--sp = 0;
	*--sp = 0;
	*--sp = (uintptr_t)hd_rt_fiber_start;
	*--sp = 0;		  /* rbp */
	*--sp = 0;		  /* rbx */
	*--sp = (uintptr_t)entry; /* r12 */
	*--sp = 0;		  /* r13 */
	*--sp = 0;		  /* r14 */
	*--sp = 0;		  /* r15 */
	*--sp = mxcsr | (uint64_t)fpucw << 32;
	return sp;
}
