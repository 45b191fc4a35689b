#include "undo_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/file_journal.h"
#include "undo_guard.h"

#define FIRST_FD 230 /* out of the way of the program's own */

int hd_journal_make(void)
{
	int low = memfd_create("heddle-files", MFD_CLOEXEC), fd;

	if (low < 0)
		return 0;
	fd = fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD);
	if (fd < 0) /* few descriptors allowed */
		fd = fcntl(low, F_DUPFD_CLOEXEC, 3);
	close(low);
	hd_journal_guard(fd);
	return fd > 0 ? fd : 0;
}

void hd_journal_pass_on(int fd)
{
	if (fd > 0)
		fcntl(fd, F_SETFD, 0);
}

/* ---- one of them ---------------------------------------------------------------- */

static void remove_it(const char *path)
{
	if (unlink(path) != 0 && errno == EISDIR)
		rmdir(path);
}

/* Is that what is in it? */
static bool is_same(int fd, const struct hd_kept *k, int journal, off_t at)
{
	char is[16384], was[sizeof(is)];
	ssize_t n, i;

	for (off_t end = at + (off_t)k->content; at < end; at += n) {
		n = read(fd, is, sizeof(is));
		if (n <= 0 || n > end - at || pread(journal, was, (size_t)n, at) != n)
			return false;
		for (i = 0; i < n && is[i] == was[i];)
			i++;
		if (i < n)
			return false;
	}
	return read(fd, is, 1) == 0;
}

/* False: it is not all there. */
static bool fill(int fd, const struct hd_kept *k, int journal, off_t at)
{
	off_t end = at + (off_t)k->content;

	while (at < end && sendfile(fd, journal, &at, (size_t)(end - at)) > 0)
		;
	return at == end;
}

static void set_attributes(int fd, const struct hd_kept *k)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { .tv_sec = k->mtime, .tv_nsec = k->mtime_ns } };

	if (fchown(fd, k->uid, k->gid) != 0)
		errno = 0; /* who may not do that has not changed it either */
	fchmod(fd, k->mode);
	futimens(fd, times);
}

/* A new file takes its place when it is whole: the user's data is never half there. */
static void replace_file(const char *path, const struct hd_kept *k, int journal, off_t at)
{
	char temp[PATH_MAX + 16];
	int fd;

	snprintf(temp, sizeof(temp), "%s.heddle-XXXXXX", path);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return;
	set_attributes(fd, k);
	if (!fill(fd, k, journal, at) || rename(temp, path) != 0)
		unlink(temp);
	set_attributes(fd, k); /* its time again */
	close(fd);
}

static void write_file(const char *path, const struct hd_kept *k, int journal, off_t at)
{
	char target[PATH_MAX];
	struct stat st;
	int fd;

	if (realpath(path, target)) /* it was opened by a symbolic link */
		path = target;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 1) {
		close(fd); /* its other names are to show the same */
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && !is_same(fd, k, journal, at) && ftruncate(fd, 0) == 0 &&
		    lseek(fd, 0, SEEK_SET) == 0)
			fill(fd, k, journal, at);
	} else if (fd < 0 || !is_same(fd, k, journal, at)) {
		rmdir(path); /* if it is a folder by now */
		replace_file(path, k, journal, at);
	}
	if (fd >= 0) {
		set_attributes(fd, k);
		close(fd);
	}
}

static void make_link(const char *path, const struct hd_kept *k, int journal, off_t at)
{
	char to[PATH_MAX];

	if (k->content >= sizeof(to) || pread(journal, to, k->content, at) != (ssize_t)k->content)
		return;
	to[k->content] = 0;
	unlink(path);
	if (symlink(to, path) != 0)
		return; /* the folder is gone: nothing to be done */
}

static void undo_one(int journal, off_t at)
{
	char path[PATH_MAX];
	struct hd_kept k;

	if (pread(journal, &k, sizeof(k), at) != (ssize_t)sizeof(k) || k.path > sizeof(path) ||
	    pread(journal, path, k.path, at + (off_t)sizeof(k)) != (ssize_t)k.path ||
	    path[0] != '/' || path[k.path - 1])
		return;
	at += (off_t)(sizeof(k) + k.path);
	switch ((enum hd_kept_kind)k.kind) {
	case HD_KEPT_NOTHING:
		remove_it(path);
		break;
	case HD_KEPT_FILE:
		write_file(path, &k, journal, at);
		break;
	case HD_KEPT_FOLDER:
		if (mkdir(path, k.mode) == 0 || errno == EEXIST)
			chmod(path, k.mode);
		break;
	case HD_KEPT_LINK:
		make_link(path, &k, journal, at);
		break;
	case HD_KEPT_NOT:
		break;
	}
}

/* ---- all of them ----------------------------------------------------------------- */

/* Where the records begin that are whole; how many. */
static size_t find_records(int journal, off_t **out)
{
	off_t end = lseek(journal, 0, SEEK_END), at = 0, *list = NULL;
	size_t n = 0, room = 0;
	struct hd_kept k;

	while (pread(journal, &k, sizeof(k), at) == (ssize_t)sizeof(k)) {
		off_t next = at + (off_t)(sizeof(k) + k.path);

		if (!k.path || k.content > HD_KEPT_MAX || next + (off_t)k.content > end)
			break;
		if (!HD_ROOM(list, room, n + 1))
			break;
		list[n++] = at;
		at = next + (off_t)k.content;
	}
	*out = list;
	return n;
}

bool hd_journal_undo(int journal)
{
	off_t *records = NULL;
	size_t n = journal > 0 ? find_records(journal, &records) : 0;
	sigset_t all, mask;

	sigfillset(&all); /* an impatient Ctrl-C must not leave half of it */
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	for (size_t i = n; i-- > 0;)
		undo_one(journal, records[i]);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	free(records);
	if (n && (ftruncate(journal, 0) != 0 || lseek(journal, 0, SEEK_SET) != 0))
		return true; /* a memory file: does not happen */
	return n > 0;
}
