/*
 * A thread, or main, is in a loop without hooks that only a signal's handler can end: one for processor time
 * ("cpu", "virtual"), of a timer ("alarm") or from another process ("other").
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int stop;

static void end(int sig)
{
	stop = 1;
}

__attribute__((no_sanitize("thread"))) static void *spin(void *arg)
{
	while (!stop)
		__asm__ volatile("pause" : : : "memory");
	return arg;
}

static void prepare(const char *what)
{
	struct itimerval soon = { .it_value.tv_usec = 10000 };
	struct rlimit second = { 1, 10 };

	if (!strcmp(what, "cpu")) {
		signal(SIGXCPU, end);
		setrlimit(RLIMIT_CPU, &second);
	} else if (!strcmp(what, "virtual")) {
		signal(SIGVTALRM, end);
		setitimer(ITIMER_VIRTUAL, &soon, NULL);
	} else if (!strcmp(what, "alarm")) {
		signal(SIGALRM, end);
		setitimer(ITIMER_REAL, &soon, NULL);
	} else {
		signal(SIGUSR1, end);
		if (fork() == 0) {
			usleep(1000);
			kill(getppid(), SIGUSR1);
			_exit(0);
		}
	}
}

int main(int argc, char **argv)
{
	pthread_t thread;

	prepare(argv[1]);
	if (argc > 2) {
		spin(NULL);
	} else {
		pthread_create(&thread, NULL, spin, NULL);
		pthread_join(thread, NULL);
	}
	puts("stopped");
	return 0;
}
