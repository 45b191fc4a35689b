/*
 * What it costs to let another thread run.
 *
 *   switch yield [N]      two threads call sched_yield() N times each: under
 *                         `heddle run --policy rr` that is a switch of fibers
 *   switch handoff [N]    two kernel threads pass a token by futex, each hand-off
 *                         a sleep and a wake-up: first on one core, then on any
 *
 * Prints nanoseconds for each time that another thread went on. Time is asked of
 * the kernel by hand, since a controlled run has a clock of its own.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long rounds = 500000;

static long raw_clock_gettime(struct timespec *ts)
{
#if defined(__x86_64__)
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(SYS_clock_gettime), "D"(CLOCK_MONOTONIC), "S"(ts)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long number __asm__("x8") = SYS_clock_gettime;
	register long first __asm__("x0") = CLOCK_MONOTONIC;
	register struct timespec *second __asm__("x1") = ts;

	__asm__ volatile("svc 0" : "+r"(first) : "r"(number), "r"(second) : "memory");
	return first;
#else
#error "how does this machine make a system call?"
#endif
}

static double now_ns(void)
{
	struct timespec ts = {0, 0};

	if (raw_clock_gettime(&ts))
		abort();
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* --- yield ---------------------------------------------------------------- */

static int last_to_run;
static long changes; /* how often another thread went on */
static long turns[2];
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

/* Not instrumented: the atomic is for the count only, and no place to switch at. */
__attribute__((noinline, no_sanitize("thread"))) static void note_turn(int me)
{
	if (__atomic_exchange_n(&last_to_run, me, __ATOMIC_RELAXED) != me)
		__atomic_fetch_add(&changes, 1, __ATOMIC_RELAXED);
}

static void *yielder(void *arg)
{
	int me = (int)(intptr_t)arg;

	pthread_mutex_lock(&start_lock); /* both exist before the clock starts */
	pthread_mutex_unlock(&start_lock);
	for (long i = 0; i < rounds; i++) {
		turns[me - 1]++; /* work of some kind: without any this would be a livelock */
		note_turn(me);
		sched_yield();
	}
	return NULL;
}

static int measure_yield(void)
{
	pthread_t thread[2];
	double start, end;

	pthread_mutex_lock(&start_lock);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, yielder, (void *)(intptr_t)(i + 1)))
			return 1;
	start = now_ns();
	pthread_mutex_unlock(&start_lock);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	end = now_ns();
	printf("yield %ld switches %.1f ns/switch\n", changes, (end - start) / (double)changes);
	return 0;
}

/* --- hand-off -------------------------------------------------------------- */

static int token; /* whose turn: acquire/release between the two */

static void wait_for_turn(int me)
{
	int seen;

	while ((seen = __atomic_load_n(&token, __ATOMIC_ACQUIRE)) != me)
		if (syscall(SYS_futex, &token, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0) &&
		    errno != EAGAIN && errno != EINTR)
			abort();
}

static void *passer(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (long i = 0; i < rounds; i++) {
		wait_for_turn(me);
		__atomic_store_n(&token, 3 - me, __ATOMIC_RELEASE);
		syscall(SYS_futex, &token, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	return NULL;
}

static int measure_handoff(const char *name, const cpu_set_t *where)
{
	pthread_t thread[2];
	pthread_attr_t attr;
	double start;

	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(*where), where);
	token = 1;
	start = now_ns();
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], &attr, passer, (void *)(intptr_t)(i + 1)))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	printf("handoff %s %ld switches %.1f ns/switch\n", name, 2 * rounds,
	       (now_ns() - start) / (double)(2 * rounds));
	pthread_attr_destroy(&attr);
	return 0;
}

static int measure_handoffs(void)
{
	cpu_set_t all, one;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(all), &all))
		return 1;
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return measure_handoff("pinned", &one) || measure_handoff("unpinned", &all);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		rounds = strtol(argv[2], NULL, 10);
	if (argc > 1 && rounds > 0 && !strcmp(argv[1], "yield"))
		return measure_yield();
	if (argc > 1 && rounds > 0 && !strcmp(argv[1], "handoff"))
		return measure_handoffs();
	fprintf(stderr, "usage: switch yield|handoff [ROUNDS]\n");
	return 2;
}
