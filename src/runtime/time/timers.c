/*
 * Timers in virtual time, and the one that alarm() and setitimer() share.
 *
 * Armed timers are in a list, the first due first; hd_rt.timer_due is when. Whoever moves the clock
 * past it calls hd_rt_timer_fire() (pace.c, sched.c), so an expiry comes at the same place in a
 * replay. Where time orders nothing (any_time) a timer expires when nobody can run, or when somebody
 * who waits for its descriptor is chosen. That is not every moment, so an explorer that has seen one
 * armed proves nothing.
 */
#include "timers.h"

#include <unistd.h>

#include "runtime/explore/explore.h"
#include "runtime/libc/libc_calls.h"
#include "runtime/memory/arena.h"
#include "runtime/process/signal_nudges.h"
#include "runtime/real.h"
#include "timespec.h"

static struct hd_timer *armed;

/* ---- the list ------------------------------------------------------------ */

static void list_changed(void)
{
	hd_rt.timer_due = armed ? armed->due : HD_NEVER;
	hd_rt.sleepers_changed = true;
}

static void insert(struct hd_timer *t)
{
	struct hd_timer **p = &armed;

	while (*p && (*p)->due <= t->due)
		p = &(*p)->next;
	t->next = *p;
	*p = t;
}

static void take_out(struct hd_timer *t)
{
	for (struct hd_timer **p = &armed; *p; p = &(*p)->next) {
		if (*p == t) {
			*p = t->next;
			return;
		}
	}
}

void hd_rt_timer_arm(struct hd_timer *t, uint64_t due, uint64_t interval)
{
	take_out(t);
	t->due = due;
	t->interval = interval;
	t->began = hd_rt.now;
	if (due != HD_NEVER) {
		insert(t);
		hd_rt_explore_uses(HD_X_USES_TIMERS);
	}
	list_changed();
}

uint64_t hd_rt_timer_expire(struct hd_timer *t)
{
	uint64_t n = t->interval ? (hd_rt.now - t->due) / t->interval + 1 : 1;

	t->due = t->interval ? t->due + n * t->interval : HD_NEVER;
	return n;
}

uint64_t hd_rt_timer_left(const struct hd_timer *t)
{
	if (t->due == HD_NEVER)
		return 0;
	return t->due > hd_rt.now ? t->due - hd_rt.now : 1;
}

void hd_rt_timer_fire(void)
{
	while (armed && armed->due <= hd_rt.now) {
		struct hd_timer *t = armed;
		uint64_t n;

		take_out(t);
		n = hd_rt_timer_expire(t);
		if (t->due != HD_NEVER)
			insert(t);
		list_changed();
		hd_rt_progress();
		t->expired(t, n);
	}
}

int64_t hd_rt_timer_from(void)
{
	int64_t from = INT64_MAX;

	for (const struct hd_timer *t = armed; t; t = t->next) {
		if ((int64_t)t->began < from)
			from = (int64_t)t->began;
	}
	return from;
}

/* ---- as programs say it -------------------------------------------------- */

bool hd_rt_timer_valid(const struct itimerspec *spec)
{
	return hd_rt_timespec_valid(&spec->it_value) && hd_rt_timespec_valid(&spec->it_interval);
}

uint64_t hd_rt_timer_when(clockid_t clock, bool absolute, const struct timespec *value)
{
	if (!value->tv_sec && !value->tv_nsec)
		return HD_NEVER;
	return absolute ? hd_rt_deadline_abs(clock, value) : hd_rt_deadline_rel(value);
}

void hd_rt_timer_set(struct hd_timer *t, clockid_t clock, bool absolute,
		     const struct itimerspec *spec)
{
	uint64_t due = hd_rt_timer_when(clock, absolute, &spec->it_value);
	uint64_t interval = hd_rt_timespec_ns(&spec->it_interval), late, n = 1;

	if (due == HD_NEVER || due > hd_rt.now) {
		hd_rt_timer_arm(t, due, interval);
		return;
	}
	hd_rt_explore_uses(HD_X_USES_TIMERS); /* at another time it might not be late */
	/* It may have been due long before there was this program. */
	late = hd_rt_clock_shows(clock) - hd_rt_timespec_ns(&spec->it_value);
	if (interval)
		n += late / interval;
	hd_rt_timer_arm(t, interval ? hd_rt.now + interval - late % interval : HD_NEVER, interval);
	t->expired(t, n);
}

void hd_rt_timer_show(const struct hd_timer *t, struct itimerspec *out)
{
	hd_rt_timespec_set(&out->it_value, hd_rt_timer_left(t));
	hd_rt_timespec_set(&out->it_interval, t->interval);
}

/* ---- alarm and setitimer ------------------------------------------------- */

static void ring(struct hd_timer *t, uint64_t n)
{
	siginfo_t info;

	hd_rt_fill(&info, 0, sizeof(info));
	info.si_signo = SIGALRM;
	info.si_code = SI_KERNEL;
	/* However late, it counts once: SIGALRM does not queue. */
	hd_rt_signal_raise(NULL, &info);
}

static struct hd_timer real_timer = { .due = HD_NEVER, .expired = ring };

/* Arm the timer @ns from now (0: disarm); what was left before. */
static uint64_t arm(uint64_t ns, uint64_t interval)
{
	uint64_t left = hd_rt_timer_left(&real_timer);

	hd_rt_changes_unseen();
	if (ns)
		hd_rt_signal_release(SIGALRM);
	hd_rt_timer_arm(&real_timer, ns ? hd_rt_time_add(hd_rt.now, ns) : HD_NEVER, interval);
	if (ns)
		hd_rt_nudge_timer();
	return left;
}

HD_EXPORT unsigned int alarm(unsigned int seconds)
{
	uint64_t left;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(alarm)(seconds);
	left = arm(seconds * HD_NS, 0);
	return (unsigned int)((left + HD_NS - 1) / HD_NS);
}

HD_EXPORT useconds_t ualarm(useconds_t us, useconds_t interval)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(ualarm)(us, interval);
	return (useconds_t)((arm(us * 1000ull, interval * 1000ull) + 999) / 1000);
}

static void show_itimer(struct itimerval *out, uint64_t left, uint64_t interval)
{
	hd_rt_timeval_set(&out->it_value, left ? left + 999 : 0);
	hd_rt_timeval_set(&out->it_interval, interval);
}

HD_EXPORT int getitimer(__itimer_which_t which, struct itimerval *old)
{
	if (!hd_rt_enter(HD_CALLER) || which != ITIMER_REAL)
		return HD_REAL(getitimer)(which, old);
	show_itimer(old, hd_rt_timer_left(&real_timer), real_timer.interval);
	return 0;
}

HD_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict new,
			struct itimerval *restrict old)
{
	uint64_t interval = real_timer.interval, left;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(setitimer)(which, new, old);
	hd_rt_changes_unseen();
	if (which != ITIMER_REAL) {
		hd_rt_drop("processor-time timer: its signals come at real times");
		return HD_REAL(setitimer)(which, new, old);
	}
	if (!hd_rt_timeval_valid(&new->it_value) || !hd_rt_timeval_valid(&new->it_interval))
		return hd_rt_fail(EINVAL);
	left = arm(hd_rt_timeval_ns(&new->it_value), hd_rt_timeval_ns(&new->it_interval));
	if (old)
		show_itimer(old, left, interval);
	return 0;
}

void hd_rt_timers_after_fork_child(void)
{
	hd_rt_timer_arm(&real_timer, HD_NEVER, 0);
	hd_rt_posix_timers_after_fork_child();
}
