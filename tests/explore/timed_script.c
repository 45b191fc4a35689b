/*
 * A program with time in it that does what its input says (timed_script.h): what exploring is
 * compared with a model on.
 *
 *   timed_script RESULT < PROGRAM
 *
 * What has become of it stands in the file RESULT (struct result) at any time. Only the operations
 * themselves are seen by heddle: what is around them is not instrumented.
 */
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "timed_script.h"

#define UNSEEN __attribute__((no_sanitize("thread"), noinline))
#define SEEN   __attribute__((noinline))

static atomic_int atomics[OBJECTS];
static int guarded[OBJECTS];
static pthread_mutex_t mutexes[OBJECTS] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_cond_t conditions[OBJECTS] = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };
static sem_t semaphores[OBJECTS];

static char text[THREADS * LINE];
static const char *lines[THREADS];
static pthread_t threads[THREADS];
static char left_alone[THREADS];			/* 1: joined, 2: detached */
static unsigned char held[THREADS], spin_held[THREADS]; /* a bit for each mutex, and atomic */
static struct result now;
static const char *shown; /* the file */

/* ---- what the program tells ------------------------------------------------------------ */

/* As strchr(3), which heddle would see. */
static UNSEEN int among(const char *s, int c)
{
	for (; *s; s++) {
		if (*s == c)
			return 1;
	}
	return 0;
}

/* Whole each time, and without a descriptor that stays open. */
static UNSEEN void show(void)
{
	long fd = syscall(SYS_open, shown, O_WRONLY);

	for (int i = 0; i < OBJECTS; i++) {
		now.atomics[i] = (unsigned char)atomics[i];
		now.guarded[i] = (unsigned char)guarded[i];
	}
	syscall(SYS_pwrite64, fd, &now, sizeof(now), 0L);
	syscall(SYS_close, fd);
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

/*
 * What a thread knows is part of the state while it lives. What becomes of it afterwards must be
 * seen, or states that differ only in this would be the same to heddle, and rightly so.
 */
int left[THREADS];

static SEEN void leave(int t, int v)
{
	left[t] = v;
}

/* ---- operations ------------------------------------------------------------------------ */

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

static SEEN void add_only(int x, int v)
{
	atomic_fetch_add(&atomics[x], v);
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

/* Object 0: in 10 ms. Object 1: the first of January 2100. */
static SEEN struct timespec deadline(int x)
{
	struct timespec t = { .tv_sec = 4102444800 };

	if (x == 0) {
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 10000000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_sec++;
			t.tv_nsec -= 1000000000;
		}
	}
	return t;
}

static SEEN int lock_until(int x)
{
	struct timespec t = deadline(x);

	return pthread_mutex_timedlock(&mutexes[x], &t);
}

static SEEN int semaphore_until(int x)
{
	struct timespec t = deadline(x);

	return sem_timedwait(&semaphores[x], &t);
}

static SEEN int condition_until(int x)
{
	struct timespec t = deadline(x);

	return pthread_cond_timedwait(&conditions[x], &mutexes[x], &t);
}

static SEEN void nap(int how)
{
	struct timespec t = { .tv_nsec = 20000000 };

	if (how == 0)
		usleep(1000);
	else if (how == 1)
		nanosleep(&t, NULL);
	else if (how == 2)
		poll(NULL, 0, 10);
	else
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

/* ---- loops that wait ------------------------------------------------------------------- */

#define PAUSE(kind)                                                                                \
	do {                                                                                       \
		if ((kind) == 0)                                                                   \
			sched_yield();                                                             \
		else if ((kind) == 1)                                                              \
			__builtin_ia32_pause();                                                    \
		else if ((kind) == 3)                                                              \
			usleep(100);                                                               \
	} while (0)

static SEEN int spin(int x, int kind)
{
	int v;

	while ((v = atomic_load(&atomics[x])) == 0)
		PAUSE(kind);
	return v;
}

static SEEN int spin_twice(int x, int kind)
{
	int v = 0;

	for (int i = 0; i < 2 && (v = atomic_load(&atomics[x])) == 0; i++)
		PAUSE(kind);
	return v;
}

static SEEN void spin_lock(int x, int v, int kind)
{
	int zero = 0;

	while (!atomic_compare_exchange_strong(&atomics[x], &zero, v)) {
		zero = 0;
		PAUSE(kind);
	}
}

static SEEN void test_and_lock(int x, int v, int kind)
{
	int zero;

	do {
		while (atomic_load(&atomics[x]))
			PAUSE(kind);
		zero = 0;
	} while (!atomic_compare_exchange_strong(&atomics[x], &zero, v));
}

/* Not only a wait: a round in vain leaves something behind. */
static SEEN int test_and_lock_again(int x, int v, int kind)
{
	int again = 0;

	for (;; again = 1) {
		int zero = 0;

		while (atomic_load(&atomics[x]))
			PAUSE(kind);
		if (atomic_compare_exchange_strong(&atomics[x], &zero, v))
			return again;
	}
}

static SEEN int spin_both(int x, int kind)
{
	int v;

	while (!atomic_load(&atomics[x]) || !(v = atomic_load(&atomics[!x])))
		PAUSE(kind);
	return v;
}

static SEEN int swap_until_added(int x, int v)
{
	int old;

	do {
		old = atomic_load(&atomics[x]);
	} while (!atomic_compare_exchange_strong(&atomics[x], &old, old + v));
	return old;
}

static SEEN void try_lock(int x, int kind)
{
	while (pthread_mutex_trylock(&mutexes[x]))
		PAUSE(kind);
}

static SEEN void lock_at_last(int x)
{
	while (lock_until(x))
		;
}

static SEEN void semaphore_at_last(int x)
{
	while (semaphore_until(x))
		;
}

static SEEN int guarded_at_last(int x)
{
	while (guarded[x] == 0)
		condition_until(x);
	return guarded[x];
}

/* ---- steps of a thread: true: skip the next operation ------------------------------------- */

static UNSEEN int memory_step(int t, char op, int x)
{
	int mine = held[t] >> x & 1;

	switch (op) {
	case 'r':
		told(t, load(x));
		break;
	case 'w':
		store(x, value(t));
		break;
	case 'n':
		store(x, 0);
		break;
	case 'a':
		told(t, add(x, t + 1));
		break;
	case 'U':
		add_only(x, t + 1);
		break;
	case 'c':
		told(t, swap(x, t + 1));
		break;
	case 'i':
		return load(x) & 1;
	case 'g':
		if (mine)
			told(t, read_guarded(x));
		break;
	case 'h':
		if (mine)
			write_guarded(x, value(t));
		break;
	default:
		break;
	}
	return 0;
}

static UNSEEN int lock_step(int t, char op, int x, int kind)
{
	int failed = 0;

	switch (op) {
	case 'l':
		pthread_mutex_lock(&mutexes[x]);
		break;
	case 't':
		failed = pthread_mutex_trylock(&mutexes[x]) != 0;
		break;
	case 'm':
		failed = lock_until(x) != 0;
		break;
	case 'Q':
		try_lock(x, kind);
		break;
	case 'T':
		lock_at_last(x);
		break;
	case 'u':
		if (!(held[t] >> x & 1))
			return 0;
		held[t] &= (unsigned char)~(1 << x);
		pthread_mutex_unlock(&mutexes[x]);
		return 0;
	default:
		break;
	}
	if (!failed)
		held[t] |= (unsigned char)(1 << x);
	told(t, failed);
	return failed;
}

/* A thread that waits on a condition does not have the mutex. */
static UNSEEN void condition_step(int t, char op, int x)
{
	held[t] &= (unsigned char)~(1 << x);
	if (op == 'v')
		pthread_cond_wait(&conditions[x], &mutexes[x]);
	else
		told(t, op == 'V' ? condition_until(x) != 0 : guarded_at_last(x));
	held[t] |= (unsigned char)(1 << x);
}

static UNSEEN void wait_step(int t, char op, int x, int kind)
{
	switch (op) {
	case 'p':
		sem_post(&semaphores[x]);
		break;
	case 'd':
		sem_wait(&semaphores[x]);
		break;
	case 'D':
		told(t, semaphore_until(x) != 0);
		break;
	case 'R':
		semaphore_at_last(x);
		break;
	case 's':
		pthread_cond_signal(&conditions[x]);
		break;
	case 'b':
		pthread_cond_broadcast(&conditions[x]);
		break;
	case 'S':
		told(t, spin(x, kind));
		break;
	case 'E':
		told(t, spin_twice(x, kind));
		break;
	case 'L':
		spin_lock(x, t + 1, kind);
		spin_held[t] |= (unsigned char)(1 << x);
		break;
	case 'K':
		test_and_lock(x, t + 1, kind);
		spin_held[t] |= (unsigned char)(1 << x);
		break;
	case 'P':
		told(t, test_and_lock_again(x, t + 1, kind));
		spin_held[t] |= (unsigned char)(1 << x);
		break;
	case 'B':
		told(t, spin_both(x, kind));
		break;
	case 'N':
		told(t, swap_until_added(x, t + 1));
		break;
	case 'O':
		spin_held[t] &= (unsigned char)~(1 << x);
		store(x, 0);
		break;
	default:
		break;
	}
}

static UNSEEN void end_process(int t, char op, int digit)
{
	int status = status_of(t, digit);

	if (op == 'x')
		exit(status);
	if (op == 'X')
		_exit(status);
	if (op == 'q')
		quick_exit(status);
	if (op == 'A')
		abort();
	assert(op != 'F');
}

static UNSEEN void thread_step(int t, char op, int x)
{
	switch (op) {
	case 'z':
		nap(x);
		break;
	case 'y':
		sched_yield();
		break;
	case 'j':
	case 'k':
		if (t == 0 && x > 0 && x < THREADS && lines[x] && !left_alone[x]) {
			left_alone[x] = 1 + (op == 'k');
			if (op == 'j')
				pthread_join(threads[x], NULL);
			else
				pthread_detach(threads[x]);
		}
		break;
	default:
		break;
	}
}

/* Would the operation do nothing, for lack of a lock? */
static UNSEEN int is_void(int t, char op, int x)
{
	return (among("ughvVM", op) && !(held[t] >> x & 1)) ||
	       (op == 'O' && !(spin_held[t] >> x & 1));
}

static UNSEEN int step(int t, char op, int digit)
{
	int x = digit & 1, kind = digit >> 1;

	if (among("rwnaUcigh", op))
		return memory_step(t, op, x);
	if (among("ltmuQT", op))
		return lock_step(t, op, x, kind);
	if (among("xXqAF", op))
		end_process(t, op, digit);
	else if (among("zyjk", op))
		thread_step(t, op, digit);
	else if (among("vVM", op))
		condition_step(t, op, x);
	else
		wait_step(t, op, x, kind);
	return 0;
}

/* What main does of it: not NULL: return at once, with this less one. */
static UNSEEN void *run(void *arg)
{
	int t = (int)(long)arg;
	const char *p = lines[t];
	int skip;

	for (; !among("/\nef", *p) && *p; p += 2) {
		if (is_void(t, *p, (p[1] - '0') & 1))
			continue;
		skip = step(t, *p, p[1] - '0');
		now.at[t] += (unsigned char)among(COUNTED, *p);
		if (skip && p[2] && !among("/\n", p[2]))
			p += 2;
		show();
	}
	leave(t, now.sum[t] << 8 | now.at[t]);
	show();
	if (*p == 'e')
		pthread_exit(NULL);
	return *p == 'f' ? (void *)(long)(p[1] - '0' + 1) : NULL;
}

static UNSEEN int read_program(const char *result)
{
	int n = 0;

	shown = result;
	if (syscall(SYS_read, 0, text, sizeof(text) - 1) < 0)
		return 0;
	lines[n++] = text;
	for (char *p = text; *p; p++) {
		if (*p == '/' && n < THREADS)
			lines[n++] = p + 1;
	}
	return n;
}

UNSEEN int main(int argc, char **argv)
{
	int n = argc == 2 ? read_program(argv[1]) : 0;
	int orderly = 1;
	void *returns;

	if (n == 0)
		return 2;
	for (int i = 0; i < OBJECTS; i++)
		sem_init(&semaphores[i], 0, 0);
	show();
	for (long t = 1; t < n; t++)
		pthread_create(&threads[t], NULL, run, (void *)t);
	returns = run((void *)0L);
	for (int t = 1; t < n && !returns; t++) {
		if (!left_alone[t])
			pthread_join(threads[t], NULL);
		orderly &= left_alone[t] != 2;
	}
	now.orderly = !returns && orderly;
	show();
	return returns ? status_of(0, (int)(long)returns - 1) : 0;
}
