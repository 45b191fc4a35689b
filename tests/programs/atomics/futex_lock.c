/*
 * A lock made of a word and the futex system call (0 free, 1 taken, 2 awaited).
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 500 --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"
#include <linux/futex.h>
#include <sys/syscall.h>

static int word, total;

static long futex(int *addr, int op, int value, const struct timespec *timeout)
{
	return syscall(SYS_futex, addr, op, value, timeout, NULL, 0);
}

static void lock(void)
{
	int seen = 0;

	if (__atomic_compare_exchange_n(&word, &seen, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	if (seen != 2)
		seen = __atomic_exchange_n(&word, 2, __ATOMIC_ACQUIRE);
	while (seen != 0) {
		futex(&word, FUTEX_WAIT_PRIVATE, 2, NULL);
		seen = __atomic_exchange_n(&word, 2, __ATOMIC_ACQUIRE);
	}
}

static void unlock(void)
{
	if (__atomic_exchange_n(&word, 0, __ATOMIC_RELEASE) == 2)
		futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL);
}

static void *add(void *arg)
{
	for (int i = 0; i < 10; i++) {
		int before;

		lock();
		before = total;
		sched_yield();
		total = before + 1;
		unlock();
	}
	return NULL;
}

int main(void)
{
	struct timespec hour = { .tv_sec = 3600 };
	int64_t before = now_ns(CLOCK_MONOTONIC);
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		t[i] = start(add, NULL);
	for (int i = 0; i < 3; i++)
		finish(t[i]);
	assert(total == 30 && word == 0);
	assert(futex(&word, FUTEX_WAIT_PRIVATE, 1, NULL) == -1 && errno == EAGAIN);
	assert(futex(&word, FUTEX_WAIT_PRIVATE, 0, &hour) == -1 && errno == ETIMEDOUT);
	assert(now_ns(CLOCK_MONOTONIC) - before >= 3600 * NS_PER_S);
	assert(futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL) == 0);
	return 0;
}
