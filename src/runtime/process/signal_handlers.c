/*
 * Handlers of signals: they run at scheduling points of the thread that takes the signal, and a
 * jump may lead out of them.
 */
#include <ucontext.h>

#include "signal_state.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"

/* A handler that runs, so that a jump out of it can restore the mask. */
struct handler_frame {
	struct handler_frame *next;
	uint32_t thread;
	uintptr_t sp;
	sigset_t before;
};
static struct handler_frame *frames;

static struct handler_frame *push_frame(struct fiber *me)
{
	struct handler_frame *frame = hd_rt_alloc(sizeof(*frame));

	frame->thread = me->id;
	frame->sp = (uintptr_t)__builtin_frame_address(0);
	frame->before = me->signals.mask;
	frame->next = frames;
	frames = frame;
	return frame;
}

static void drop_frame(struct handler_frame *frame)
{
	for (struct handler_frame **p = &frames; *p; p = &(*p)->next) {
		if (*p == frame) {
			*p = frame->next;
			hd_rt_free(frame, sizeof(*frame));
			return;
		}
	}
}

static void call_handler(const struct sigaction *act, siginfo_t *info, struct fiber *me)
{
	ucontext_t context;

	if (!(act->sa_flags & SA_SIGINFO)) {
		act->sa_handler(info->si_signo);
		return;
	}
	hd_rt_fill(&context, 0, sizeof(context));
	context.uc_sigmask = me->signals.mask;
	act->sa_sigaction(info->si_signo, info, &context);
}

static void run_handler(struct fiber *me, siginfo_t *info)
{
	int sig = info->si_signo, saved_errno = errno;
	uintptr_t saved_pc = me->pc;
	struct handler_frame *frame;
	struct sigaction act;
	sigset_t before = me->signals.mask;

	hd_rt_copy(&act, &hd_rt_sig_actions[sig], sizeof(act));
	if (act.sa_flags & SA_RESETHAND) {
		hd_rt_sig_actions[sig].sa_handler = SIG_DFL;
		hd_rt_sig_actions[sig].sa_flags &= ~SA_SIGINFO;
		hd_rt_sig_tell_kernel(sig);
	}
	hd_rt_event(HD_OP_SIGNAL, 0, (uint64_t)sig, 0);
	hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)&hd_rt_sig_actions[sig], 0, 0);
	frame = push_frame(me);
	hd_rt_sig_set(&me->signals.mask,
		      hd_rt_sig_bits(&before) | hd_rt_sig_bits(&act.sa_mask) |
			      (act.sa_flags & SA_NODEFER ? 0 : hd_rt_sig_bit(sig)));
	hd_rt_sig_keep(hd_rt_sig_bits(&me->signals.mask));
	call_handler(&act, info, me);
	drop_frame(frame);
	me->signals.mask = before;
	me->pc = saved_pc;
	errno = saved_errno;
	hd_rt_sig_offer_again();
}

static bool restart_after; /* the handlers that ran last all had SA_RESTART */

bool hd_rt_signals_deliver(void)
{
	struct fiber *me = hd_rt.cur;
	bool ran = false, restart = true;
	siginfo_t info;

	hd_rt_signals_route();
	while ((me->signals.pending & ~hd_rt_sig_bits(&me->signals.mask)) &&
	       hd_rt_sig_accept(me, ~hd_rt_sig_bits(&me->signals.mask), &info)) {
		int sig = info.si_signo;

		/* The action may have changed since it was sent. */
		if (hd_rt_sig_ignored(sig))
			continue;
		if (!hd_rt_sig_has_handler(sig)) {
			hd_rt_sig_default(sig);
			continue;
		}
		restart &= (hd_rt_sig_actions[sig].sa_flags & SA_RESTART) != 0;
		run_handler(me, &info);
		ran = true;
	}
	if (ran)
		restart_after = restart;
	return ran;
}

bool hd_rt_signals_restart(void)
{
	return restart_after;
}

/* The stack pointer that a jump leads to: glibc keeps it scrambled. */
static uintptr_t jump_target(const struct __jmp_buf_tag *env)
{
	uintptr_t sp = (uintptr_t)env->__jmpbuf[6], guard;

	__asm__("mov %%fs:0x30, %0" : "=r"(guard));
	return (sp >> 17 | sp << 47) ^ guard;
}

/* Handlers that a jump leaves end here; the mask comes back if it was saved. */
static void leave_handlers(const struct __jmp_buf_tag *env, uintptr_t target)
{
	struct fiber *me = hd_rt.cur;

	for (struct handler_frame *frame = frames, *next; frame; frame = next) {
		next = frame->next;
		if (frame->thread != me->id || frame->sp >= target)
			continue;
		if (env->__mask_was_saved)
			me->signals.mask = frame->before;
		drop_frame(frame);
	}
	hd_rt_sig_offer_again();
}

static void leave_calls(const struct __jmp_buf_tag *env)
{
	uintptr_t target = jump_target(env);

	hd_rt_calls_leave(target);
	if (frames)
		leave_handlers(env, target);
}

void __longjmp_chk(struct __jmp_buf_tag env[1], int value) __attribute__((noreturn));

#define LONGJMP(name)                                                                              \
	HD_EXPORT void name(struct __jmp_buf_tag env[1], int value)                                \
	{                                                                                          \
		if (hd_rt_enter(HD_CALLER))                                                        \
			leave_calls(env);                                                          \
		HD_REAL(name)(env, value);                                                         \
		__builtin_unreachable();                                                           \
	}
LONGJMP(longjmp)
LONGJMP(_longjmp)
LONGJMP(siglongjmp)
LONGJMP(__longjmp_chk)
