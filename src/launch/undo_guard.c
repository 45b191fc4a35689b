#include "undo_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "undo_files.h"

static const char *words;

void hd_journal_guard_says(const char *text)
{
	words = text;
}

/* ---- the guard ---------------------------------------------------------------- */

/* Journals that somebody may still write to. */
static int *journals;
static size_t njournals, room;

/* Nothing of the command's stays open but standard error, where the words go. */
static void let_go_of_files(int socket)
{
	int null = open("/dev/null", O_RDWR);

	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
	}
	if (socket > 3)
		close_range(3, (unsigned)socket - 1, 0);
	close_range((unsigned)socket + 1, ~0u, 0);
}

static void ignore_signals(void)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		signal(all[i], SIG_IGN);
}

/* Those that nobody else has any more, and that are empty. */
static void forget_old(void)
{
	size_t n = 0;

	for (size_t i = 0; i < njournals; i++) {
		if (flock(journals[i], LOCK_EX | LOCK_NB) == 0 &&
		    lseek(journals[i], 0, SEEK_END) == 0)
			close(journals[i]);
		else
			journals[n++] = journals[i];
	}
	njournals = n;
}

/* Locks belong to what open() made: ours is another one than what all the others have. */
static void take(int journal)
{
	char name[32];
	int own;

	forget_old();
	snprintf(name, sizeof(name), "/proc/self/fd/%d", journal);
	own = open(name, O_RDWR | O_CLOEXEC);
	close(journal);
	if (own >= 0 && HD_ROOM(journals, room, njournals + 1))
		journals[njournals++] = own;
}

/* The next journal; -1: the command has ended. */
static int receive(int socket)
{
	char space[CMSG_SPACE(sizeof(int))], byte;
	struct iovec io = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &io,
			    .msg_iovlen = 1,
			    .msg_control = space,
			    .msg_controllen = sizeof(space) };
	ssize_t n;
	int fd = -1;

	do {
		n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n > 0 && CMSG_FIRSTHDR(&m) && CMSG_FIRSTHDR(&m)->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

static void guard(int socket)
{
	bool any = false;
	int journal;

	setsid(); /* a signal to the command's group is not for this process */
	ignore_signals();
	prctl(PR_SET_NAME, "heddle-undo");
	let_go_of_files(socket);
	while ((journal = receive(socket)) >= 0)
		take(journal);
	for (size_t i = 0; i < njournals; i++) {
		flock(journals[i], LOCK_EX); /* the program may take a moment to end */
		any |= hd_journal_undo(journals[i]);
	}
	if (any && words && write(2, words, strlen(words)) < 0)
		return; /* nobody is there to read it */
}

/* ---- the command's side -------------------------------------------------------- */

/* By way of a child that ends at once, so that the guard is nobody's child. -1: there is none. */
static int start(void)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			guard(ends[1]);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(ends[1]);
	if (pid > 0)
		return ends[0];
	close(ends[0]);
	return -1;
}

static void hand_over(int socket, int journal)
{
	char space[CMSG_SPACE(sizeof(int))] = { 0 };
	char byte = 'j';
	struct iovec io = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &io,
			    .msg_iovlen = 1,
			    .msg_control = space,
			    .msg_controllen = sizeof(space) };

	*CMSG_FIRSTHDR(&m) = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
					       .cmsg_level = SOL_SOCKET,
					       .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &journal, sizeof(journal));
	sendmsg(socket, &m, MSG_NOSIGNAL);
}

void hd_journal_guard(int journal)
{
	static int socket = -2; /* not tried yet */

	if (journal <= 0 || flock(journal, LOCK_SH) != 0)
		return;
	if (socket == -2)
		socket = start();
	if (socket >= 0)
		hand_over(socket, journal);
}
