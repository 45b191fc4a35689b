/*
 * sigaltstack, and handlers of faults on the stacks that the program expects.
 *
 * The kernel has one alternative stack for all threads here, which is the crash handler's (findings.c): a
 * stack overflow is to be told. What the program says is kept for each thread. Its handlers run at scheduling
 * points, so it takes a call to change stacks. A fault's handler must find what the kernel leaves on a
 * stack, so that is moved.
 */
#include "signal_stacks.h"

#include <errno.h>
#include <sys/auxv.h>

#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/sys.h"

#define RED_ZONE 128u /* below the stack pointer, and in use */

bool hd_rt_on_alternative(const struct fiber *f, uintptr_t sp)
{
	const stack_t *alt = &f->signals.alt;

	return alt->ss_sp && sp - (uintptr_t)alt->ss_sp < alt->ss_size;
}

uintptr_t hd_rt_handler_stack(const struct fiber *f, int flags, uintptr_t sp)
{
	const stack_t *alt = &f->signals.alt;

	if (!(flags & SA_ONSTACK) || !alt->ss_sp || hd_rt_on_alternative(f, sp))
		return sp;
	return (uintptr_t)alt->ss_sp + alt->ss_size;
}

/* ---- the call ------------------------------------------------------------- */

static size_t smallest_stack(void)
{
	size_t size = getauxval(AT_MINSIGSTKSZ);

	return size ? size : MINSIGSTKSZ;
}

static int set_alternative(struct fiber *me, const stack_t *new)
{
	int mode = new->ss_flags & ~(int)(1u << 31); /* SS_AUTODISARM */

	if (hd_rt_on_alternative(me, (uintptr_t)__builtin_frame_address(0)))
		return EPERM;
	if (mode != SS_DISABLE && mode != SS_ONSTACK && mode != 0)
		return EINVAL;
	if (mode == SS_DISABLE) {
		hd_rt_fill(&me->signals.alt, 0, sizeof(me->signals.alt));
		return 0;
	}
	if (new->ss_size < smallest_stack())
		return ENOMEM;
	hd_rt_copy(&me->signals.alt, new, sizeof(*new));
	return 0;
}

HD_EXPORT int sigaltstack(const stack_t *restrict new, stack_t *restrict old)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);
	stack_t before;
	int err;

	if (!me)
		return HD_REAL(sigaltstack)(new, old);
	hd_rt_copy(&before, &me->signals.alt, sizeof(before));
	before.ss_flags = !before.ss_sp ? SS_DISABLE
			  : hd_rt_on_alternative(me, (uintptr_t)__builtin_frame_address(0))
				  ? SS_ONSTACK
				  : before.ss_flags & (int)(1u << 31);
	err = new ? set_alternative(me, new) : 0;
	if (err)
		return hd_rt_fail(err);
	if (old)
		hd_rt_copy(old, &before, sizeof(before));
	return 0;
}

/* ---- faults --------------------------------------------------------------- */

/* What the kernel leaves for a handler, as rt_sigreturn(2) takes it; floating point lies elsewhere. */
#define KERNEL_CONTEXT 304u /* of ucontext_t */
struct hd_fault_frame {
	const char *back;
	char context[KERNEL_CONTEXT];
	siginfo_t info;
};

/* An unwinder knows such a place by its code, if nothing else is said about it. */
__asm__(".text\n"
	".p2align 4\n"
	"	nop\n"
	".hidden hd_rt_fault_return\n"
	".globl hd_rt_fault_return\n"
	"hd_rt_fault_return:\n"
	"	movq $15, %rax\n"
	"	syscall\n");

static size_t state_size(const struct _libc_fpstate *state)
{
	const uint32_t *software =
		(const uint32_t *)state + 116; /* what the kernel says about it */
	const uint32_t extended = 0x46505853;

	return software[0] == extended ? software[1] : sizeof(*state);
}

struct hd_fault_frame *hd_rt_fault_prepare(const struct sigaction *act, const siginfo_t *info,
					   const ucontext_t *context)
{
	uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
	uintptr_t to = hd_rt_handler_stack(hd_rt.cur, act->sa_flags, sp);
	const struct _libc_fpstate *state = context->uc_mcontext.fpregs;
	struct hd_fault_frame *frame;

	if (to == sp)
		to -= RED_ZONE;
	if (state) {
		size_t size = state_size(state);

		to = (to - size) & ~(uintptr_t)63;
		hd_rt_copy((void *)to, state, size);
	}
	frame = (struct hd_fault_frame *)(((to - sizeof(*frame)) & ~(uintptr_t)15) - 8);
	frame->back = hd_rt_fault_return;
	hd_rt_copy(frame->context, context, KERNEL_CONTEXT);
	hd_rt_copy(&frame->info, info, sizeof(*info));
	if (state)
		((ucontext_t *)frame->context)->uc_mcontext.fpregs = (struct _libc_fpstate *)to;
	return frame;
}

void hd_rt_fault_handle(struct hd_fault_frame *frame, const struct sigaction *act)
{
	__asm__ volatile("movq %0, %%rsp\n"
			 "jmp *%1"
			 :
			 : "r"(frame), "r"(act->sa_sigaction), "D"((long)frame->info.si_signo),
			   "S"(&frame->info), "d"(frame->context)
			 : "memory");
	__builtin_unreachable();
}
