/*
 * A threaded program forks: the child has one thread and works alone, the parent's
 * threads go on.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * OUTPUT: child 9
 */
#include "../program.h"
#include <sys/wait.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *arg)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&m);
		counter++;
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

static void *in_child(void *arg)
{
	*(int *)arg = 9;
	return NULL;
}

static void be_child(void)
{
	int value = 0;

	finish(start(in_child, &value));
	printf("child %d\n", value);
	fflush(stdout);
	_exit(value);
}

int main(void)
{
	pthread_t t = start(count, NULL), u = start(count, NULL);
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	assert(pid >= 0);
	if (pid == 0)
		be_child();
	assert(waitpid(pid, &status, 0) == pid);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 9);
	finish(t);
	finish(u);
	assert(counter == 20);
	return 0;
}
