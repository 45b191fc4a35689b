/*
 * timer_thread_race without its error: who counts and who looks have a lock. The timer comes again and
 * again; what main did before it set it, each call knows.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 1000 --seed 1..10
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..10
 * EXPECT: clean
 */
#include <signal.h>

#include "../program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count, step;

static void on_timer(union sigval value)
{
	sigset_t blocked;

	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	assert(sigismember(&blocked, SIGTERM));
	pthread_mutex_lock(&lock);
	count += *(int *)value.sival_ptr;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer,
				 .sigev_value.sival_ptr = &step};
	struct itimerspec spec = {.it_value = at_ns(NS_PER_S), .it_interval = at_ns(NS_PER_S / 2)};
	struct itimerspec none = {.it_value = at_ns(0)}, left;
	timer_t timer, other;

	assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
	assert(timer_create(CLOCK_REALTIME, &event, &other) == 0 && other != timer);
	step = 3;
	assert(timer_settime(other, 0, &spec, NULL) == 0);
	assert(timer_delete(other) == 0);
	assert(timer_settime(timer, 0, &spec, NULL) == 0);
	assert(timer_gettime(timer, &left) == 0);
	assert(left.it_value.tv_nsec > 0 && left.it_interval.tv_nsec == NS_PER_S / 2);
	pthread_mutex_lock(&lock);
	while (count < 9)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	assert(timer_settime(timer, 0, &none, &left) == 0);
	assert(left.it_interval.tv_nsec == NS_PER_S / 2);
	assert(timer_gettime(timer, &left) == 0 && !left.it_value.tv_sec && !left.it_value.tv_nsec);
	assert(timer_delete(timer) == 0);
	assert(timer_delete(timer) == -1 && errno == EINVAL);
	return 0;
}
