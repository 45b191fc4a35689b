/*
 * Stacks that the program gives to its signal handlers.
 */
#ifndef HD_RUNTIME_SIGNAL_STACKS_H
#define HD_RUNTIME_SIGNAL_STACKS_H

#include <ucontext.h>

#include "runtime/rt.h"

/* Is @sp on the stack that @f has for handlers? */
bool hd_rt_on_alternative(const struct fiber *f, uintptr_t sp);
/* Where a handler with these flags begins that interrupts @f at @sp: another stack's top, or @sp. */
uintptr_t hd_rt_handler_stack(const struct fiber *f, int flags, uintptr_t sp);

/*
 * As if the kernel ran @act's handler for the fault in @context: on the stack of whoever failed, or on
 * its alternative one. First the frame is put there, which fails as the program did if there is no room.
 */
struct hd_fault_frame;
extern const char hd_rt_fault_return[]
	__attribute__((visibility("hidden"))); /* what ends a handler */
struct hd_fault_frame *hd_rt_fault_prepare(const struct sigaction *act, const siginfo_t *info,
					   const ucontext_t *context);
void hd_rt_fault_handle(struct hd_fault_frame *frame, const struct sigaction *act)
	__attribute__((noreturn));

#endif
