/*
 * Locks that wait in a loop for a while, and then let the system wait for them.
 */
#include "handmade.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>

#define ROUNDS 2

/* ---- futexes: Drepper's third mutex; 0 free, 1 taken, 2 somebody waits ------- */

static atomic_int words[2];

static void futex_lock(int which, int thread)
{
	int seen;

	(void)thread;
	for (int i = 0; i < ROUNDS; i++) {
		seen = 0;
		if (atomic_compare_exchange_strong(&words[which], &seen, 1))
			return;
		WAIT();
	}
	while (atomic_exchange(&words[which], 2))
		syscall(SYS_futex, &words[which], FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void futex_unlock(int which, int thread)
{
	(void)thread;
	if (atomic_exchange(&words[which], 0) == 2)
		syscall(SYS_futex, &words[which], FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* ---- a condition variable behind a flag -------------------------------------- */

static struct {
	atomic_bool taken;
	pthread_mutex_t mutex;
	pthread_cond_t freed;
} guards[2] = { { .mutex = PTHREAD_MUTEX_INITIALIZER, .freed = PTHREAD_COND_INITIALIZER },
		{ .mutex = PTHREAD_MUTEX_INITIALIZER, .freed = PTHREAD_COND_INITIALIZER } };

static void guard_lock(int which, int thread)
{
	(void)thread;
	for (int i = 0; i < ROUNDS; i++) {
		if (!atomic_exchange(&guards[which].taken, true))
			return;
		WAIT();
	}
	pthread_mutex_lock(&guards[which].mutex);
	while (atomic_exchange(&guards[which].taken, true))
		pthread_cond_wait(&guards[which].freed, &guards[which].mutex);
	pthread_mutex_unlock(&guards[which].mutex);
}

static void guard_unlock(int which, int thread)
{
	(void)thread;
	pthread_mutex_lock(&guards[which].mutex);
	atomic_store(&guards[which].taken, false);
	pthread_cond_signal(&guards[which].freed);
	pthread_mutex_unlock(&guards[which].mutex);
}

const struct lock_kind mutexes[] = {
	{ "spin-then-futex", futex_lock, futex_unlock, 0 },
	{ "spin-then-condition", guard_lock, guard_unlock, 0 },
	{ 0 },
};
