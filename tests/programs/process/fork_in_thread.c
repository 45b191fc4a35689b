/*
 * A thread other than main forks; atfork handlers run in their order.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include "../program.h"
#include <sys/wait.h>

static int prepared, in_parent, in_child;

static void on_prepare(void)
{
	prepared++;
}

static void on_parent(void)
{
	in_parent++;
}

static void on_child(void)
{
	in_child++;
}

static void *forks(void *arg)
{
	pid_t pid = fork();
	int status;

	assert(pid >= 0);
	if (pid == 0)
		_exit(prepared == 1 && in_child == 1 && in_parent == 0 ? 0 : 1);
	assert(waitpid(pid, &status, 0) == pid && status == 0);
	assert(prepared == 1 && in_child == 0 && in_parent == 1);
	return NULL;
}

int main(void)
{
	pthread_atfork(on_prepare, on_parent, on_child);
	finish(start(forks, NULL));
	return 0;
}
