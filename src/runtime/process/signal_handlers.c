/*
 * Handlers of signals: they run at scheduling points of the thread that takes the signal, and a
 * jump may lead out of them.
 */
#include <ucontext.h>

#include "signal_state.h"
#include "runtime/fiber/stack_switch.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "signal_stacks.h"

/* A handler that runs, so that a jump out of it can restore the mask. */
struct handler_frame {
	struct handler_frame *next;
	uint32_t thread;
	uintptr_t sp;
	sigset_t before;
	struct hd_call *calls; /* the functions that it interrupted */
};
static struct handler_frame *frames;

static struct handler_frame *push_frame(struct fiber *me)
{
	struct handler_frame *frame = hd_rt_alloc(sizeof(*frame));

	frame->thread = me->id;
	frame->sp = (uintptr_t)__builtin_frame_address(0);
	frame->before = me->signals.mask;
	frame->calls = heddle_inline1_top;
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

struct handling {
	const struct sigaction *act;
	siginfo_t *info;
	struct fiber *me;
};

static void call_handler(void *arg)
{
	const struct handling *h = arg;
	const struct sigaction *act = h->act;
	ucontext_t context;

	if (!(act->sa_flags & SA_SIGINFO)) {
		act->sa_handler(h->info->si_signo);
		return;
	}
	hd_rt_fill(&context, 0, sizeof(context));
	context.uc_sigmask = h->me->signals.mask;
	act->sa_sigaction(h->info->si_signo, h->info, &context);
}

/* Functions on another stack are not above or below those on this one: they begin a list of their own. */
static void call_on_other_stack(uintptr_t top, struct handling *h)
{
	struct hd_call *before = heddle_inline1_top;

	if (before && before > h->me->calls.stack) {
		uint32_t ctx = hd_rt_context();

		before[-1] = (struct hd_call){ .sp = HD_CALLS_ROOT, .ctx = ctx };
		heddle_inline1_top = before - 1;
	}
	hd_rt_call_on(top, call_handler, h);
	heddle_inline1_top = before;
}

static void call_on_its_stack(struct handling *h)
{
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	uintptr_t top = hd_rt_handler_stack(h->me, h->act->sa_flags, sp);

	if (top == sp)
		call_handler(h);
	else
		call_on_other_stack(top, h);
}

static void run_handler(struct fiber *me, siginfo_t *info)
{
	int sig = info->si_signo, saved_errno = errno;
	uintptr_t saved_pc = me->pc;
	struct handler_frame *frame;
	struct sigaction act;
	sigset_t before = me->signals.mask;

	hd_rt_copy(&act, &hd_rt_sig_actions[sig], sizeof(act));
	hd_rt_sig_once(sig);
	hd_rt_event(HD_OP_SIGNAL, 0, (uint64_t)sig, 0);
	hd_rt_event(HD_OP_HB_ACQUIRE, (uintptr_t)&hd_rt_sig_actions[sig], 0, 0);
	frame = push_frame(me);
	hd_rt_sig_set(&me->signals.mask,
		      hd_rt_sig_bits(&before) | hd_rt_sig_bits(&act.sa_mask) |
			      (act.sa_flags & SA_NODEFER ? 0 : hd_rt_sig_bit(sig)));
	hd_rt_sig_keep(hd_rt_sig_bits(&me->signals.mask));
	call_on_its_stack(&(struct handling){ &act, info, me });
	drop_frame(frame);
	me->signals.mask = before;
	me->pc = saved_pc;
	errno = saved_errno;
	hd_rt_sig_offer_again();
}

bool hd_rt_handlers_run(void)
{
	return frames != NULL;
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

/* Does a jump of @me to @target lead out of the function whose frame is at @sp? */
static bool jumps_over(const struct fiber *me, uintptr_t sp, uintptr_t target)
{
	bool from_other = hd_rt_on_alternative(me, sp), to_other = hd_rt_on_alternative(me, target);

	return from_other == to_other ? sp < target : from_other;
}

/* Handlers that a jump leaves end here; the mask comes back if it was saved. */
static void leave_handlers(const struct __jmp_buf_tag *env, uintptr_t target)
{
	struct fiber *me = hd_rt.cur;

	for (struct handler_frame *frame = frames, *next; frame; frame = next) {
		next = frame->next;
		if (frame->thread != me->id || !jumps_over(me, frame->sp, target))
			continue;
		if (env->__mask_was_saved)
			me->signals.mask = frame->before;
		heddle_inline1_top = frame->calls;
		drop_frame(frame);
	}
	hd_rt_sig_offer_again();
}

static void leave_calls(const struct __jmp_buf_tag *env)
{
	uintptr_t target = jump_target(env);

	if (frames)
		leave_handlers(env, target);
	hd_rt_calls_leave(target);
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
