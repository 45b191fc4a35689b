/*
 * Timers of several kinds at once, in virtual time: each comes when it should, however long that is.
 *
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --early no --seed 1..10
 * EXPECT: clean
 */
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#include "../program.h"

static int64_t began;
static volatile sig_atomic_t alarms, ticks, overruns;

static int seconds(void)
{
	return (int)((now_ns(CLOCK_MONOTONIC) - began) / NS_PER_S);
}

/* Of a sleep that was cut short so much was left, but for what the calls before it took. */
static int is_about(unsigned left, unsigned expected)
{
	return left == expected || left == expected + 1;
}

static void on_alarm(int sig)
{
	alarms++;
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
	ticks++;
	overruns += info->si_overrun;
}

int main(void)
{
	struct sigaction act = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec each = {.it_value = {.tv_sec = 100}, .it_interval = {.tv_sec = 100}};
	struct itimerspec odd = {.it_value = {.tv_sec = 150}, .it_interval = {.tv_sec = 1000}};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	sigset_t set;
	timer_t timer;
	uint64_t n;

	signal(SIGALRM, on_alarm);
	sigaction(SIGUSR1, &act, NULL);
	began = now_ns(CLOCK_MONOTONIC);
	alarm(250);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &each, NULL);
	timerfd_settime(fd, 0, &odd, NULL);
	assert(is_about(sleep(1000), 900) && ticks == 1 && seconds() == 100);
	assert(read(fd, &n, sizeof(n)) == 8 && n == 1 && seconds() == 150);
	assert(read(fd, &n, sizeof(n)) == -1 && errno == EINTR && ticks == 2 && seconds() == 200);
	assert(is_about(sleep(1000), 950) && alarms == 1 && ticks == 2);
	/* While the signal is held back, what it misses is counted. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	assert(sleep(300) == 0 && ticks == 2 && seconds() == 550);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	assert(ticks == 3 && overruns == 2 && timer_getoverrun(timer) == 2);
	timer_delete(timer);
	assert(read(fd, &n, sizeof(n)) == 8 && n == 1 && seconds() == 1150);
	assert(sleep(3500) == 0);
	assert(read(fd, &n, sizeof(n)) == 8 && n == 3 && seconds() == 4650);
	return 0;
}
