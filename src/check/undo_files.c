#include "undo_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file_journal.h"

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

/* Into the file that is there, if there is one: other names of it stay names of it. */
static void write_file(const char *path, const struct hd_kept *k, int journal, off_t at)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { .tv_sec = k->mtime, .tv_nsec = k->mtime_ns } };
	off_t end = at + (off_t)k->content;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, k->mode);

	if (fd < 0)
		return;
	while (at < end && sendfile(fd, journal, &at, (size_t)(end - at)) > 0)
		;
	fchmod(fd, k->mode);
	futimens(fd, times);
	close(fd);
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
		if (n == room) {
			off_t *more = realloc(list, (room = room ? 2 * room : 64) * sizeof(*list));

			if (!more)
				break;
			list = more;
		}
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

	for (size_t i = n; i-- > 0;)
		undo_one(journal, records[i]);
	free(records);
	if (n && (ftruncate(journal, 0) != 0 || lseek(journal, 0, SEEK_SET) != 0))
		return true; /* a memory file: does not happen */
	return n > 0;
}
