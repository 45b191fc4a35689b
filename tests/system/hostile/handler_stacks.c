/*
 * Handlers with SA_ONSTACK run on the stack that their thread has set, others on the thread's own; a jump leads out of
 * them; faults of several threads, overflowing stacks among them, are handled each on its own stack; a
 * handler that repairs what failed finds its registers again. Prints what it saw.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE 65536

static char stacks[3][SIZE];
static _Thread_local char *mine;
static _Thread_local sigjmp_buf out;
static _Thread_local int saw, told;
static char *page;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int on_mine(void)
{
	char here;
	volatile char *p = &here;

	return p >= mine && p < mine + SIZE;
}

static void look(int sig)
{
	stack_t now;

	sigaltstack(NULL, &now);
	saw = on_mine();
	told = now.ss_flags & SS_ONSTACK;
	pthread_mutex_lock(&lock); /* others may run meanwhile */
	pthread_mutex_unlock(&lock);
}

static void leave(int sig)
{
	siglongjmp(out, 1);
}

static void fault(int sig, siginfo_t *info, void *context)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	if (page && (char *)info->si_addr >= page && (char *)info->si_addr < page + 4096) {
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
		return;
	}
	siglongjmp(out, on_mine() ? 2 : 1);
}

static void handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags };

	sigaction(sig, &act, NULL);
}

static int deep(int n)
{
	volatile char frame[4096];

	frame[0] = (char)n;
	return deep(n + 1) + frame[0];
}

static void catch_fault(const char *what, int overflow)
{
	int how = sigsetjmp(out, 1);

	if (!how && overflow)
		deep(0);
	else if (!how)
		*(volatile int *)8 = 1;
	pthread_mutex_lock(&lock);
	printf("%s: %s\n", what, how == 2 ? "on its stack" : "elsewhere");
	pthread_mutex_unlock(&lock);
}

static void *faults(void *arg)
{
	stack_t stack = { .ss_sp = arg, .ss_size = SIZE };

	mine = arg;
	sigaltstack(&stack, NULL);
	catch_fault("overflow", 1);
	catch_fault("null", 0);
	return NULL;
}

static void *signals(void *arg)
{
	stack_t stack = { .ss_sp = stacks[1], .ss_size = SIZE }, now,
		none = { .ss_flags = SS_DISABLE }, small = { .ss_sp = stacks[1], .ss_size = 16 };

	mine = stacks[1];
	printf("set %d\n", sigaltstack(&stack, NULL));
	raise(SIGUSR1);
	printf("on it %d %d\n", saw, told);
	raise(SIGUSR2);
	printf("not on it %d %d\n", saw, told);
	if (!sigsetjmp(out, 1))
		raise(SIGHUP);
	sigaltstack(NULL, &now);
	printf("after a jump %d %d\n", now.ss_flags, now.ss_sp == mine && now.ss_size == SIZE);
	raise(SIGUSR1);
	printf("on it %d %d\n", saw, told);
	printf("none %d\n", sigaltstack(&none, NULL));
	raise(SIGUSR1);
	printf("not on it %d %d\n", saw, told);
	printf("small %d\n", sigaltstack(&small, NULL));
	return NULL;
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = fault, .sa_flags = SA_ONSTACK | SA_SIGINFO };
	volatile double third = 1.0 / 3;
	pthread_t thread[2];
	stack_t now;

	handle(SIGUSR1, look, SA_ONSTACK);
	handle(SIGUSR2, look, 0);
	handle(SIGHUP, leave, SA_ONSTACK);
	sigaction(SIGSEGV, &act, NULL);
	pthread_create(&thread[0], NULL, signals, NULL);
	pthread_join(thread[0], NULL);
	sigaltstack(NULL, &now);
	printf("main has %s\n", now.ss_flags == SS_DISABLE ? "none" : "one");
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, faults, stacks[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page[7] = (char)(third * 30);
	printf("repaired %d %.3f\n", page[7], third);
	act.sa_flags = SA_SIGINFO | SA_RESETHAND;
	act.sa_sigaction = (void (*)(int, siginfo_t *, void *))look;
	sigaction(SIGSEGV, &act, NULL);
	fflush(stdout);
	*(volatile int *)8 = 1; /* handled once, then the end */
	return 0;
}
