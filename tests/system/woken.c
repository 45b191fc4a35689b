/*
 * A handler of a signal wakes the program, which says its number first: through a pipe that main
 * or another thread reads, or a semaphore. With "lock" nothing does: the lock is held by the thread
 * that wants it.
 *
 * EXPECT of heddle run: it waits for the signal, and says nothing. lock: a deadlock.
 */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fds[2];
static sem_t stop;

static void on_term(int sig)
{
	char c = (char)sig;

	if (write(fds[1], &c, 1) != 1)
		_exit(3);
	sem_post(&stop);
}

static void *reader(void *arg)
{
	char c;

	return read(fds[0], &c, 1) == 1 && c == SIGTERM ? arg : NULL;
}

static int wait_in(const char *how)
{
	struct pollfd fd = { .events = POLLIN };
	pthread_t thread;
	void *result;

	if (!strcmp(how, "poll")) {
		fd.fd = fds[0];
		while (poll(&fd, 1, -1) < 1)
			;
		return fd.revents & POLLIN;
	}
	if (!strcmp(how, "read")) {
		pthread_create(&thread, NULL, reader, fds);
		pthread_join(thread, &result);
		return result == fds;
	}
	if (!strcmp(how, "semaphore")) {
		while (sem_wait(&stop) != 0)
			;
		return 1;
	}
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_term, .sa_flags = SA_RESTART };

	if (argc < 2 || pipe(fds) != 0 || sem_init(&stop, 0, 0) != 0)
		return 2;
	sigaction(SIGTERM, &act, NULL);
	printf("%ld\n", (long)getpid());
	fflush(stdout);
	return wait_in(argv[1]) ? 0 : 1;
}
