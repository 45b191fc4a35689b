/*
 * Asks the kernel itself, by syscall(), for what libc has functions for: signals between threads and in a
 * descriptor, time, masks, pipes between threads, and the end.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_t waiter;
static _Thread_local int me;
static int handled_by, pipes[2];
static pid_t number;
static pthread_barrier_t both;

static void note(int sig)
{
	handled_by = me;
}

static void *wait_for_signal(void *arg)
{
	char byte = 0;

	me = 2;
	number = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&both);
	/* The first is interrupted, or comes after it; another thread writes. */
	while (syscall(SYS_read, pipes[0], &byte, 1) < 0)
		;
	printf("handled by %d, read %c\n", handled_by, byte);
	return NULL;
}

static void between_threads(void)
{
	struct sigaction act = { .sa_handler = note };

	me = 1;
	sigaction(SIGUSR1, &act, NULL);
	pthread_barrier_init(&both, NULL, 2);
	syscall(SYS_pipe2, pipes, 0);
	pthread_create(&waiter, NULL, wait_for_signal, NULL);
	pthread_barrier_wait(&both);
	printf("tgkill %ld\n", syscall(SYS_tgkill, getpid(), number, SIGUSR1));
	syscall(SYS_write, pipes[1], "x", 1);
	pthread_join(waiter, NULL);
	/* The kernel's thread may be there a moment longer than the join takes. */
	while (syscall(SYS_tgkill, getpid(), number, 0) == 0)
		;
	printf("gone %ld\n", syscall(SYS_tgkill, getpid(), number, SIGUSR1));
}

static void in_a_descriptor(void)
{
	unsigned long mask = 1ul << (SIGUSR2 - 1), before = 0;
	struct signalfd_siginfo info = { 0 };
	int fd;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, 8);
	fd = (int)syscall(SYS_signalfd4, -1, &mask, 8, 0);
	syscall(SYS_kill, getpid(), SIGUSR2);
	printf("read %ld signal %u\n", syscall(SYS_read, fd, &info, sizeof(info)), info.ssi_signo);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &before, 8);
	printf("mask %d\n", before == mask);
}

static void time_passes(void)
{
	struct timespec nap = { .tv_nsec = 20000000 }, from, to;

	clock_gettime(CLOCK_MONOTONIC, &from);
	syscall(SYS_nanosleep, &nap, NULL);
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &to);
	printf("slept %d\n",
	       (to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec >= nap.tv_nsec);
}

static void memory_stays(void)
{
	printf("mlockall %ld\n", syscall(SYS_mlockall, MCL_CURRENT | MCL_FUTURE));
	printf("on fault %d\n", mlockall(MCL_CURRENT | MCL_ONFAULT));
	printf("future %d\n", mlockall(MCL_FUTURE | MCL_ONFAULT));
	printf("mlock2 %d\n", mlock2(&both, sizeof(both), MLOCK_ONFAULT));
	printf("wrong %d %d\n", mlockall(MCL_ONFAULT), mlockall(0));
	printf("munlockall %d %ld\n", munlockall(), syscall(SYS_munlockall));
}

int main(void)
{
	between_threads();
	in_a_descriptor();
	time_passes();
	memory_stays();
	fflush(stdout);
	syscall(SYS_exit, 3);
	return 0;
}
