/*
 * Masks: a blocked signal waits, runs its handler when unblocked, sa_mask and SA_NODEFER
 * and SA_RESETHAND hold, threads inherit, sigsuspend lets in what it says, siglongjmp out of
 * a handler restores the mask.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t count, nested, depth;
static sigjmp_buf out;

static void install(int sig, void (*handler)(int), int flags, int also)
{
	struct sigaction act;

	memset(&act, 0, sizeof(act));
	act.sa_handler = handler;
	act.sa_flags = flags;
	sigemptyset(&act.sa_mask);
	if (also)
		sigaddset(&act.sa_mask, also);
	assert(sigaction(sig, &act, NULL) == 0);
}

static void counting(int sig)
{
	count++;
}

static void raises_other(int sig)
{
	nested = 0;
	raise(SIGUSR2);
	assert(nested == 0); /* blocked by sa_mask while we run */
}

static void note_nested(int sig)
{
	nested = 1;
}

static void raises_itself(int sig)
{
	if (++depth < 3)
		raise(sig);
}

static void jumps(int sig)
{
	siglongjmp(out, 1);
}

static int is_blocked(int sig)
{
	sigset_t now;

	assert(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
	return sigismember(&now, sig);
}

static void *inherits(void *arg)
{
	assert(is_blocked(SIGUSR1) == 1 && is_blocked(SIGUSR2) == 0);
	return NULL;
}

static void blocked_and_inherited(void)
{
	sigset_t set, old, pending;
	pthread_t t;

	install(SIGUSR1, counting, 0, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	assert(sigprocmask(SIG_BLOCK, &set, &old) == 0 && !sigismember(&old, SIGUSR1));
	raise(SIGUSR1);
	raise(SIGUSR1);
	assert(count == 0);
	assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1));
	pthread_create(&t, NULL, inherits, NULL);
	pthread_join(t, NULL);
	assert(sigprocmask(SIG_SETMASK, &old, NULL) == 0);
	assert(count == 1); /* signals of this kind do not queue */
	assert(sigprocmask(99, &set, NULL) == -1 && errno == EINVAL);
}

static void *sends(void *arg)
{
	kill(getpid(), SIGUSR1);
	return NULL;
}

static void suspended(void)
{
	sigset_t set, open;
	pthread_t t;

	count = 0;
	sigemptyset(&open);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, sends, NULL);
	while (!count)
		assert(sigsuspend(&open) == -1 && errno == EINTR);
	assert(count == 1 && is_blocked(SIGUSR1) == 1);
	pthread_join(t, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(void)
{
	struct sigaction act;

	blocked_and_inherited();
	suspended();

	install(SIGUSR1, raises_other, 0, SIGUSR2);
	install(SIGUSR2, note_nested, 0, 0);
	raise(SIGUSR1);
	assert(nested == 1); /* after the handler */

	install(SIGUSR1, raises_itself, SA_NODEFER, 0);
	raise(SIGUSR1);
	assert(depth == 3);

	install(SIGUSR1, counting, SA_RESETHAND, 0);
	raise(SIGUSR1);
	assert(sigaction(SIGUSR1, NULL, &act) == 0 && act.sa_handler == SIG_DFL);

	install(SIGUSR1, jumps, 0, 0);
	if (!sigsetjmp(out, 1)) {
		raise(SIGUSR1);
		assert(0);
	}
	assert(is_blocked(SIGUSR1) == 0);

	assert(signal(SIGUSR1, SIG_IGN) == jumps);
	raise(SIGUSR1);
	assert(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
	assert(signal(SIGKILL, SIG_IGN) == SIG_ERR && errno == EINVAL);
	return 0;
}
