/*
 * A program that does what its input says: what exploring is compared on (agree.c).
 *
 *   script RESULT < PROGRAM
 *
 * The input has a line for each thread, main first; main makes the others, does its own line and
 * joins them. An operation is a letter and the number of an object:
 *
 *   r load an atomic       w store          a add           c compare with 0 and swap
 *   i load; if it is odd, skip the next operation
 *   l lock a mutex         u unlock it      t try to lock; in vain: skip the next operation
 *   g read what the mutex guards            h write it
 *   R lock for reading     W for writing    U unlock        T try to lock for writing
 *   p post a semaphore     d wait for one   D try to
 *   v wait on the condition of a mutex      s signal        b broadcast
 *   B a barrier for two    o once           y yield         e end the thread
 *   j main: join a thread now
 *
 * What has become of it stands in the file RESULT (struct result) at any time, so also when the
 * program ends in a deadlock. Only the operations themselves are seen by heddle: what is
 * around them is not instrumented.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "script.h"

#define UNSEEN __attribute__((no_sanitize("thread"), noinline))
#define SEEN   __attribute__((noinline))

static atomic_int atomics[OBJECTS];
static int guarded[OBJECTS];
static pthread_mutex_t mutexes[OBJECTS] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t conditions[OBJECTS] = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };
static pthread_rwlock_t rwlocks[OBJECTS] = { PTHREAD_RWLOCK_INITIALIZER,
					     PTHREAD_RWLOCK_INITIALIZER };
static pthread_once_t onces[OBJECTS] = { PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT };
static sem_t semaphores[OBJECTS];
static pthread_barrier_t barriers[OBJECTS];

static char text[1024];
static const char *lines[THREADS];
static pthread_t threads[THREADS];
static char joined[THREADS];
static struct result now;
static const char *shown; /* the file */
/* Locks that a thread has by a try that may have failed: a bit for each. */
static unsigned mutex_held[THREADS], rwlock_held[THREADS];

/* As strchr(3), which heddle would see. */
static UNSEEN char *among(const char *s, int c)
{
	for (; *s; s++) {
		if (*s == c)
			return (char *)s;
	}
	return NULL;
}

/*
 * The state is whole each time, whoever made copies of the process in between; and there is no
 * descriptor or mapping that would keep heddle from doing so. System calls, since heddle sees
 * the functions.
 */
static UNSEEN void show(void)
{
	long fd = syscall(SYS_open, shown, O_WRONLY);

	syscall(SYS_pwrite64, fd, &now, sizeof(now), 0L);
	syscall(SYS_close, fd);
}

static SEEN int load(int x)
{
	return atomic_load(&atomics[x]);
}

static SEEN void store(int x, int v)
{
	atomic_store(&atomics[x], v);
}

static SEEN int add(int x, int v)
{
	return atomic_fetch_add(&atomics[x], v);
}

static SEEN int swap(int x, int v)
{
	int zero = 0;

	return atomic_compare_exchange_strong(&atomics[x], &zero, v) ? 1 : 2;
}

static SEEN int read_guarded(int x)
{
	return *(volatile int *)&guarded[x];
}

static SEEN void write_guarded(int x, int v)
{
	*(volatile int *)&guarded[x] = v;
}

/*
 * What a thread knows is part of the state while it lives. What becomes of it afterwards must be seen,
 * or states that differ only in this would be the same to heddle, and rightly so.
 */
int sums[THREADS];

static SEEN void leave(int t, int v)
{
	sums[t] = v;
}

/* Nobody looks who of the two is told that it was the last: that is the library's choice, not the schedule's. */
static SEEN int meet(int x)
{
	pthread_barrier_wait(&barriers[x]);
	return 0;
}

/* The result of a once must not depend on who does it. */
static SEEN void once0(void)
{
	atomic_fetch_add(&atomics[0], 1);
}

static SEEN void once1(void)
{
	atomic_fetch_add(&atomics[1], 1);
}

static UNSEEN void told(int t, int v)
{
	now.sum[t] = (unsigned char)(now.sum[t] * 3 + v);
}

/* A small value, so that states meet again, which is other for each thread. */
static UNSEEN int value(int t)
{
	return (now.sum[t] * 2 + t + 1) & 7;
}

static UNSEEN int memory_step(int t, char op, int x)
{
	switch (op) {
	case 'r':
		told(t, load(x));
		break;
	case 'w':
		store(x, value(t));
		break;
	case 'a':
		told(t, add(x, t + 1));
		break;
	case 'c':
		told(t, swap(x, t + 1));
		break;
	case 'i':
		return load(x) & 1;
	case 'g':
		told(t, read_guarded(x));
		break;
	case 'h':
		write_guarded(x, value(t));
		now.guarded[x] = (unsigned char)value(t);
		break;
	default:
		break;
	}
	return 0;
}

static UNSEEN int lock_step(int t, char op, int x)
{
	int failed = 0;

	switch (op) {
	case 'l':
		pthread_mutex_lock(&mutexes[x]);
		mutex_held[t] |= 1u << x;
		break;
	case 't':
		failed = pthread_mutex_trylock(&mutexes[x]) != 0;
		mutex_held[t] |= failed ? 0 : 1u << x;
		break;
	case 'u':
		if (mutex_held[t] >> x & 1)
			pthread_mutex_unlock(&mutexes[x]);
		mutex_held[t] &= ~(1u << x);
		break;
	case 'R':
		pthread_rwlock_rdlock(&rwlocks[x]);
		rwlock_held[t] |= 1u << x;
		break;
	case 'W':
		pthread_rwlock_wrlock(&rwlocks[x]);
		rwlock_held[t] |= 1u << x;
		break;
	case 'T':
		failed = pthread_rwlock_trywrlock(&rwlocks[x]) != 0;
		rwlock_held[t] |= failed ? 0 : 1u << x;
		break;
	case 'U':
		if (rwlock_held[t] >> x & 1)
			pthread_rwlock_unlock(&rwlocks[x]);
		rwlock_held[t] &= ~(1u << x);
		break;
	default:
		break;
	}
	told(t, failed);
	return failed;
}

static UNSEEN void wait_step(int t, char op, int x)
{
	switch (op) {
	case 'p':
		sem_post(&semaphores[x]);
		break;
	case 'd':
		sem_wait(&semaphores[x]);
		break;
	case 'D':
		told(t, sem_trywait(&semaphores[x]) != 0);
		break;
	case 'v':
		if (mutex_held[t] >> x & 1)
			pthread_cond_wait(&conditions[x], &mutexes[x]);
		break;
	case 's':
		pthread_cond_signal(&conditions[x]);
		break;
	case 'b':
		pthread_cond_broadcast(&conditions[x]);
		break;
	case 'B':
		meet(x);
		break;
	case 'o':
		pthread_once(&onces[x], x ? once1 : once0);
		break;
	case 'j':
		if (t == 0 && lines[x] && x > 0 && !joined[x])
			pthread_join(threads[x], NULL);
		joined[x] = 1;
		break;
	case 'y':
		sched_yield();
		break;
	default:
		break;
	}
}

/* Is there nothing from @p on that others could tell? */
static UNSEEN unsigned char is_finished(int t, const char *p)
{
	for (; *p && *p != '\n' && *p != 'e'; p += 2) {
		unsigned held = *p == 'U' ? rwlock_held[t] : mutex_held[t];

		if (*p != 'y' && (held >> (p[1] - '0') & 1 || !among("uUv", *p)))
			return 0;
	}
	return 1;
}

static UNSEEN void *run(void *arg)
{
	int t = (int)(long)arg;
	const char *p = lines[t];

	for (; p && *p && *p != '\n' && *p != 'e'; p += 2) {
		int x = p[1] - '0', skip = 0;
		unsigned had = (*p == 'U' ? rwlock_held[t] : mutex_held[t]) >> x & 1;

		if (among("rwacigh", *p))
			skip = memory_step(t, *p, x);
		else if (among("ltuRWTU", *p))
			skip = lock_step(t, *p, x);
		else
			wait_step(t, *p, x);
		if (skip && p[2] && p[2] != '\n')
			p += 2;
		if (*p != 'y' && (had || !among("uUv", *p))) /* else others cannot tell */
			now.at[t] = (unsigned char)(p - lines[t] + 2);
		now.finished[t] = is_finished(t, p + 2);
		show();
	}
	leave(t, now.sum[t]);
	return NULL;
}

static UNSEEN int read_program(const char *result)
{
	int n = 0;
	char *p = text;

	shown = result;
	if (syscall(SYS_read, 0, text, sizeof(text) - 1) < 0)
		return 0;
	for (; p && *p && n < THREADS; p = among(p, '\n'), p = p ? p + 1 : NULL)
		lines[n++] = p;
	return n;
}

UNSEEN int main(int argc, char **argv)
{
	int n = argc == 2 ? read_program(argv[1]) : 0;

	if (n == 0)
		return 2;
	for (int i = 0; i < OBJECTS; i++) {
		sem_init(&semaphores[i], 0, 0);
		pthread_barrier_init(&barriers[i], NULL, 2);
	}
	for (int t = 0; t < n; t++)
		now.finished[t] = is_finished(t, lines[t]);
	show();
	for (long t = 1; t < n; t++)
		pthread_create(&threads[t], NULL, run, (void *)t);
	run((void *)0L);
	for (int t = 1; t < n; t++) {
		if (!joined[t])
			pthread_join(threads[t], NULL);
	}
	for (int i = 0; i < OBJECTS; i++)
		now.atomics[i] = (unsigned char)atomics[i];
	show();
	return 0;
}
