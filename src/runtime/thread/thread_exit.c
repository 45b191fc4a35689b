/*
 * The end of a thread: pthread_exit, cancellation, cleanup handlers, destructors.
 *
 * pthread_exit unwinds the stack by force, as glibc does, so that destructors of
 * C++ and cleanup handlers of both kinds run: those compiled with exceptions are
 * met by the unwinder, the others (setjmp-like, registered in a list) are jumped
 * to when the unwinder passes their frame.
 */
#include "thread.h"

#include <errno.h>
#include <stdlib.h>
#include <unwind.h>

#include "runtime/explore/equal_threads.h"
#include "runtime/explore/explore.h"
#include "runtime/fiber/fiber.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/findings.h"
#include "runtime/observe/record.h"
#include "runtime/real.h"
#include "runtime/sched/policy.h"
#include "runtime/sync/sections.h"

/* ---- the end ------------------------------------------------------------- */

struct hd_tls_dtor {
	void (*fn)(void *);
	void *obj;
	struct hd_tls_dtor *next;
};

/* thread_local objects of C++, newest first; a destructor may register more. */
static void run_tls_dtors(struct fiber *f)
{
	while (f->end.tls_dtors) {
		struct hd_tls_dtor *d = f->end.tls_dtors;

		f->end.tls_dtors = d->next;
		d->fn(d->obj);
		hd_rt_free(d, sizeof(*d));
	}
}

int __cxa_thread_atexit_impl(void (*fn)(void *), void *obj, void *dso);

HD_EXPORT int __cxa_thread_atexit_impl(void (*fn)(void *), void *obj, void *dso)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);
	struct hd_tls_dtor *d;

	/* The main thread's run at exit, in glibc's order with the others. */
	if (!me || me == &hd_rt_main_fiber)
		return HD_REAL(__cxa_thread_atexit_impl)(fn, obj, dso);
	d = hd_rt_alloc(sizeof(*d));
	*d = (struct hd_tls_dtor){ .fn = fn, .obj = obj, .next = me->end.tls_dtors };
	me->end.tls_dtors = d;
	return 0;
}

void hd_rt_thread_end(void)
{
	struct fiber *me = hd_rt.cur;

	me->end.begun = true; /* no cancellation from here on */
	run_tls_dtors(me);
	hd_rt_tsd_destroy(me);
	if (me->light.on) /* a task's end is seen by those that wait for it */
		hd_rt_calm_point();
	else
		hd_rt_point();
	hd_rt_section_leave(me);
	hd_rt_robust_release(me);
	if (me->light.ended)
		me->light.ended(me);
	me->pc = 0;
	hd_rt_event_always(HD_OP_THREAD_END, 0, 0, 0, 0);
	if (me->thread.joiner)
		hd_rt_wake(me->thread.joiner, HD_WOKEN);
	if (me->thread.detached && me != &hd_rt_main_fiber)
		hd_rt.reap = me;
	if (hd_rt.nlive == 1) {
		/* The last thread ends the process, as exit(0) does. */
		hd_rt.reap = NULL;
		exit(0);
	}
	hd_rt_leave();
}

/* ---- unwinding ----------------------------------------------------------- */

/* glibc's pthread_cleanup_push for C without exceptions keeps one of these per frame. */
struct hd_cleanup {
	__pthread_unwind_buf_t *buf;
	struct hd_cleanup *next;
};

/* Take the newest handler off the list and jump to it; it comes back by __pthread_unwind_next. */
static void __attribute__((noreturn)) jump_to_cleanup(struct fiber *me)
{
	struct hd_cleanup *c = me->end.cleanups;
	void *env = c->buf->__cancel_jmp_buf;

	me->end.cleanups = c->next;
	hd_rt_free(c, sizeof(*c));
	/* The buffer holds what setjmp needs without a signal mask, less than a jmp_buf has. */
	__asm__("" : "+r"(env));
	_longjmp(env, 1);
}

static _Unwind_Reason_Code stop(int version, _Unwind_Action actions,
				_Unwind_Exception_Class exc_class, struct _Unwind_Exception *exc,
				struct _Unwind_Context *context, void *arg)
{
	struct fiber *me = arg;
	uintptr_t cfa = _Unwind_GetCFA(context);

	/* A registered handler's buffer lies in its function's frame: run it before leaving that. */
	if (me->end.cleanups &&
	    ((actions & _UA_END_OF_STACK) || (uintptr_t)me->end.cleanups->buf < cfa))
		jump_to_cleanup(me);
	if (actions & _UA_END_OF_STACK)
		hd_rt_thread_end();
	return _URC_NO_REASON;
}

static void dispose(_Unwind_Reason_Code reason, struct _Unwind_Exception *exc)
{
	/* catch (...) without a rethrow: C++ forbids it, glibc aborts; so do we, with a stack. */
	hd_rt_misuse(0, "a catch (...) swallowed the exception that ends the thread");
}

static void __attribute__((noreturn)) unwind(struct fiber *me)
{
	struct _Unwind_Exception *exc = hd_rt_alloc(sizeof(*exc));

	exc->exception_cleanup = dispose;
	_Unwind_ForcedUnwind(exc, stop, me);
	/* No unwind information in some frame: what can be done is done. */
	if (me->end.cleanups)
		jump_to_cleanup(me);
	hd_rt_thread_end();
}

void hd_rt_thread_exit(void *ret)
{
	struct fiber *me = hd_rt.cur;

	me->thread.ret = ret;
	me->cancel.disabled = true;
	if (unlikely(hd_rt.exploring))
		hd_rt_explore_changes(); /* how it ends is not on its stack */
	unwind(me);
}

HD_EXPORT void pthread_exit(void *ret)
{
	if (!hd_rt_enter(HD_CALLER)) {
		HD_REAL(pthread_exit)(ret);
		__builtin_unreachable();
	}
	hd_rt_thread_exit(ret);
}

void __pthread_register_cancel(__pthread_unwind_buf_t *buf);
void __pthread_unregister_cancel(__pthread_unwind_buf_t *buf);
void __pthread_unwind_next(__pthread_unwind_buf_t *buf) __attribute__((noreturn));

HD_EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t *buf)
{
	struct fiber *me = hd_rt.cur;
	struct hd_cleanup *c = hd_rt_alloc(sizeof(*c));

	*c = (struct hd_cleanup){ .buf = buf, .next = me->end.cleanups };
	me->end.cleanups = c;
}

HD_EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t *buf)
{
	struct fiber *me = hd_rt.cur;

	/* longjmp may have left some behind. */
	while (me->end.cleanups) {
		struct hd_cleanup *c = me->end.cleanups;
		bool found = c->buf == buf;

		me->end.cleanups = c->next;
		hd_rt_free(c, sizeof(*c));
		if (found)
			break;
	}
}

HD_EXPORT void __pthread_unwind_next(__pthread_unwind_buf_t *buf)
{
	unwind(hd_rt.cur);
}

/* ---- cancellation -------------------------------------------------------- */

void hd_rt_testcancel(void)
{
	struct fiber *me = hd_rt.cur;

	if (unlikely(me->cancel.pending && !me->cancel.disabled && !me->end.begun)) {
		me->cancel.pending = false;
		hd_rt_thread_exit(PTHREAD_CANCELED);
	}
}

struct fiber *hd_rt_enter_cancellable(uintptr_t caller)
{
	struct fiber *me = hd_rt_enter(caller);

	if (!me)
		return NULL;
	hd_rt_point();
	hd_rt_testcancel();
	return me;
}

HD_EXPORT int pthread_cancel(pthread_t pt)
{
	struct fiber *f;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_cancel)(pt);
	hd_rt_point();
	hd_rt_explore_uses(HD_X_USES_CANCEL);
	f = hd_rt_thread_find(pt);
	hd_rt_equal_told_apart(f);
	if (!f)
		return ESRCH;
	if (f->state == HD_F_DONE)
		return 0;
	f->cancel.pending = true;
	hd_rt_progress();
	if (f->state == HD_F_BLOCKED && f->wait.cancellable && !f->cancel.disabled)
		hd_rt_wake(f, HD_CANCELLED);
	if (f == hd_rt.cur && f->cancel.async)
		hd_rt_testcancel();
	return 0;
}

HD_EXPORT void pthread_testcancel(void)
{
	if (!hd_rt_enter(HD_CALLER)) {
		HD_REAL(pthread_testcancel)();
		return;
	}
	hd_rt_testcancel();
	hd_rt_point();
	hd_rt_testcancel();
}

HD_EXPORT int pthread_setcancelstate(int state, int *old)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	if (!me)
		return HD_REAL(pthread_setcancelstate)(state, old);
	if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
		return EINVAL;
	if (old)
		*old = me->cancel.disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
	me->cancel.disabled = state == PTHREAD_CANCEL_DISABLE;
	return 0;
}

HD_EXPORT int pthread_setcanceltype(int type, int *old)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	if (!me)
		return HD_REAL(pthread_setcanceltype)(type, old);
	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	if (old)
		*old = me->cancel.async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
	me->cancel.async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	if (me->cancel.async)
		hd_rt_testcancel();
	return 0;
}
