/*
 * What the calls of a POSIX timer return, and what its signals carry. Natively it is the same.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"
#include <signal.h>

static pthread_t main_thread;
static volatile sig_atomic_t rings, value, overrun;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	assert(info->si_code == SI_TIMER && pthread_equal(pthread_self(), main_thread));
	value = info->si_value.sival_int;
	overrun = info->si_overrun;
	rings++;
}

static struct itimerspec after(int64_t ns, int64_t interval)
{
	return (struct itimerspec){.it_value = at_ns(ns), .it_interval = at_ns(interval)};
}

static void wrong_calls(void)
{
	struct sigevent event = {.sigev_notify = 77};
	struct itimerspec bad = after(1, 0);
	timer_t timer;

	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == -1 && errno == EINVAL);
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = 1000;
	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == -1 && errno == EINVAL);
	event.sigev_signo = SIGUSR1;
	assert(timer_create(12345, &event, &timer) == -1 && errno == EINVAL);
	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	bad.it_interval.tv_nsec = -1;
	assert(timer_settime(timer, 0, &bad, NULL) == -1 && errno == EINVAL);
	assert(timer_getoverrun(timer) == 0);
	assert(timer_delete(timer) == 0 && timer_delete(timer) == -1 && errno == EINVAL);
	assert(timer_gettime(timer, &bad) == -1 && errno == EINVAL);
}

static void handlers(void)
{
	struct sigaction act = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN,
				 .sigev_value.sival_int = 42};
	struct itimerspec soon = after(1000000, 0), left;
	sigset_t none;
	timer_t timer;

	sigemptyset(&none);
	sigaction(SIGRTMIN, &act, NULL);
	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	assert(timer_settime(timer, 0, &soon, &left) == 0 && !left.it_value.tv_nsec);
	while (!rings)
		assert(sigsuspend(&none) == -1 && errno == EINTR);
	assert(rings == 1 && value == 42 && overrun == 0);
	assert(timer_gettime(timer, &left) == 0 && !left.it_value.tv_sec && !left.it_value.tv_nsec);
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_value.sival_int = 43;
	event._sigev_un._tid = gettid();
	timer_delete(timer);
	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	assert(timer_settime(timer, 0, &soon, NULL) == 0);
	while (rings == 1)
		assert(sigsuspend(&none) == -1 && errno == EINTR);
	assert(value == 43);
	timer_delete(timer);
}

/* A signal that waits counts what it has missed. */
static void overruns(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
	struct itimerspec past = {.it_value = at_ns(now_ns(CLOCK_REALTIME) - 250 * NS_PER_S),
				  .it_interval = at_ns(100 * NS_PER_S)};
	siginfo_t info;
	timer_t timer;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
	assert(timer_settime(timer, TIMER_ABSTIME, &past, NULL) == 0);
	assert(sigwaitinfo(&set, &info) == SIGUSR2 && info.si_code == SI_TIMER);
	assert(info.si_overrun == 2 && timer_getoverrun(timer) == 2);
	assert(timer_delete(timer) == 0);
}

static void silent(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	struct itimerspec far = after(100 * NS_PER_S, 0), left;
	timer_t timer;

	assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	assert(timer_settime(timer, 0, &far, NULL) == 0);
	assert(timer_gettime(timer, &left) == 0 && left.it_value.tv_sec == 99);
	assert(timer_delete(timer) == 0);
}

static void *other(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_mutex_lock(arg);
	pthread_mutex_unlock(arg);
	return NULL;
}

int main(void)
{
	pthread_mutex_t wait = PTHREAD_MUTEX_INITIALIZER;
	sigset_t set;
	pthread_t t;

	main_thread = pthread_self();
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_mutex_lock(&wait);
	t = start(other, &wait);
	wrong_calls();
	handlers();
	pthread_mutex_unlock(&wait);
	finish(t);
	overruns();
	silent();
	return 0;
}
