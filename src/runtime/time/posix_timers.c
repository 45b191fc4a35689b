/*
 * timer_create and relatives, in virtual time.
 *
 * A timer that sends a signal is in the list of timers.c. One that runs a function has a thread for
 * its next expiration from the moment it is armed: that thread sleeps until the time has come,
 * makes the thread for the expiration after, and calls the function. So its expiry is the end of a
 * sleep, which an explorer tries at every moment, and its callbacks are threads like others.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <time.h>

#include "runtime/explore/explore.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/process/signal_nudges.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sync/mutex.h"
#include "runtime/thread/thread.h"
#include "timers.h"
#include "timespec.h"

struct posix_timer {
	struct hd_timer timer;
	unsigned id; /* what the program calls it */
	bool exists; /* it was not deleted: a thread that waits for it may remember one that was */
	clockid_t clock;
	struct sigevent event;
	uint32_t thread;   /* SIGEV_THREAD_ID: whose the signal is */
	bool queued;	   /* a signal is on its way; expirations meanwhile are overruns */
	uint64_t overruns; /* of the signal on its way */
	int overrun;	   /* of the one that came last */
	/* SIGEV_THREAD */
	pthread_attr_t attr;
	bool has_attr;
	uint32_t arming; /* which: threads of an earlier one end without calling anything */
	uintptr_t pc;	 /* where that was */
};

static struct posix_timer **timers;
static unsigned ntimers;

/* What the trace calls timers with threads; the addresses are never read. */
static char objects[256];

static uintptr_t object_of(const struct posix_timer *t)
{
	return (uintptr_t)&objects[t->id % sizeof(objects)];
}

static struct posix_timer *of_timer(struct hd_timer *timer)
{
	return (struct posix_timer *)((char *)timer - offsetof(struct posix_timer, timer));
}

static struct posix_timer *find(timer_t id)
{
	uintptr_t i = (uintptr_t)id;

	return i < ntimers && timers[i]->exists ? timers[i] : NULL;
}

/* ---- signals ------------------------------------------------------------- */

static void count_overruns(struct posix_timer *t, uint64_t n)
{
	t->overruns = t->overruns + n < INT_MAX ? t->overruns + n : INT_MAX;
}

static void send_signal(struct hd_timer *timer, uint64_t n)
{
	struct posix_timer *t = of_timer(timer);
	struct fiber *target = t->thread ? hd_rt_fiber_by_id(t->thread) : NULL;
	siginfo_t info;

	if (t->event.sigev_notify == SIGEV_NONE || (t->thread && !target))
		return;
	if (t->queued) {
		count_overruns(t, n);
		return;
	}
	hd_rt_fill(&info, 0, sizeof(info));
	info.si_signo = t->event.sigev_signo;
	info.si_code = SI_TIMER;
	info.si_timerid = (int)t->id;
	info.si_value = t->event.sigev_value;
	t->overruns = 0;
	count_overruns(t, n - 1);
	t->queued = true; /* before it is raised, for it may be taken at once */
	if (!hd_rt_signal_raise(target, &info))
		t->queued = false;
}

void hd_rt_timer_accepted(siginfo_t *info)
{
	struct posix_timer *t = find((timer_t)(uintptr_t)info->si_timerid);

	if (!t || !t->queued)
		return;
	t->queued = false;
	t->overrun = (int)t->overruns;
	info->si_overrun = t->overrun;
}

static void arm_signal(struct posix_timer *t, bool absolute, const struct itimerspec *spec)
{
	if (t->event.sigev_notify != SIGEV_NONE)
		hd_rt_signal_release(t->event.sigev_signo);
	hd_rt_timer_set(&t->timer, t->clock, absolute, spec);
	if (t->timer.due == HD_NEVER)
		t->timer.interval = 0;
	else if (t->event.sigev_notify != SIGEV_NONE)
		hd_rt_nudge_timer();
}

/* ---- threads ------------------------------------------------------------- */

/* What a thread that waits for an expiration needs to know. */
struct expiration {
	struct posix_timer *timer;
	uint32_t arming;
	uintptr_t pc; /* where it was armed: it may be set anew before its thread begins */
};

static void make_thread(struct posix_timer *t);

/* Sleep until it is time; false: the timer was set anew, or deleted. */
static bool sleep_until_due(const struct posix_timer *t, uint32_t arming)
{
	while (t->arming == arming && t->timer.due > hd_rt.now)
		hd_rt_block(HD_TS_SLEEP, object_of(t), t->timer.due);
	hd_rt_event(HD_OP_HB_ACQUIRE, object_of(t), 0, 0);
	return t->arming == arming;
}

/* The name is for reports, which leave out frames of the runtime. */
static void *hd_rt_timer_thread(void *arg)
{
	struct expiration e = *(struct expiration *)arg;
	struct posix_timer *t = e.timer;
	struct sigevent event;

	hd_rt_free(arg, sizeof(e));
	hd_rt.cur->pc = e.pc;
	if (!sleep_until_due(t, e.arming))
		return NULL;
	event = t->event;
	t->overrun = (int)(hd_rt_timer_expire(&t->timer) - 1);
	if (t->timer.due != HD_NEVER)
		make_thread(t);
	/* It has expired: nobody who deletes it now can keep the function from being called. */
	hd_rt_point();
	event.sigev_notify_function(event.sigev_value);
	return NULL;
}

static void make_thread(struct posix_timer *t)
{
	struct expiration *e = hd_rt_alloc(sizeof(*e));
	pthread_attr_t attr = t->attr;
	pthread_t pt;

	*e = (struct expiration){ .timer = t, .arming = t->arming, .pc = t->pc };
	if (!t->has_attr)
		pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (hd_rt_thread_create(&pt, &attr, hd_rt_timer_thread, e) == 0)
		hd_rt_signals_block_all(hd_rt_thread_find(pt));
	else
		hd_rt_drop("timer_create: no thread for an expiration");
	if (!t->has_attr)
		pthread_attr_destroy(&attr);
}

static void arm_thread(struct posix_timer *t, uint64_t due, uint64_t interval)
{
	hd_rt_event(HD_OP_HB_RELEASE, object_of(t), 0, 0);
	t->arming++;
	t->timer.due = due;
	t->timer.interval = due == HD_NEVER ? 0 : interval;
	t->pc = hd_rt.cur->pc;
	hd_rt_wake_all(HD_TS_SLEEP, object_of(t));
	if (due != HD_NEVER)
		make_thread(t);
}

/* ---- the calls ----------------------------------------------------------- */

static bool is_valid(const struct sigevent *event)
{
	switch (event->sigev_notify) {
	case SIGEV_NONE:
	case SIGEV_THREAD:
		return true;
	case SIGEV_SIGNAL:
		return event->sigev_signo >= 1 && event->sigev_signo <= SIGRTMAX;
	case SIGEV_THREAD_ID:
		return event->sigev_signo >= 1 && event->sigev_signo <= SIGRTMAX &&
		       hd_rt_thread_by_tid(event->_sigev_un._tid);
	default:
		return false;
	}
}

/* The kernel knows best which clocks may be used: 0 or an errno. */
static int ask_about_clock(clockid_t clock)
{
	struct sigevent none = { .sigev_notify = SIGEV_NONE };
	timer_t id;

	if (HD_REAL(timer_create)(clock, &none, &id) < 0)
		return errno;
	HD_REAL(timer_delete)(id);
	return 0;
}

/* An unused number, the lowest: as the kernel gives them where nobody was deleted. */
static struct posix_timer *new_timer(void)
{
	uint32_t arming;
	unsigned i;

	for (i = 0; i < ntimers && timers[i]->exists; i++)
		;
	if (i == ntimers) {
		timers = hd_rt_grow(timers, ntimers * sizeof(*timers),
				    (ntimers + 1) * sizeof(*timers));
		timers[ntimers++] = hd_rt_alloc(sizeof(**timers));
	}
	arming = timers[i]->arming;
	hd_rt_fill(timers[i], 0, sizeof(**timers));
	timers[i]->id = i;
	timers[i]->exists = true;
	timers[i]->arming = arming;
	return timers[i];
}

HD_EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict id)
{
	struct posix_timer *t;
	int err;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(timer_create)(clock, event, id);
	hd_rt_point();
	err = event && !is_valid(event) ? EINVAL : ask_about_clock(clock);
	if (err)
		return hd_rt_fail(err);
	t = new_timer();
	t->clock = clock;
	t->timer = (struct hd_timer){ .due = HD_NEVER, .expired = send_signal };
	if (event)
		t->event = *event;
	else
		t->event = (struct sigevent){ .sigev_notify = SIGEV_SIGNAL,
					      .sigev_signo = SIGALRM,
					      .sigev_value.sival_int = (int)t->id };
	if (t->event.sigev_notify == SIGEV_THREAD_ID)
		t->thread = hd_rt_thread_by_tid(event->_sigev_un._tid)->id;
	if (t->event.sigev_notify == SIGEV_THREAD && event->sigev_notify_attributes) {
		t->attr = *event->sigev_notify_attributes;
		t->has_attr = true;
	}
	*id = (timer_t)(uintptr_t)t->id;
	return 0;
}

/* Where time orders nothing, how much of it is left is anybody's guess. */
static void show(const struct posix_timer *t, struct itimerspec *out)
{
	if (t->timer.due != HD_NEVER)
		hd_rt_explore_uses(HD_X_USES_TIMERS);
	hd_rt_timer_show(&t->timer, out);
}

HD_EXPORT int timer_settime(timer_t id, int flags, const struct itimerspec *restrict new,
			    struct itimerspec *restrict old)
{
	struct posix_timer *t;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(timer_settime)(id, flags, new, old);
	hd_rt_point();
	t = find(id);
	if (!t || !hd_rt_timer_valid(new))
		return hd_rt_fail(EINVAL);
	if (old)
		show(t, old);
	hd_rt_progress();
	if (t->event.sigev_notify == SIGEV_THREAD)
		arm_thread(t, hd_rt_timer_when(t->clock, flags & TIMER_ABSTIME, &new->it_value),
			   hd_rt_timespec_ns(&new->it_interval));
	else
		arm_signal(t, flags & TIMER_ABSTIME, new);
	return 0;
}

HD_EXPORT int timer_gettime(timer_t id, struct itimerspec *out)
{
	struct posix_timer *t;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(timer_gettime)(id, out);
	hd_rt_point();
	t = find(id);
	if (!t)
		return hd_rt_fail(EINVAL);
	show(t, out);
	return 0;
}

HD_EXPORT int timer_getoverrun(timer_t id)
{
	struct posix_timer *t;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(timer_getoverrun)(id);
	t = find(id);
	return t ? t->overrun : hd_rt_fail(EINVAL);
}

HD_EXPORT int timer_delete(timer_t id)
{
	struct posix_timer *t;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(timer_delete)(id);
	hd_rt_point();
	t = find(id);
	if (!t)
		return hd_rt_fail(EINVAL);
	hd_rt_progress();
	if (t->event.sigev_notify == SIGEV_THREAD)
		arm_thread(t, HD_NEVER, 0);
	else
		hd_rt_timer_arm(&t->timer, HD_NEVER, 0);
	t->exists = false;
	return 0;
}

void hd_rt_posix_timers_after_fork_child(void)
{
	for (unsigned i = 0; i < ntimers; i++) {
		hd_rt_timer_arm(&timers[i]->timer, HD_NEVER, 0);
		timers[i]->exists = false;
	}
}
