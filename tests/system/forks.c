/*
 * Forks a child for each word, one after the other, and waits for it:
 *
 *   race, clean     two threads add to a variable, without a lock or with one
 *   deadlock        two threads take two locks in opposite order
 *   abort, status   it ends by a signal, or with status 3
 *   before          races with nobody, but touches what another thread of the parent touched before
 *   nested          forks a child that races
 *   sleep           sleeps for a second
 *   exec PROGRAM    becomes that program
 *   fail            no child: the program itself ends with status 5
 *   order           no child that is waited for at once: it writes after 50 ms what is read after 100 ms
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int value, touched;

static void *add(void *arg)
{
	if (arg)
		pthread_mutex_lock(&first);
	value++;
	if (arg)
		pthread_mutex_unlock(&first);
	return NULL;
}

static void *lock_both(void *arg)
{
	pthread_mutex_t *one = arg ? &first : &second, *other = arg ? &second : &first;

	pthread_mutex_lock(one);
	sched_yield();
	pthread_mutex_lock(other);
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(one);
	return NULL;
}

static void *touch(void *arg)
{
	touched = 1;
	for (;;)
		pause();
	return arg;
}

static void two(void *(*fn)(void *), void *a, void *b)
{
	pthread_t x, y;

	pthread_create(&x, NULL, fn, a);
	pthread_create(&y, NULL, fn, b);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
}

static int start_and_wait(const char *word, const char *next);

static void be_child(const char *word, const char *next)
{
	if (!strcmp(word, "race"))
		two(add, NULL, NULL);
	else if (!strcmp(word, "clean"))
		two(add, &value, &value);
	else if (!strcmp(word, "deadlock"))
		two(lock_both, &value, NULL);
	else if (!strcmp(word, "abort"))
		abort();
	else if (!strcmp(word, "status"))
		_exit(3);
	else if (!strcmp(word, "before"))
		touched++;
	else if (!strcmp(word, "nested"))
		start_and_wait("race", NULL);
	else if (!strcmp(word, "sleep"))
		sleep(1);
	else if (!strcmp(word, "exec"))
		execl(next, next, (char *)NULL);
	_exit(0);
}

static int start_and_wait(const char *word, const char *next)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		be_child(word, next);
	waitpid(pid, &status, 0);
	return status;
}

static char in_order(void)
{
	const struct timespec child = { .tv_nsec = 50000000 }, parent = { .tv_nsec = 100000000 };
	char byte = 'n';
	int fds[2];

	if (pipe(fds) != 0)
		return '?';
	if (fork() == 0) {
		nanosleep(&child, NULL);
		_exit(write(fds[1], "y", 1) != 1);
	}
	nanosleep(&parent, NULL);
	close(fds[1]);
	if (read(fds[0], &byte, 1) != 1)
		byte = 'n';
	wait(NULL);
	return byte;
}

int main(int argc, char **argv)
{
	struct timespec began, now;
	pthread_t other;

	clock_gettime(CLOCK_MONOTONIC, &began);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "fail"))
			return 5;
		if (!strcmp(argv[i], "before"))
			pthread_create(&other, NULL, touch, NULL);
		if (!strcmp(argv[i], "order"))
			printf("order %c\n", in_order());
		else
			printf("%s %x\n", argv[i], (unsigned)start_and_wait(argv[i], argv[i + 1]));
		i += !strcmp(argv[i], "exec");
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%ld s\n", (long)(now.tv_sec - began.tv_sec + (now.tv_nsec < began.tv_nsec ? -1 : 0)));
	return 0;
}
