/*
 * Calls and decisions of the running thread: a stack of its calls, as calling contexts, and
 * of the branches whose ways have not met again, within each function.
 *
 * Translated code tells of calls, returns, branches and join points. Frames are recognised
 * by the stack pointer, so that longjmp, tail calls and exceptions leave none behind.
 */
#ifndef CR_CALL_H
#define CR_CALL_H

#include "cr_thread.h"

/* Helpers for translated code. */
VG_REGPARM(2) void cr_on_call(UWord sp, UWord return_to);
/* The same, from code whose accesses count. */
VG_REGPARM(2) void cr_on_full_call(UWord sp, UWord return_to);
VG_REGPARM(1) void cr_on_return(UWord sp);
/* A function is about to be called; the labels of what may be its arguments, two in a word. */
VG_REGPARM(3) void cr_on_arguments(UWord first, UWord next, UWord last);
/*
 * A decision that depends on @label was made at @pc; the ways meet again at @join. Of the upper 16
 * bits of @pc the first says whether a loop goes on by it (cr_flow_waits()), the others are the loop (cr_flow_branch());
 * those above 32 of @label say which way it went.
 */
#define CR_WAY_ORDERING 2u /* it was decided by which of two is more */
#define CR_WAY_CONSTANT 4u /* ... by whether it is some constant, such as 0 */
VG_REGPARM(3) void cr_on_branch(UWord join, UWord label, UWord pc);
/* The same, where that decides whether a loop goes on. */
VG_REGPARM(3) void cr_on_closing(UWord join, UWord label, UWord pc);
/*
 * A round of the loop whose code is from @first to @last begins. That earlier ones were not left in
 * the middle is no reason for what this one does: only what closes the loop is.
 */
VG_REGPARM(2) void cr_on_round(UWord first, UWord last);
VG_REGPARM(1) void cr_on_join(UWord pc);

/* Another thread runs now. */
void cr_call_resume(void);

void cr_signal_begin(ThreadId tid);
void cr_signal_end(ThreadId tid);

/* The running function, a wrapper of libc, sleeps or lets others run: the calls that led here do no more. */
void cr_call_rests(void);

/* The running function, a wrapper of the thread library, gives a lock back to wait. */
void cr_call_waits(void);

/*
 * What decided that the running function was called: the open decisions of those that called it, CR_CALLERS of
 * them. They are no part of what it computes, but of the operation that its critical sections belong to.
 */
#define CR_CALLERS 3u
/* ... with those between them that are of a library in headers. */
UInt cr_call_callers(void);
cr_label cr_call_outer(void);
/* The open decisions of the function that is @up calls above the running one: the first, and how many. */
UInt cr_call_decisions(UInt up, const struct cr_branch **first);

/* The running call's context. */
UInt cr_call_ctx(void);
/* Where the running function, a wrapper of the thread library, was called. */
Addr cr_call_pc(void);
/* The context of that place. */
UInt cr_call_above(void);

/* A context is a call from @pc in another; 0 is none. */
UInt cr_ctx_count(void);
void cr_ctx_get(UInt ctx, UInt *parent, Addr *pc);

#endif
