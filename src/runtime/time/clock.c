/*
 * Virtual time: what clocks show, and sleeping.
 *
 * The clock moves with what threads do (pace.c); the scheduler moves it to the next deadline when
 * nobody can run; and every look at it moves it by a microsecond, so that a loop that waits for time
 * to pass ends. Where time orders nothing (any_time: explorations) only the last goes on by itself, and
 * a sleep ends when that is decided. The time of day is the start time plus that.
 */
#include <unistd.h>

#include "timespec.h"

#include "runtime/libc/libc_calls.h"
#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"

#define MONOTONIC_BASE (1000 * HD_NS) /* what CLOCK_MONOTONIC shows at the start */

static uint64_t start_of_day; /* seconds since 1970 at virtual time 0; 0: nobody has looked */

static uint64_t start_time(void)
{
	struct timespec real;

	if (start_of_day)
		return start_of_day;
	if (hd_rt.opt.start_time) {
		start_of_day = hd_rt.opt.start_time;
	} else {
		hd_sys(SYS_clock_gettime, CLOCK_REALTIME, &real);
		start_of_day = (uint64_t)real.tv_sec;
		hd_rt_outside("time of day");
	}
	hd_rt_note_start_time(start_of_day);
	return start_of_day;
}

static bool is_real_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
	       clock == CLOCK_REALTIME_ALARM;
}

static bool is_cpu_clock(clockid_t clock)
{
	return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock < 0;
}

static bool is_known_clock(clockid_t clock)
{
	return clock <= CLOCK_TAI && clock != 10; /* 10 was CLOCK_SGI_CYCLE */
}

/* What @clock shows at virtual time 0. */
static uint64_t clock_base(clockid_t clock)
{
	if (is_real_clock(clock))
		return start_time() * HD_NS;
	return is_cpu_clock(clock) ? 0 : MONOTONIC_BASE;
}

uint64_t hd_rt_clock_shows(clockid_t clock)
{
	return clock_base(clock) + hd_rt.now;
}

uint64_t hd_rt_deadline_rel(const struct timespec *ts)
{
	return hd_rt_time_add(hd_rt.now, hd_rt_timespec_ns(ts));
}

uint64_t hd_rt_deadline_abs(clockid_t clock, const struct timespec *ts)
{
	uint64_t base = clock_base(clock), ns = hd_rt_timespec_ns(ts);

	hd_rt_keeps_time(ts);
	return ns > base ? ns - base : 0;
}

/* ---- looking ----------------------------------------------------------- */

/*
 * Where time orders nothing, a loop that looks at the clock until it is late enough is a wait like
 * any other, and not to have a schedule for every microsecond: each look takes longer.
 */
static void look_any_time(void)
{
	uint32_t looks = hd_rt.cur->spin.looks++;

	hd_rt.now += HD_LOOK_NS << (looks < 20 ? looks : 20);
	if (unlikely(hd_rt.now >= hd_rt.timer_due))
		hd_rt_timer_fire();
}

static uint64_t look(clockid_t clock)
{
	uint64_t shown = hd_rt_clock_shows(clock);

	hd_rt.clock_seen = hd_rt.cur->spin.timed = true;
	hd_rt.cur->explore.deeds++; /* the same state may go on otherwise later */
	if (unlikely(hd_rt.opt.any_time)) {
		look_any_time();
	} else {
		hd_rt.cur->spin.progress = UINT64_MAX; /* the next round may be another */
		hd_rt.cur->time.look_step = hd_rt.steps;
		hd_rt_pass_look();
	}
	return shown;
}

HD_EXPORT int clock_gettime(clockid_t clock, struct timespec *ts)
{
	if (!hd_rt_enter(HD_CALLER) || !is_known_clock(clock))
		return HD_REAL(clock_gettime)(clock, ts);
	hd_rt_timespec_set(ts, look(clock));
	hd_rt_keeps_time(ts);
	return 0;
}

HD_EXPORT int timespec_get(struct timespec *ts, int base)
{
	if (!hd_rt_enter(HD_CALLER) || base != TIME_UTC)
		return HD_REAL(timespec_get)(ts, base);
	hd_rt_timespec_set(ts, look(CLOCK_REALTIME));
	hd_rt_keeps_time(ts);
	return base;
}

HD_EXPORT int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
	if (!hd_rt_enter(HD_CALLER) || tz)
		return HD_REAL(gettimeofday)(tv, tz);
	hd_rt_timeval_set(tv, look(CLOCK_REALTIME));
	hd_rt_keeps_time(tv);
	return 0;
}

HD_EXPORT time_t time(time_t *out)
{
	time_t now;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(time)(out);
	now = (time_t)(look(CLOCK_REALTIME) / HD_NS);
	if (out)
		*out = now;
	return now;
}

HD_EXPORT clock_t clock(void)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(clock)();
	return (clock_t)(look(CLOCK_PROCESS_CPUTIME_ID) / (HD_NS / CLOCKS_PER_SEC));
}

/* ---- sleeping ---------------------------------------------------------- */

/* Sleep until virtual time @deadline: 0 or EINTR. */
static int sleep_until(uint64_t deadline)
{
	enum hd_wake wake;

	hd_rt_testcancel();
	if (deadline <= hd_rt.now) {
		hd_rt_yield();
		return 0;
	}
	hd_rt_event(HD_OP_SLEEP, 0, deadline - hd_rt.now, 0);
	do
		wake = hd_rt_block_cancellable(HD_TS_SLEEP, 0, deadline, true);
	while (wake == HD_WOKEN && hd_rt.now < deadline);
	if (wake == HD_CANCELLED)
		hd_rt_testcancel();
	return wake == HD_INTERRUPTED ? EINTR : 0;
}

static uint64_t time_left(uint64_t deadline)
{
	return deadline > hd_rt.now ? deadline - hd_rt.now : 0;
}

static int sleep_for(const struct timespec *ts, struct timespec *rem)
{
	uint64_t deadline = hd_rt_deadline_rel(ts);
	int err = sleep_until(deadline);

	if (err && rem)
		hd_rt_timespec_set(rem, time_left(deadline));
	return err;
}

HD_EXPORT int nanosleep(const struct timespec *ts, struct timespec *rem)
{
	int err;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(nanosleep)(ts, rem);
	if (!hd_rt_timespec_valid(ts))
		return hd_rt_fail(EINVAL);
	err = sleep_for(ts, rem);
	return err ? hd_rt_fail(err) : 0;
}

HD_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *ts,
			      struct timespec *rem)
{
	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(clock_nanosleep)(clock, flags, ts, rem);
	if (!is_known_clock(clock) || clock == CLOCK_THREAD_CPUTIME_ID || !hd_rt_timespec_valid(ts))
		return EINVAL;
	if (flags & TIMER_ABSTIME)
		return sleep_until(hd_rt_deadline_abs(clock, ts));
	return sleep_for(ts, rem);
}

HD_EXPORT unsigned int sleep(unsigned int seconds)
{
	struct timespec ts = { .tv_sec = seconds };
	uint64_t deadline;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(sleep)(seconds);
	deadline = hd_rt_deadline_rel(&ts);
	if (!sleep_until(deadline))
		return 0;
	return (unsigned int)((time_left(deadline) + HD_NS - 1) / HD_NS);
}

HD_EXPORT int usleep(useconds_t us)
{
	struct timespec ts = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };
	int err;

	if (!hd_rt_enter(HD_CALLER))
		return HD_REAL(usleep)(us);
	err = sleep_for(&ts, NULL);
	return err ? hd_rt_fail(err) : 0;
}
