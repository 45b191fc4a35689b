/*
 * What a signalfd returns. Natively it is the same.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "../program.h"

static void *send_later(void *arg)
{
	usleep(1000);
	assert(kill(getpid(), SIGUSR2) == 0);
	return NULL;
}

static int events_of(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN | POLLOUT};

	return poll(&p, 1, 0) ? p.revents : 0;
}

int main(void)
{
	struct signalfd_siginfo info;
	int fd, other;
	pthread_t t;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	assert(signalfd(-1, &set, 1 << 30) == -1 && errno == EINVAL);
	assert(signalfd(0, &set, 0) == -1 && errno == EINVAL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	assert(fcntl(fd, F_GETFD) == FD_CLOEXEC && events_of(fd) == 0);
	assert(read(fd, &info, sizeof(info)) == -1 && errno == EAGAIN);
	assert(write(fd, &info, sizeof(info)) == -1 && errno == EINVAL);

	assert(raise(SIGUSR2) == 0 && kill(getpid(), SIGUSR1) == 0 && kill(getpid(), SIGUSR1) == 0);
	assert(events_of(fd) == POLLIN);
	assert(read(fd, &info, sizeof(info) - 1) == -1 && errno == EINVAL);
	assert(read(fd, &info, sizeof(info)) == sizeof(info));
	assert(info.ssi_signo == SIGUSR2 && info.ssi_code == SI_TKILL);
	assert(info.ssi_pid == (uint32_t)getpid() && info.ssi_uid == getuid());
	assert(read(fd, &info, sizeof(info)) == sizeof(info));
	assert(info.ssi_signo == SIGUSR1 && info.ssi_code == SI_USER);
	assert(read(fd, &info, sizeof(info)) == -1 && errno == EAGAIN); /* they do not queue */

	/* What the mask does not have stays where it is. */
	sigdelset(&set, SIGUSR1);
	assert(signalfd(fd, &set, 0) == fd && kill(getpid(), SIGUSR1) == 0 && events_of(fd) == 0);
	sigaddset(&set, SIGUSR1);
	assert(signalfd(fd, &set, 0) == fd && events_of(fd) == POLLIN);
	other = dup(fd);
	close(fd);
	assert(read(other, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGUSR1);
	close(other);

	fd = signalfd(-1, &set, 0);
	t = start(send_later, NULL);
	assert(read(fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGUSR2);
	finish(t);
	return 0;
}
