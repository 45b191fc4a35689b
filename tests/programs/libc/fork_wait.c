/*
 * A threaded program forks: the child has one thread and its own memory, the parent's other
 * threads go on while it waits for the child, and exit statuses arrive.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int value = 1, to_child[2], to_parent[2];

/* The child waits for what only this thread sends: it must run during waitpid. */
static void *helper(void *arg)
{
	char c;

	assert(read(to_parent[0], &c, 1) == 1 && c == 'r');
	assert(write(to_child[1], "g", 1) == 1);
	return NULL;
}

static void child(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	char c = 0;

	value = 2;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	if (write(to_parent[1], "r", 1) != 1 || read(to_child[0], &c, 1) != 1 || c != 'g')
		_exit(1);
	_exit(42);
}

static void spawn_shell(void)
{
	char *argv[] = {"sh", "-c", "exit 7", NULL};
	int status;
	pid_t pid;

	assert(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) == 0);
	assert(wait(&status) == pid);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	assert(system("exit 3") == 3 << 8);
}

static void killed(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	assert(waitpid(pid, &status, WNOHANG) == 0);
	assert(kill(pid, SIGKILL) == 0);
	assert(waitpid(pid, &status, 0) == pid);
	assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

int main(void)
{
	siginfo_t info;
	pthread_t t;
	int status;
	pid_t pid;

	assert(pipe(to_child) == 0 && pipe(to_parent) == 0);
	pthread_create(&t, NULL, helper, NULL);
	pid = fork();
	assert(pid >= 0);
	if (pid == 0)
		child();
	assert(waitpid(pid, &status, 0) == pid);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
	assert(value == 1);
	pthread_join(t, NULL);
	assert(wait(&status) == -1 && errno == ECHILD);

	spawn_shell();
	killed();
	pid = vfork();
	if (pid == 0)
		_exit(9);
	assert(waitid(P_PID, (id_t)pid, &info, WEXITED) == 0);
	assert(info.si_pid == pid && info.si_status == 9);
	return 0;
}
