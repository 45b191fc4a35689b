/*
 * Functions of which only their names are known here: a call is noted, and goes on to libc's with all its arguments as
 * they were, and with the caller's place to return to.
 */
#include "runtime/real.h"
#include "runtime/rt.h"

struct unseen {
	void *real; /* NULL: not looked up yet */
	const char *name;
};

void *hd_rt_unseen_call(struct unseen *u, uintptr_t caller)
	__attribute__((used, visibility("hidden")));

/* libc's function, for a call from @caller. */
void *hd_rt_unseen_call(struct unseen *u, uintptr_t caller)
{
	if (hd_rt_enter(caller))
		hd_rt_changes_unseen();
	if (unlikely(!u->real))
		u->real = hd_rt_next(u->name);
	return u->real;
}

/* From each of them, with its struct unseen in %r11, which no argument is in. */
__asm__(".text\n"
	".p2align 4\n"
	".type hd_rt_unseen, @function\n"
	"hd_rt_unseen:\n"
	"	.cfi_startproc\n"
	"	pushq %rdi\n"
	"	pushq %rsi\n"
	"	pushq %rdx\n"
	"	pushq %rcx\n"
	"	pushq %r8\n"
	"	pushq %r9\n"
	"	pushq %rax\n"
	"	subq $144, %rsp\n"
	"	.cfi_adjust_cfa_offset 200\n"
	"	movups %xmm0, (%rsp)\n"
	"	movups %xmm1, 16(%rsp)\n"
	"	movups %xmm2, 32(%rsp)\n"
	"	movups %xmm3, 48(%rsp)\n"
	"	movups %xmm4, 64(%rsp)\n"
	"	movups %xmm5, 80(%rsp)\n"
	"	movups %xmm6, 96(%rsp)\n"
	"	movups %xmm7, 112(%rsp)\n"
	"	movq %r11, %rdi\n"
	"	movq 200(%rsp), %rsi\n"
	"	call hd_rt_unseen_call\n"
	"	movq %rax, %r11\n"
	"	movups (%rsp), %xmm0\n"
	"	movups 16(%rsp), %xmm1\n"
	"	movups 32(%rsp), %xmm2\n"
	"	movups 48(%rsp), %xmm3\n"
	"	movups 64(%rsp), %xmm4\n"
	"	movups 80(%rsp), %xmm5\n"
	"	movups 96(%rsp), %xmm6\n"
	"	movups 112(%rsp), %xmm7\n"
	"	addq $144, %rsp\n"
	"	popq %rax\n"
	"	popq %r9\n"
	"	popq %r8\n"
	"	popq %rcx\n"
	"	popq %rdx\n"
	"	popq %rsi\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -200\n"
	"	jmp *%r11\n"
	"	.cfi_endproc\n"
	".size hd_rt_unseen, .-hd_rt_unseen\n");

#define UNSEEN(fn)                                                                                 \
	__attribute__((used)) static struct unseen hd_rt_unseen_##fn = { .name = #fn };            \
	__asm__(".text\n"                                                                          \
		".p2align 4\n"                                                                     \
		".globl " #fn "\n"                                                                 \
		".type " #fn ", @function\n" #fn ":\n"                                             \
		"	.cfi_startproc\n"                                                                \
		"	endbr64\n"                                                                       \
		"	leaq hd_rt_unseen_" #fn "(%rip), %r11\n"                                   \
		"	jmp hd_rt_unseen\n"                                                              \
		"	.cfi_endproc\n"                                                                  \
		".size " #fn ", .-" #fn "\n");
#include "libc_unseen.def"
