/*
 * Threads: create, join, detach, names and attributes.
 */
#include "common/hash.h"
#include "runtime/abi/inline_check.h"
#include "runtime/explore/explore.h"
#include "runtime/explore/common_state.h"
#include "thread.h"

#include <errno.h>
#include <sys/prctl.h>

#include "runtime/debug.h"
#include "runtime/explore/equal_threads.h"
#include "runtime/fiber/hand_over.h"
#include "runtime/fiber/fiber.h"
#include "runtime/fiber/light.h"
#include "runtime/memory/arena.h"
#include "runtime/observe/findings.h"
#include "runtime/observe/race_online.h"
#include "runtime/observe/record.h"
#include "runtime/process/seccomp_filters.h"
#include "runtime/real.h"
#include "runtime/sched/policy.h"
#include "runtime/sys.h"

struct fiber hd_rt_main_fiber = {
	.id = 1, .run_index = -1, .thread.started = true, .wait.deadline = HD_NEVER
};
char *hd_rt_main_stack;
size_t hd_rt_main_stack_size;

#define PT_BUCKETS 4096u
static struct fiber *by_pt[PT_BUCKETS];

static struct fiber **pt_bucket(pthread_t pt)
{
	return &by_pt[hd_hash_bits(pt, 12)];
}

/* Numbers follow each other: thousands of threads have a place each. */
#define ID_BUCKETS 4096u
static struct fiber *by_id[ID_BUCKETS];

struct fiber *hd_rt_fiber_by_id(uint32_t id)
{
	struct fiber *f = by_id[id % ID_BUCKETS];

	while (f && f->id != id)
		f = f->next_by_id;
	return f;
}

static void forget_id(const struct fiber *f)
{
	struct fiber **p = &by_id[f->id % ID_BUCKETS];

	while (*p != f)
		p = &(*p)->next_by_id;
	*p = f->next_by_id;
}

void hd_rt_thread_list(struct fiber *f)
{
	f->next_by_id = by_id[f->id % ID_BUCKETS];
	by_id[f->id % ID_BUCKETS] = f;
	*hd_rt.all_tail = f;
	f->prev = hd_rt.all_tail;
	hd_rt.all_tail = &f->next;
	hd_rt.nlive++;
}

void hd_rt_thread_index(struct fiber *f)
{
	struct fiber **bucket = pt_bucket(f->thread.pt);

	f->thread.next = *bucket;
	*bucket = f;
}

static void thread_add(struct fiber *f)
{
	hd_rt_thread_index(f);
	hd_rt_thread_list(f);
	hd_rt_add_runnable(f);
}

void hd_rt_thread_adopt_main(struct fiber *f)
{
	hd_rt.nthreads = 1;
	thread_add(f);
}

struct fiber *hd_rt_thread_find(pthread_t pt)
{
	struct fiber *f = *pt_bucket(pt);

	while (f && f->thread.pt != pt)
		f = f->thread.next;
	return f;
}

void hd_rt_thread_forget(struct fiber *f)
{
	struct fiber **p;

	for (p = pt_bucket(f->thread.pt); *p != f; p = &(*p)->thread.next)
		;
	*p = f->thread.next;
	forget_id(f);
	*f->prev = f->next;
	if (f->next)
		f->next->prev = f->prev;
	else
		hd_rt.all_tail = f->prev;
	if (f->light.on) {
		hd_rt_light_return(f);
	} else {
		hd_rt_donor_end(f);
		hd_rt_free(f->calls.stack, HD_CALLS_BYTES);
	}
	hd_rt_held_forget(f);
	hd_rt_free(f->tsd.values, f->tsd.n * sizeof(*f->tsd.values));
	hd_rt_free(f, sizeof(*f));
}

/* ---- create -------------------------------------------------------------- */

/* The stack of @f, and the thread-local variables above it if they are @f's own, may have been another thread's. */
static void renew_memory(const struct fiber *f, bool own_variables)
{
	uintptr_t end = (uintptr_t)f->thread.pt + HD_THREAD_HEAD;

	if (!hd_rt_watches_memory())
		return;
	hd_rt_event(HD_OP_ALLOC, f->stack.low, f->stack.top - f->stack.low, HD_ALLOC_STACK);
	if (own_variables)
		hd_rt_event(HD_OP_ALLOC, f->stack.top, end - f->stack.top, HD_ALLOC_THREAD_LOCAL);
}

void hd_rt_thread_entry(void)
{
	struct fiber *f = hd_rt.cur;

	if (hd_rt.reap) {
		struct fiber *gone = hd_rt.reap;

		hd_rt.reap = NULL;
		hd_rt_thread_forget(gone);
	}
	f->thread.started = true;
	hd_rt_equal_begins();
	hd_rt_calls_take_up();
	if (unlikely(hd_rt.opt.carriers == HD_CARRIERS_THREADS)) {
		hd_rt_hand_over_name(f);
		hd_rt_crash_stack_use();
		hd_rt_debug_switched();
	}
	if (hd_rt_racing())
		hd_rt_race_refresh();
	else
		hd_rt_inline_refresh();
	hd_rt_event_always(HD_OP_THREAD_BEGIN, 0, 0, 0, 0);
	if (f->light.on && !f->light.host->donor.fresh)
		renew_memory(f, !f->light.own_host);
	if (f->light.on)
		f->light.host->donor.fresh = false;
	f->thread.ret = f->thread.start(f->thread.arg);
	if (unlikely(hd_rt.exploring))
		hd_rt_explore_thread_ends((uintptr_t)f->thread.ret);
	hd_rt_thread_end();
}

int hd_rt_thread_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *),
			void *arg)
{
	struct fiber *me = hd_rt.cur, *f;
	int rc, detach = PTHREAD_CREATE_JOINABLE;

	hd_rt_record_start(hd_rt.opt.ring_fd);
	hd_rt_race_start();
	hd_rt_point();
	f = hd_rt_alloc(sizeof(*f));
	*f = (struct fiber){
		.run_index = -1,
		.thread = { .start = start, .arg = arg },
		.wait.deadline = HD_NEVER,
		.signals.mask = me->signals.mask,
		.explore.calm = true,
	};
	rc = hd_rt_donor_start(f, attr);
	if (rc) {
		hd_rt_free(f, sizeof(*f));
		return rc;
	}
	f->id = ++hd_rt.nthreads;
	hd_rt_copy(f->thread.name, me->thread.name, sizeof(f->thread.name));
	if (attr)
		pthread_attr_getdetachstate(attr, &detach);
	f->thread.detached = detach == PTHREAD_CREATE_DETACHED;
	if (!f->donor.fresh)
		renew_memory(f, true);
	hd_rt_fiber_prepare(f, f->stack.top, hd_rt_thread_entry);
	hd_rt_settle();
	*out = f->thread.pt; /* before it begins, as glibc does it: the new thread may look at it */
	hd_rt_range_done(out, sizeof(*out));
	thread_add(f);
	hd_rt_progress();
	if (hd_rt_policy->spawned)
		hd_rt_policy->spawned(f);
	hd_rt_tell_locals();
	hd_rt_equal_created(f, attr);
	hd_rt_event_always(HD_OP_FORK, 0, f->id, 0, 0);
	if (f->thread.detached)
		hd_rt_event_always(HD_OP_DETACH, 0, f->id, 0, 0);
	return 0;
}

HD_EXPORT int pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *),
			     void *arg)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_create)(out, attr, start, arg);
	return hd_rt_thread_create(out, attr, start, arg);
}

/* ---- join and detach ----------------------------------------------------- */

static bool is_joining(const struct fiber *f)
{
	return f->state == HD_F_BLOCKED && f->wait.why == HD_TS_JOIN;
}

/*
 * Would waiting for @f wait for ourselves? Then the chain from @f on leads to us, and the one of those
 * who wait for us to @f: whichever ends first says no, so that long chains are made in passing.
 */
static bool join_cycle(const struct fiber *me, const struct fiber *f)
{
	const struct fiber *down = f, *up = me;

	while (down != me && up != f) {
		up = up->thread.joiner;
		if (!up || !is_joining(up) || !is_joining(down))
			return false;
		down = (const struct fiber *)down->wait.addr;
	}
	return true;
}

int hd_rt_thread_join(pthread_t pt, void **ret, uint64_t deadline)
{
	struct fiber *me = hd_rt.cur, *f;

	hd_rt_testcancel();
	if (deadline != HD_NEVER)
		hd_rt_explore_uses(HD_X_USES_ASKS);
	me->thread.joins = deadline == HD_NEVER ? pt : 0;
	hd_rt_point_before_timed(deadline ? HD_TS_JOIN : HD_TS_RUNNING, (uintptr_t)pt, deadline);
	me->thread.joins = 0;
	hd_rt_equal_comes_to_join(pt);
	hd_rt_common_touch_at((uintptr_t)pt);
	f = hd_rt_thread_find(pt);
	if (!f || f->thread.joined) {
		hd_rt_misuse(0,
			     "pthread_join of a thread that does not exist or was joined already");
		return ESRCH;
	}
	if (f->thread.detached || f->thread.joiner) {
		hd_rt_misuse(0,
			     f->thread.detached
				     ? "pthread_join of the detached thread T%u"
				     : "pthread_join of T%u, which is being joined already",
			     f->id);
		return EINVAL;
	}
	if (join_cycle(me, f))
		return EDEADLK;
	while (f->state != HD_F_DONE) {
		enum hd_wake w;

		if (hd_rt_too_late(deadline)) {
			hd_rt_spin();
			return deadline ? ETIMEDOUT : EBUSY;
		}
		f->thread.joiner = me;
		w = hd_rt_block_cancellable(HD_TS_JOIN, (uintptr_t)f, deadline, true);
		f->thread.joiner = NULL;
		if (w == HD_CANCELLED)
			hd_rt_testcancel();
		if (w == HD_TIMEOUT)
			return ETIMEDOUT;
	}
	hd_rt_equal_joined(f, ret != NULL || deadline != HD_NEVER);
	hd_rt_event_always(HD_OP_JOIN, 0, f->id, 0, 0);
	if (ret) {
		hd_rt_settle();
		*ret = f->thread.ret;
		hd_rt_range_done(ret, sizeof(*ret));
	}
	if (f == &hd_rt_main_fiber)
		f->thread.joined = true;
	else
		hd_rt_thread_forget(f);
	return 0;
}

HD_EXPORT int pthread_join(pthread_t pt, void **ret)
{
	return hd_rt_enter(HD_CALLER) ? hd_rt_thread_join(pt, ret, HD_NEVER)
				      : HD_REAL(pthread_join)(pt, ret);
}

HD_EXPORT int pthread_tryjoin_np(pthread_t pt, void **ret)
{
	return hd_rt_enter(HD_CALLER) ? hd_rt_thread_join(pt, ret, 0)
				      : HD_REAL(pthread_tryjoin_np)(pt, ret);
}

HD_EXPORT int pthread_timedjoin_np(pthread_t pt, void **ret, const struct timespec *abstime)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_timedjoin_np)(pt, ret, abstime);
	return hd_rt_thread_join(pt, ret,
				 abstime ? hd_rt_deadline_abs(CLOCK_REALTIME, abstime) : HD_NEVER);
}

HD_EXPORT int pthread_clockjoin_np(pthread_t pt, void **ret, clockid_t clock,
				   const struct timespec *abstime)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_clockjoin_np)(pt, ret, clock, abstime);
	return hd_rt_thread_join(pt, ret, abstime ? hd_rt_deadline_abs(clock, abstime) : HD_NEVER);
}

HD_EXPORT int pthread_detach(pthread_t pt)
{
	struct fiber *f;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_detach)(pt);
	hd_rt_point();
	hd_rt_common_touch_at((uintptr_t)pt);
	f = hd_rt_thread_find(pt);
	if (!f) {
		hd_rt_misuse(
			0, "pthread_detach of a thread that does not exist or was joined already");
		return ESRCH;
	}
	if (f->thread.detached)
		return EINVAL;
	f->thread.detached = true;
	hd_rt_equal_told_apart(f);
	hd_rt_event_always(HD_OP_DETACH, 0, f->id, 0, 0);
	if (f->state == HD_F_DONE && f != &hd_rt_main_fiber)
		hd_rt_thread_forget(f);
	return 0;
}

/* ---- names and attributes ------------------------------------------------ */

static void set_name(struct fiber *f, const char *name)
{
	hd_rt_copy(f->thread.name, name, hd_rt_strlen(name) + 1);
	hd_rt_event_always(HD_OP_THREAD_NAME, 0, f->id, hd_rt_string(name), 0);
}

HD_EXPORT int pthread_setname_np(pthread_t pt, const char *name)
{
	struct fiber *f;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_setname_np)(pt, name);
	hd_rt_common_point_at((uintptr_t)pt + 1);
	f = hd_rt_thread_find(pt);
	hd_rt_equal_told_apart(f);
	hd_rt_range(name, hd_rt_strlen(name) + 1, false);
	if (!f || hd_rt_strlen(name) >= sizeof(f->thread.name))
		return f ? ERANGE : ESRCH;
	set_name(f, name);
	return 0;
}

HD_EXPORT int pthread_getname_np(pthread_t pt, char *buf, size_t len)
{
	struct fiber *f;
	int rc = 0;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_getname_np)(pt, buf, len);
	hd_rt_common_point_at((uintptr_t)pt + 1);
	f = hd_rt_thread_find(pt);
	hd_rt_equal_told_apart(f);
	if (!f || len < sizeof(f->thread.name))
		return f ? ERANGE : ESRCH;
	hd_rt_range_soon();
	if (f->thread.name[0])
		hd_rt_copy(buf, f->thread.name, sizeof(f->thread.name));
	else
		rc = HD_REAL(pthread_getname_np)(hd_rt_main_fiber.thread.pt, buf, len);
	hd_rt_range_done(buf, rc ? 0 : hd_rt_strlen(buf) + 1);
	return rc;
}

HD_EXPORT int prctl(int option, ...)
{
	__builtin_va_list ap;
	unsigned long a[4];
	long rc;

	__builtin_va_start(ap, option);
	for (int i = 0; i < 4; i++)
		a[i] = __builtin_va_arg(ap, unsigned long);
	__builtin_va_end(ap);
	if (option == PR_SET_NAME && hd_rt_enter(HD_CALLER)) {
		char name[16];

		hd_rt_print(name, sizeof(name), "%s", (const char *)a[0]);
		set_name(hd_rt.cur, name);
		return 0;
	}
	if (option == PR_GET_NAME && hd_rt_enter(HD_CALLER) && hd_rt.cur->thread.name[0]) {
		hd_rt_copy((void *)a[0], hd_rt.cur->thread.name, 16);
		return 0;
	}
	if (option == PR_SET_SECCOMP && hd_rt_enter(HD_CALLER))
		return hd_rt_seccomp_mode(a[0], (void *)a[1]);
	if (option != PR_GET_NAME && hd_rt_enter(HD_CALLER))
		hd_rt_changes_unseen();
	rc = hd_sys(SYS_prctl, option, a[0], a[1], a[2], a[3]);
	if (rc < 0) {
		errno = (int)-rc;
		return -1;
	}
	return (int)rc;
}

HD_EXPORT int pthread_getattr_np(pthread_t pt, pthread_attr_t *attr)
{
	int rc;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(pthread_getattr_np)(pt, attr);
	hd_rt_equal_told_apart(hd_rt_thread_find(pt)); /* it has the address of the stack */
	hd_rt.busy++;
	rc = HD_REAL(pthread_getattr_np)(pt, attr);
	hd_rt.busy--;
	if (rc == 0 && pt == hd_rt_main_fiber.thread.pt && hd_rt_main_stack)
		rc = pthread_attr_setstack(attr, hd_rt_main_stack, hd_rt_main_stack_size);
	return rc;
}

/* Every fiber is a thread to the program, though one kernel thread carries them all. */
pid_t hd_rt_tid(const struct fiber *f)
{
	uint32_t id = f->tls.lender ? f->tls.lender : f->id;

	return (pid_t)hd_sys(SYS_gettid) + (pid_t)id - 1;
}

HD_EXPORT pid_t gettid(void)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);

	if (!me)
		return (pid_t)hd_sys(SYS_gettid);
	hd_rt_thread_matters(me);
	hd_rt_equal_told_apart(me);
	return hd_rt_tid(me);
}

HD_EXPORT pthread_t pthread_self(void)
{
	struct fiber *me = hd_rt_enter(HD_CALLER);
	uintptr_t fs;

	if (me) {
		hd_rt_thread_matters(me);
		hd_rt_equal_told_apart(me);
	}
	__asm__("mov %%fs:0x10, %0" : "=r"(fs));
	return fs;
}

struct fiber *hd_rt_thread_by_tid(pid_t tid)
{
	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		int carrier = hd_rt.opt.carriers == HD_CARRIERS_THREADS ? f->tid : hd_rt.pid;

		if (f->state != HD_F_DONE && tid == carrier + (int)f->id - 1)
			return f;
	}
	return NULL;
}

HD_EXPORT int sched_yield(void)
{
	if (!hd_rt_enter(HD_CALLER))
		return (int)hd_sys(SYS_sched_yield);
	hd_rt_yield();
	return 0;
}
