/*
 * Restricts its own system calls: strict mode ("strict"), a filter before or after there are threads ("filter",
 * "late"), a call of which fails and another one of which is trapped. Locks, threads and time go on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ANSWER(nr, how)                                                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, how)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *arg)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	usleep(1000);
	return arg;
}

static void trapped(int sig)
{
	if (write(1, "trapped\n", 8) != 8)
		_exit(9);
}

static void install(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ANSWER(SYS_getpriority, SECCOMP_RET_ERRNO | EDOM),
		ANSWER(SYS_getpgrp, SECCOMP_RET_TRAP),
		ANSWER(SYS_ppoll, SECCOMP_RET_KILL_PROCESS), /* what heddle may need */
		ANSWER(SYS_rt_sigprocmask, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(rules) / sizeof(rules[0]), rules };

	signal(SIGSYS, trapped);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter))
		_exit(8);
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	pthread_t thread;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(how, "filter"))
		install();
	pthread_create(&thread, NULL, work, NULL);
	if (!strcmp(how, "late"))
		install();
	work(NULL);
	pthread_join(thread, NULL);
	printf("count %d\n", count);
	if (!strcmp(how, "strict")) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			return 2;
		if (write(1, "strict\n", 7) != 7)
			return 3;
		syscall(SYS_exit, 0);
	} else if (!strcmp(how, "filter")) {
		errno = 0;
		printf("%ld %d\n", syscall(SYS_getpriority, 0, 0), errno == EDOM);
		getpgrp();
	}
	return 0;
}
