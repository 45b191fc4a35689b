/*
 * A child runs another program, by fork and exec, by posix_spawn and by system; a
 * failing exec answers with its error.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static int status_of(pid_t pid)
{
	int status;

	assert(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void *by_fork(void *arg)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "exit 11", (char *)NULL);
		_exit(1);
	}
	assert(pid > 0 && status_of(pid) == 11);
	return NULL;
}

static void *by_spawn(void *arg)
{
	char *argv[] = { "sh", "-c", "exit 12", NULL };
	pid_t pid;

	assert(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) == 0);
	assert(status_of(pid) == 12);
	assert(posix_spawn(&pid, "/nonexistent/program", NULL, NULL, argv, environ) == ENOENT);
	return NULL;
}

int main(void)
{
	pthread_t t = start(by_fork, NULL), u = start(by_spawn, NULL);

	assert(WEXITSTATUS(system("exit 13")) == 13);
	assert(execl("/nonexistent/program", "x", (char *)NULL) == -1 && errno == ENOENT);
	finish(t);
	finish(u);
	return 0;
}
