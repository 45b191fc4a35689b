/*
 * What the files of signals share: the actions that the program installed, and the signals that are
 * on their way. signals.c keeps them.
 */
#ifndef HD_RUNTIME_SIGNAL_STATE_H
#define HD_RUNTIME_SIGNAL_STATE_H

#include "runtime/rt.h"
#include "signals.h"

#define HD_RT_NSIG 65 /* 1 .. 64 */

/* What the program installed. The address of each stands for its signal in the trace. */
extern struct sigaction hd_rt_sig_actions[HD_RT_NSIG];

/* ---- sets --------------------------------------------------------------- */

static inline uint64_t hd_rt_sig_bit(int sig)
{
	return 1ull << (sig - 1);
}

static inline uint64_t hd_rt_sig_bits(const sigset_t *set)
{
	return set->__val[0];
}

static inline void hd_rt_sig_set(sigset_t *set, uint64_t bits)
{
	/* Neither can be blocked; 32 and 33 are glibc's own. */
	set->__val[0] = bits & ~(hd_rt_sig_bit(SIGKILL) | hd_rt_sig_bit(SIGSTOP) |
				 hd_rt_sig_bit(32) | hd_rt_sig_bit(33));
}

static inline bool hd_rt_sig_valid(int sig)
{
	return sig >= 1 && sig < HD_RT_NSIG && sig != 32 && sig != 33;
}

/* ---- actions ------------------------------------------------------------ */

/* Has the program a handler for it? */
bool hd_rt_sig_has_handler(int sig);
bool hd_rt_sig_ignored(int sig);
uint64_t hd_rt_sig_handled(void); /* all that it has handlers for */
/* Do to the process what @sig does to those that say nothing about it. */
void hd_rt_sig_default(int sig);
/* The action of @sig has changed: tell the kernel. */
void hd_rt_sig_tell_kernel(int sig);
/* Its handler is about to run: with SA_RESETHAND it does so once. */
void hd_rt_sig_once(int sig);
/* Somebody blocks or awaits @set: it must not have its effect before we see it. */
void hd_rt_sig_keep(uint64_t set);

/* Is any thread in a handler? */
bool hd_rt_handlers_run(void);

/* ---- on their way ------------------------------------------------------- */

/* Sent to the process, and nobody takes them yet. */
uint64_t hd_rt_sig_process_pending(void);
/* Take the first of @set that is on its way to @target (NULL: the process), for good. */
bool hd_rt_sig_accept(struct fiber *target, uint64_t set, siginfo_t *info);
/* Masks have changed: somebody may now take what nobody took. */
void hd_rt_sig_offer_again(void);

#endif
